import Synchronization

/// Lets one at a time work on each of many things; the others wait for their turn.
final class Turns: Sendable {
  private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

  /// Waits until nobody else works on the thing.
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

  /// Lets the next one work on the thing.
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
