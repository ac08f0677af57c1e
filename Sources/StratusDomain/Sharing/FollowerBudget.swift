import StratusWire

/// The number of records that one transaction may still move into or out of hierarchies because a
/// record above them moves. All shares that begin or end in the transaction take from this number.
/// Later steps move the other records.
///
/// NB: this class is not `Sendable`. Each run of a transaction's body creates its own budget.
final class FollowerBudget {
  private(set) var left: Int

  init(_ count: Int = Limits.hierarchyStepMax) { left = count }

  func take(_ count: Int) { left = max(0, left - count) }
}
