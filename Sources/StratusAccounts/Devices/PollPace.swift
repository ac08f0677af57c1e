import StratusDomain
import Synchronization

/// Notices devices that ask for their token too often (RFC 8628 §3.5).
///
/// The times are kept in memory only, so they are lost when the server restarts.
final class PollPace: Sendable {
  private struct Poll {
    var last: Int64
    var intervalSeconds: Int64
  }

  private let polls = Mutex<[[UInt8]: Poll]>([:])
  private let entriesMax: Int

  init(entriesMax: Int = DeviceGrant.bounds.countMax) { self.entriesMax = entriesMax }

  /// Counts a request.
  ///
  /// - Parameters:
  ///   - hash: identifies the device's sign-in.
  ///   - now: the present time, in milliseconds since 1970 UTC.
  /// - Returns: whether the device has waited long enough. Otherwise its interval grows by 5
  ///   seconds, up to a minute.
  func admit(_ hash: [UInt8], now: Int64) -> Bool {
    polls.withLock { polls in
      guard var poll = polls[hash] else {
        if polls.count >= entriesMax {
          polls = polls.filter { now - $0.value.last < DeviceGrant.lifetimeMilliseconds }
        }
        if polls.count < entriesMax {
          polls[hash] = Poll(last: now, intervalSeconds: DeviceGrant.intervalSeconds)
        }
        return true
      }
      // NB: network delays vary, so a request may arrive up to one second early.
      let isEarly = now - poll.last < (poll.intervalSeconds - 1) * 1_000 && now >= poll.last
      if isEarly { poll.intervalSeconds = min(poll.intervalSeconds + 5, 60) }
      poll.last = now
      polls[hash] = poll
      return !isEarly
    }
  }

  func forget(_ hash: [UInt8]) { polls.withLock { $0[hash] = nil } }
}
