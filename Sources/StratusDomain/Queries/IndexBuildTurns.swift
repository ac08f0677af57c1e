import Synchronization

/// Lets one request at a time build the indexes of a type, and knows how much was done.
///
/// Only a matter of speed: two that build the same index, in two processes, do harmless work twice.
final class IndexBuildTurns: Sendable {
  struct Key: Hashable, Sendable {
    var store: StoreAddress
    var recordType: String
  }

  private struct Line {
    var isTaken = true
    var rowsDone = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// Requests that build or wait to.
    var requests = 0
  }

  private let lines = Mutex<[Key: Line]>([:])

  /// A request's share in the building of a type's indexes.
  ///
  /// - Returns: rows that were looked at before.
  func join(_ key: Key) -> Int {
    lines.withLock { lines in
      lines[key, default: Line(isTaken: false)].requests += 1
      return lines[key]?.rowsDone ?? 0
    }
  }

  func leave(_ key: Key) {
    lines.withLock { lines in
      lines[key]?.requests -= 1
      if lines[key]?.requests == 0 { lines[key] = nil }
    }
  }

  /// Waits until nobody else builds; whoever has joined may.
  ///
  /// - Returns: rows that were looked at, in all, and how many types are being built now, in all
  ///   stores.
  func take(_ key: Key) async -> (rowsDone: Int, builds: Int) {
    await withCheckedContinuation { continuation in
      let isFree = lines.withLock { lines in
        guard let line = lines[key], line.isTaken else {
          lines[key]?.isTaken = true
          return true
        }
        lines[key]?.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    return lines.withLock { lines in
      (lines[key]?.rowsDone ?? 0, lines.values.count(where: \.isTaken))
    }
  }

  /// Lets the next one build.
  ///
  /// - Parameter rows: that were looked at.
  func giveBack(_ key: Key, rows: Int) {
    let next = lines.withLock { lines -> CheckedContinuation<Void, Never>? in
      guard var line = lines[key] else { return nil }
      line.rowsDone += rows
      let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst()
      line.isTaken = next != nil
      lines[key] = line
      return next
    }
    next?.resume()
  }
}
