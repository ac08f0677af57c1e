import StratusWire
import Synchronization

/// Counts the writers of each zone, those that wait included.
final class ZoneWriters: Sendable {
  /// One zone of the server.
  struct Place: Sendable, Hashable {
    let store: StoreAddress
    let zone: ZoneAddress
  }

  private let countMax: Int
  private let counts = Mutex<[Place: Int]>([:])

  /// - Parameter countMax: see ``LimitSettings/zoneWritersMax``.
  init(countMax: Int) { self.countMax = countMax }

  /// Takes a place in each zone, until ``leave(_:)``.
  ///
  /// - Parameter places: each once.
  /// - Throws: `TRY_AGAIN_LATER` where one has too many writers; then none is taken.
  func enter(_ places: [Place]) throws(ServerError) {
    let hasEntered = counts.withLock { counts in
      guard places.allSatisfy({ counts[$0, default: 0] < countMax }) else { return false }
      for place in places { counts[place, default: 0] += 1 }
      return true
    }
    if !hasEntered {
      throw ServerError(.tryAgainLater, Reason.zoneBusy, retryAfterSeconds: 1)
    }
  }

  /// Gives the places back.
  func leave(_ places: [Place]) {
    counts.withLock { counts in
      for place in places {
        let count = counts[place, default: 0] - 1
        counts[place] = count > 0 ? count : nil
      }
    }
  }

  /// Zones that anybody writes to, for tests.
  var zonesCount: Int { counts.withLock { $0.count } }
}
