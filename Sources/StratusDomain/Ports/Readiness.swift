public import StratusWire

/// Checks for one kind of fault when a client requests `/health/ready`.
///
/// A check runs at most once a second, and never twice at the same time. If a check takes longer
/// than three seconds, the response says that the check did not finish.
public protocol ReadinessCheck: Sendable {
  /// The name of the check, such as `disk`.
  var name: String { get }

  /// Returns the current faults, or an empty array if there are none.
  func faults() async -> [ReadinessFault]
}
