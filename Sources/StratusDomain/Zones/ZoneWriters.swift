import StratusWire
import Synchronization

/// Counts the writers of each zone, including waiting writers.
final class ZoneWriters: Sendable {
  /// One zone of the server.
  struct Key: Sendable, Hashable {
    let store: StoreAddress
    let zone: ZoneAddress
  }

  private let countMax: Int
  private let counts = Mutex<[Key: Int]>([:])

  /// - Parameter countMax: see ``LimitSettings/zoneWritersMax``.
  init(countMax: Int) { self.countMax = countMax }

  /// Counts a writer in each zone until ``leave(_:)`` is called.
  ///
  /// - Parameter keys: the zones. Each zone appears once.
  /// - Throws: `TRY_AGAIN_LATER` if a zone has too many writers. In that case, no writer is
  ///   counted.
  func enter(_ keys: [Key]) throws(ServerError) {
    let hasEntered = counts.withLock { counts in
      guard keys.allSatisfy({ counts[$0, default: 0] < countMax }) else { return false }
      for key in keys { counts[key, default: 0] += 1 }
      return true
    }
    if !hasEntered {
      throw ServerError(.tryAgainLater, Reason.zoneBusy, retryAfterSeconds: 1)
    }
  }

  /// Removes the writers that ``enter(_:)`` counted.
  func leave(_ keys: [Key]) {
    counts.withLock { counts in
      for key in keys {
        let count = counts[key, default: 0] - 1
        counts[key] = count > 0 ? count : nil
      }
    }
  }

  /// The number of zones with writers, for tests.
  var zonesCount: Int { counts.withLock { $0.count } }
}
