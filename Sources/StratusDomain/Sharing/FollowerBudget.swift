import StratusWire

/// The number of records that may still follow others into or out of hierarchies in one
/// transaction. All shares that begin or end in it take from this number. Later steps move the
/// other records.
///
/// NB: not `Sendable`. Each run of a transaction's body makes its own.
final class FollowerBudget {
  private(set) var left: Int

  init(_ count: Int = Limits.hierarchyStepMax) { left = count }

  func take(_ count: Int) { left = max(0, left - count) }
}
