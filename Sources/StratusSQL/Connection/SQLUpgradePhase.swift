public import StratusDomain

/// How far an online upgrade of the tables to the newest layout has come. Statements of the newest
/// version depend on it while an upgrade is not complete.
///
/// NB: a body must read the phase in its own transaction, and must not keep it. Otherwise a
/// transaction in a later phase could read columns that the body has not written
/// (`docs/internals/nodes.md`).
public enum SQLUpgradePhase: Sendable, Hashable {
  /// The tables have the earlier layout. Bodies read and write the old columns.
  case earlier
  /// The tables have old and new columns. Bodies read the old columns, and write both.
  case expanded
  /// The new columns have all values. Bodies read and write only the new columns.
  case complete
}

extension SQLConnection {
  /// An engine that upgrades all tables before it opens a store knows only complete upgrades.
  public func upgradePhase() throws(ServerError) -> SQLUpgradePhase { .complete }
}
