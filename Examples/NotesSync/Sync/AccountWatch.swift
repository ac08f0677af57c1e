import CloudKit

/// Knows at once when the account may have changed, so that no note goes to another user's account.
final class AccountWatch: @unchecked Sendable {
  /// The account may have changed since it was last asked for.
  struct MayHaveChanged: Error {}

  private let lock = NSLock()
  private var isDoubtful = true
  private var observer: (any NSObjectProtocol)?

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

  /// Has the account asked for before the next request.
  func doubt() { lock.withLock { isDoubtful = true } }

  /// Whether the account must be asked for; from now on it need not be.
  func takeDoubt() -> Bool {
    lock.withLock {
      defer { isDoubtful = false }
      return isDoubtful
    }
  }

  /// Called before each request.
  ///
  /// - Throws: ``MayHaveChanged``.
  func check() throws {
    if lock.withLock({ isDoubtful }) { throw MayHaveChanged() }
  }
}
