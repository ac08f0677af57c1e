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

/// For whom an engine works, by the connection's count of sign-ins; nil: it has not asked yet.
///
/// What it sends in between two looks at the account so reaches nobody else's data.
final class WorkingAccount: Sendable {
  private let known = Mutex<Int?>(nil)

  var generation: Int? { known.withLock { $0 } }

  func note(_ generation: Int) { known.withLock { $0 = generation } }
}

/// Asks the server who the user is.
struct ServerAccountFeed: AccountFeed {
  let path: RequestPath
  /// Learns under which count of sign-ins the answer holds.
  var working = WorkingAccount()

  /// Choice: credentials that the server does not take any more are an account that cannot be used
  /// just now: an app does not lose what it has to send because a session has ended.
  func currentUserRecordName() async throws(CKError) -> String? {
    guard let connection = path.connection else { throw CKError.noContainer }
    let generation = connection.generation
    if !connection.hasUser {
      working.note(generation)
      return nil
    }
    do throws(CKError) {
      let name = try await path.fetchCaller(
        options: Connection.Options(generation: generation))
      working.note(generation)
      return name
    } catch {
      // Somebody else may have signed in meanwhile: then it is asked again.
      guard error.code == .notAuthenticated || connection.generation != generation else {
        throw error
      }
      throw CKError(
        .accountTemporarilyUnavailable, description: error.localizedDescription)
    }
  }

  func changes() -> AsyncStream<Void> { path.account.changes() }
}
