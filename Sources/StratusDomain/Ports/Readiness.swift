public import StratusWire

/// Looks for one kind of fault when `/health/ready` is asked.
///
/// A check runs at most once a second, however often it is asked for, and never twice at once. It
/// has three seconds, after which the answer says that it is not finished.
public protocol ReadinessCheck: Sendable {
  /// What is checked, such as `disk`.
  var name: String { get }

  /// The faults there are at this moment; empty: none.
  func faults() async -> [ReadinessFault]
}
