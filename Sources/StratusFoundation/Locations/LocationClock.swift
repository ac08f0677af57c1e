package import Foundation
import Synchronization

/// Where a location made without a time gets one.
///
/// Rooms below the composition roots read no clock, so StratusKit installs its own before `main`.
package enum LocationClock {
  private typealias Source = @Sendable () -> Date

  private static let source = Mutex<Source>({ Date(timeIntervalSince1970: 0) })

  /// Replaces the clock; until then the time is the beginning of 1970.
  package static func install(_ now: @escaping @Sendable () -> Date) {
    source.withLock { $0 = now }
  }

  static var now: Date {
    let now = source.withLock { $0 }
    return now()
  }
}
