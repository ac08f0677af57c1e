import CloudKit

/// Knows at once when the account may have changed, so that no note goes to another user's account.
final class AccountWatch: @unchecked Sendable {
  /// The account may have changed since it was last asked for.
  struct MayHaveChanged: Error {}

  private let lock = NSLock()
  /// How often it may have changed, and how often it had when it was last asked for.
  private var (doubts, answered) = (1, 0)
  private var observer: (any NSObjectProtocol)?

  deinit { end() }

  /// - Parameter changed: called whenever it may have changed.
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

  /// Whether the account need not be asked for.
  var isKnown: Bool { lock.withLock { doubts == answered } }

  /// Asks who is signed in.
  ///
  /// - Returns: what `ask` does. If the account may have changed meanwhile, it stays in doubt.
  func settle<User>(
    isolation: isolated (any Actor)? = #isolation, by ask: () async throws -> User
  ) async throws -> User {
    let asked = lock.withLock { doubts }
    let user = try await ask()
    lock.withLock { answered = asked }
    return user
  }

  /// Called before each request.
  ///
  /// - Throws: ``MayHaveChanged``.
  func check() throws {
    if !isKnown { throw MayHaveChanged() }
  }
}
