import StratusTransport
import Synchronization

/// Provides the record name of the signed-in user, and signals possible changes of the account.
package protocol AccountFeed: Sendable {
  /// The record name of the signed-in user; nil if no user is signed in.
  ///
  /// - Throws: the reason why the user is not known now, such as `CKError.networkFailure`.
  func currentUserRecordName() async throws(CKError) -> String?

  /// Returns a stream with an element for each possible change of the account. The stream ends when
  /// the task that iterates over it is cancelled. One element may stand for several changes.
  func changes() -> AsyncStream<Void>
}

/// Asks the server for the signed-in user.
final class ServerAccountFeed: AccountFeed {
  private let path: RequestPath
  private let lastGeneration = Mutex<Int?>(nil)

  init(path: RequestPath) { self.path = path }

  /// The connection's generation (the number of its sign-in) when ``currentUserRecordName()`` last
  /// returned a result; nil before the first result. Requests in that user's name must use this
  /// generation, so that they fail after another sign-in.
  var generation: Int? { lastGeneration.withLock { $0 } }

  /// Choice: credentials that the server rejects count as an account that is temporarily
  /// unavailable. So if only a session has ended, an app does not lose its pending changes.
  func currentUserRecordName() async throws(CKError) -> String? {
    guard let connection = path.connection else { throw CKError.noContainer }
    while true {
      let generation = connection.generation
      do throws(CKError) {
        let user = try await user(of: connection, in: generation)
        // Another user has signed in during the request, so the server is asked again.
        if connection.generation != generation { continue }
        lastGeneration.withLock { $0 = generation }
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
