import CloudKit

/// Notices immediately that the account may have changed. This prevents notes from being sent to
/// another user's account.
final class AccountWatch: @unchecked Sendable {
  /// An error that says that the account may have changed since the last check.
  struct MayHaveChanged: Error {}

  private let lock = NSLock()
  /// The number of possible changes of the account so far, and the value of this number at the last
  /// check.
  private var (doubts, answered) = (1, 0)
  private var observer: (any NSObjectProtocol)?

  deinit { end() }

  /// - Parameter changed: is called whenever the account may have changed.
  func begin(_ changed: @escaping @Sendable () -> Void) {
    observer = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { [weak self] _ in
      self?.doubt()
      changed()
    }
  }

  func end() {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    observer = nil
  }

  private func doubt() { lock.withLock { doubts += 1 } }

  /// Whether the last check is still valid.
  var isKnown: Bool { lock.withLock { doubts == answered } }

  /// Checks which user is signed in.
  ///
  /// If the account may have changed during the check, ``isKnown`` is still false afterwards.
  ///
  /// - Parameter ask: asks the server for the user.
  /// - Returns: the result of `ask`.
  func settle<User>(
    isolation: isolated (any Actor)? = #isolation, by ask: () async throws -> User
  ) async throws -> User {
    let asked = lock.withLock { doubts }
    let user = try await ask()
    lock.withLock { answered = asked }
    return user
  }

  /// Is called before each request, and checks that the account cannot have changed since the last
  /// check.
  ///
  /// - Throws: ``MayHaveChanged``.
  func check() throws {
    if !isKnown { throw MayHaveChanged() }
  }
}
