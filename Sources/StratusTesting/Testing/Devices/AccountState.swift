import StratusAccounts
import StratusDomain
import StratusKit
import Synchronization

/// An account, and what has befallen it.
final class AccountState: Sendable {
  /// What the server will not do for it.
  struct Standing: Sendable {
    var isRestricted = false
    var isTemporarilyUnavailable = false
    var isStorageFull = false
    /// Zones that the user deleted in the system's settings and no app has made again.
    var purgedZones: Set<PurgedZone> = []

    /// What every call fails with; nil: none does.
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
