import Foundation
import StratusTransport

extension CKContainer {
  /// The IDs of the long-lived operations that an earlier run of the program began, and those of
  /// this one that are not over.
  ///
  /// Choice: no process works on them while the program does not run; who makes one again and adds
  /// it goes on where it ended. They lie in the state folder (`STRATUS_STATE`, else
  /// `$XDG_STATE_HOME/stratus`, else `~/.local/state/stratus`), readable by their owner alone, and
  /// belong to the container, the environment and the user.
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { longLivedIDs }

  /// The IDs of long-lived operations; see `allLongLivedOperationIDs()`.
  @preconcurrency
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    Task { completionHandler(longLivedIDs, nil) }
  }

  /// A long-lived operation, made again to be given its blocks and added: it calls them for what
  /// was answered before, does not ask for it twice, and goes on with the rest.
  ///
  /// A save whose answer was lost with the process fails with `CKError.serverResponseLost` unless
  /// it can be repeated, as those that compare no change tags can.
  ///
  /// Choice: while it runs, here or in another process, it cannot be had, and this answers nil.
  /// - Returns: nil where it is over, or was cancelled.
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    makeLongLivedOperation(operationID)
  }

  /// A long-lived operation; see `longLivedOperation(for:)`.
  @preconcurrency
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) {
    Task { completionHandler(makeLongLivedOperation(operationID), nil) }
  }

  private var longLivedIDs: [CKOperation.ID] {
    guard let operations = path.savedOperations else { return [] }
    let user = path.knownNaming.map { $0.currentUserRecordName ?? "" }
    return operations.ids(now: Live.now().timeIntervalSince1970).filter { id in
      guard let user, let owner = operations.userRecordName(of: id) else { return true }
      return owner.isIdentical(to: user)
    }
  }

  private func makeLongLivedOperation(_ id: CKOperation.ID) -> CKOperation? {
    guard longLivedIDs.contains(where: id.isIdentical(to:)),
      let saved = path.savedOperations?.open(id: id, now: Live.now().timeIntervalSince1970)
    else { return nil }
    return LongLivedArchive.make(
      from: saved, in: self, account: path.connection?.accountDigest)
  }
}
