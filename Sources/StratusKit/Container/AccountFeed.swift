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

/// Asks the server who the user is; the account is that of the container's settings and stays.
struct ServerAccountFeed: AccountFeed {
  let path: RequestPath

  func currentUserRecordName() async throws(CKError) -> String? {
    do throws(CKError) {
      return try await path.fetchCaller(options: .init())
    } catch {
      if error.code == .notAuthenticated { return nil }
      throw error
    }
  }

  func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
}
