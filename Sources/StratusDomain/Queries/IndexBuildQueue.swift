import Synchronization

/// Lets one request at a time build the indexes of a record type, and counts the rows that the
/// builds have read.
///
/// The queue only saves time. If two processes build the same index, the second repeats harmless
/// work.
final class IndexBuildQueue: Sendable {
  struct Key: Hashable, Sendable {
    var store: StoreAddress
    var recordType: String
  }

  private struct Line {
    var isTaken = true
    var rowsDone = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The number of requests that build, or wait to build.
    var requests = 0
  }

  private let lines = Mutex<[Key: Line]>([:])

  /// Registers a request that builds the indexes of a type.
  ///
  /// - Returns: the number of rows that earlier requests have read.
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

  /// Waits until no other request builds indexes of the type. The request must have called
  /// ``join(_:)`` before.
  ///
  /// - Returns: the total number of rows that index builds of this key have read so far, and the
  ///   number of record types, in all stores, whose indexes are being built now.
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

  /// Lets the next waiting request build.
  ///
  /// - Parameter rows: the number of rows that this request has read.
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
