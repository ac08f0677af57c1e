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
  ///
  /// - Throws: why the server could not be asked who the user is. It is asked only where somebody
  ///   has signed in since an operation was begun.
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
    try await ownLongLivedIDs()
  }

  /// The IDs of long-lived operations; see `allLongLivedOperationIDs()`.
  @preconcurrency
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    Task {
      do throws(CKError) {
        completionHandler(try await ownLongLivedIDs(), nil)
      } catch {
        completionHandler(nil, error)
      }
    }
  }

  /// A long-lived operation, made again to be given its blocks and added: it calls them for what
  /// was answered before, does not ask for it twice, and goes on with the rest.
  ///
  /// A save whose answer was lost with the process fails with `CKError.serverResponseLost` unless
  /// it can be repeated, as those that compare no change tags can.
  ///
  /// Choice: while it runs, here or in another process, it cannot be had, and this answers nil.
  /// - Returns: nil where it is over, was cancelled, or is another user's.
  /// - Throws: as `allLongLivedOperationIDs()` does.
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    try await makeLongLivedOperation(operationID)
  }

  /// A long-lived operation; see `longLivedOperation(for:)`.
  @preconcurrency
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) {
    Task {
      do throws(CKError) {
        completionHandler(try await makeLongLivedOperation(operationID), nil)
      } catch {
        completionHandler(nil, error)
      }
    }
  }

  private func ownLongLivedIDs() async throws(CKError) -> [CKOperation.ID] {
    guard let operations = path.savedOperations else { return [] }
    var own: [CKOperation.ID] = []
    for id in operations.ids(now: Live.now().timeIntervalSince1970) {
      if try await isOwn(id, among: operations) { own.append(id) }
    }
    return own
  }

  private func isOwn(
    _ id: CKOperation.ID, among operations: SavedOperations
  ) async throws(CKError) -> Bool {
    let owner = LongLivedOwner(
      userRecordName: operations.userRecordName(of: id),
      accountDigest: operations.request(of: id).flatMap(LongLivedArchive.account(of:)))
    return try await owner.isSignedIn(on: path, options: callOptions)
  }

  private func makeLongLivedOperation(
    _ id: CKOperation.ID
  ) async throws(CKError) -> CKOperation? {
    let now = Live.now().timeIntervalSince1970
    guard let operations = path.savedOperations,
      operations.ids(now: now).contains(where: id.isIdentical(to:)),
      try await isOwn(id, among: operations), let saved = operations.open(id: id, now: now)
    else { return nil }
    return LongLivedArchive.make(from: saved, in: self)
  }
}
