package import Foundation
import Synchronization

/// Provides the time for locations that are created without a time.
///
/// Only StratusKit and StratusServer may read a clock. StratusKit therefore installs its clock here
/// before `main`.
package enum LocationClock {
  private typealias Source = @Sendable () -> Date

  private static let source = Mutex<Source>({ Date(timeIntervalSince1970: 0) })

  /// Replaces the clock. Before the first call, the clock returns the beginning of 1970.
  package static func install(_ now: @escaping @Sendable () -> Date) {
    source.withLock { $0 = now }
  }

  static var now: Date {
    let now = source.withLock { $0 }
    return now()
  }
}
