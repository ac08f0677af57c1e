public import StratusWire

/// Checks for one kind of fault when a client requests `/health/ready`.
///
/// A check runs at most once a second, and never twice at the same time. If a check takes longer
/// than three seconds, the response says that the check did not finish. A check that concerns only
/// files has half a second.
public protocol ReadinessCheck: Sendable {
  /// The name of the check, such as `disk`.
  var name: String { get }

  /// The requests that fail if the check finds a fault or does not finish. The default is
  /// `everything`.
  var extent: ReadinessFault.Extent { get }

  /// Returns the current faults, or an empty array if there are none.
  func faults() async -> [ReadinessFault]
}

extension ReadinessCheck {
  public var extent: ReadinessFault.Extent { .everything }
}
