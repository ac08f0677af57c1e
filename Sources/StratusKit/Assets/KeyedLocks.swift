import Synchronization

/// A set of locks with string keys. Each key has a queue of waiting callers.
final class KeyedLocks: Sendable {
  private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

  /// Waits until the key is unlocked, and locks it.
  func take(_ key: String) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[key] != nil else {
          waiting[key] = []
          return true
        }
        waiting[key]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Unlocks a key, and resumes the next waiting caller.
  func pass(_ key: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard var queue = waiting[key], !queue.isEmpty else {
        waiting[key] = nil
        return nil
      }
      let next = queue.removeFirst()
      waiting[key] = queue
      return next
    }
    next?.resume()
  }
}
