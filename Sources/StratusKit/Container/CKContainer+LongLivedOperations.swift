import Foundation
import StratusTransport

extension CKContainer {
  /// Returns the IDs of the unfinished long-lived operations of this and earlier runs of the
  /// program.
  ///
  /// Choice: an operation makes no progress while the program does not run. The operation continues
  /// when a later run fetches it and adds it again. Operations are saved in the state folder
  /// (`STRATUS_STATE`, else `$XDG_STATE_HOME/stratus`, else `~/.local/state/stratus`). Only the
  /// owner of the folder can read the files. Each saved operation belongs to one container,
  /// environment and user.
  ///
  /// - Throws: the error of the request that asks the server for the signed-in user. That request
  ///   is sent only if another sign-in has happened since one of the saved operations began.
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
    try await ownLongLivedIDs()
  }

  /// Fetches the IDs of long-lived operations; see `allLongLivedOperationIDs()`.
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

  /// Restores a long-lived operation. The app then sets the blocks of the operation and adds it
  /// again. The operation first calls the blocks for the responses that are saved, without
  /// repeating those requests. Then it sends the remaining requests.
  ///
  /// A save fails with `CKError.serverResponseLost` if the earlier process ended before it received
  /// the response, unless the save can be repeated safely. Saves that do not compare change tags
  /// can be repeated.
  ///
  /// Choice: the method returns nil while the operation runs in this process or in another process.
  /// - Returns: nil if the operation is finished, was cancelled, or belongs to another user.
  /// - Throws: the errors of `allLongLivedOperationIDs()`.
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    try await makeLongLivedOperation(operationID)
  }

  /// Restores a long-lived operation; see `longLivedOperation(for:)`.
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
