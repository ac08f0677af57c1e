import StratusAccounts
import StratusDomain
import StratusKit
import Synchronization

/// An account and its current restrictions.
final class AccountState: Sendable {
  /// The account's restrictions on the server.
  struct Standing: Sendable {
    var isRestricted = false
    var isTemporarilyUnavailable = false
    var isStorageFull = false
    /// Zones that the user has deleted in the system's settings and that no app has created again.
    var purgedZones: Set<PurgedZone> = []

    /// The error of every call. nil means that calls are allowed.
    var refusal: CKError.Code? {
      if isRestricted { return .managedAccountRestricted }
      return isTemporarilyUnavailable ? .accountTemporarilyUnavailable : nil
    }
  }

  struct PurgedZone: Sendable, Hashable {
    let container: String
    let name: ExactName
  }

  let email: String
  let tokens: Accounts.DeveloperTokens
  private let state = Mutex(Standing())

  init(email: String, tokens: Accounts.DeveloperTokens) {
    self.email = email
    self.tokens = tokens
  }

  var standing: Standing {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func change(_ body: (inout Standing) -> Void) { state.withLock { body(&$0) } }
}
