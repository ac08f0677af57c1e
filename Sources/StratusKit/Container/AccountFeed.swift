import StratusTransport
import Synchronization

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
final class ServerAccountFeed: AccountFeed {
  private let path: RequestPath
  private let told = Mutex<Int?>(nil)

  init(path: RequestPath) { self.path = path }

  /// The connection's generation in which the user was who was told last: what is asked of the
  /// server in that user's name is asked in this, or not at all. nil: nobody was told yet.
  var generation: Int? { told.withLock { $0 } }

  /// Choice: credentials that the server does not take any more are an account that cannot be used
  /// just now: an app does not lose what it has to send because a session has ended.
  func currentUserRecordName() async throws(CKError) -> String? {
    guard let connection = path.connection else { throw CKError.noContainer }
    while true {
      let generation = connection.generation
      do throws(CKError) {
        let user = try await user(of: connection, in: generation)
        // Who has signed in meanwhile is who is asked for.
        if connection.generation != generation { continue }
        told.withLock { $0 = generation }
        return user
      } catch {
        if connection.generation != generation { continue }
        guard error.code == .notAuthenticated else { throw error }
        throw CKError(
          .accountTemporarilyUnavailable, description: error.localizedDescription)
      }
    }
  }

  private func user(
    of connection: Connection, in generation: Int
  ) async throws(CKError) -> String? {
    if !connection.hasUser { return nil }
    return try await path.fetchCaller(options: Connection.Options(generation: generation))
  }

  func changes() -> AsyncStream<Void> { path.account.changes() }
}
