import Dispatch
import StratusSQLite

extension WriteClock {
  /// The system's clock.
  static let live = WriteClock(stopwatch: Live.stopwatch) { nanoseconds, body in
    let pause = DispatchTimeInterval.nanoseconds(Int(max(0, nanoseconds)))
    DispatchQueue.global().asyncAfter(deadline: .now() + pause, execute: body)
  }
}
