import StratusTransport

/// Who is signed in, and when that may have changed.
package protocol AccountFeed: Sendable {
  /// The record name of the user who is signed in now; nil: nobody is.
  ///
  /// - Throws: why that cannot be told just now, such as `CKError.networkFailure`.
  func currentUserRecordName() async throws(CKError) -> String?

  /// Says each time that the account may have changed; ends when the task that iterates is
  /// cancelled. Several changes may be told as one.
  func changes() -> AsyncStream<Void>
}

/// Asks the server who the user is.
struct ServerAccountFeed: AccountFeed {
  let path: RequestPath

  /// Choice: credentials that the server does not take any more are an account that cannot be used
  /// just now: an app does not lose what it has to send because a session has ended.
  func currentUserRecordName() async throws(CKError) -> String? {
    guard let connection = path.connection else { throw CKError.noContainer }
    if !connection.hasUser { return nil }
    do throws(CKError) {
      return try await path.fetchCaller(options: Connection.Options())
    } catch {
      guard error.code == .notAuthenticated else { throw error }
      throw CKError(
        .accountTemporarilyUnavailable, description: error.localizedDescription)
    }
  }

  func changes() -> AsyncStream<Void> { path.account.changes() }
}
