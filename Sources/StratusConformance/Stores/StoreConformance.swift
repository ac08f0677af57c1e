public import StratusDomain

/// What every storage engine must do: the promises of the ports `Store` and its parts.
///
/// A test target runs each of ``checks`` on a fresh store of its engine's.
public enum StoreConformance {
  public typealias Check = ConformanceCheck<any Store>

  public static let checks: [Check] =
    transactionChecks + concurrencyChecks + zoneChecks + recordChecks + changeChecks
    + zoneHistoryChecks + purgeChecks + forgettingChecks + schemaChecks + entryChecks + indexChecks
    + linkChecks + cascadeChecks + assetChecks + holdChecks + keyChecks + subscriptionChecks
    + outboxChecks + queueChecks + collectionChecks + deviceChecks
}
