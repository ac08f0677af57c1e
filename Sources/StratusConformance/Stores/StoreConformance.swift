public import StratusDomain

/// Checks what the protocols of the port `Store` guarantee, for every storage engine.
///
/// A test target runs each of ``checks`` on a new store of its engine.
public enum StoreConformance {
  public typealias Check = ConformanceCheck<any Store>

  public static let checks: [Check] =
    transactionChecks + concurrencyChecks + zoneChecks + recordChecks + changeChecks
    + zoneHistoryChecks + purgeChecks + forgettingChecks + schemaChecks + roleChecks + lackChecks
    + entryChecks + indexChecks + linkChecks + cascadeChecks + assetChecks + holdChecks + keyChecks
    + subscriptionChecks + outboxChecks + queueChecks + collectionChecks + deviceChecks
    + listingChecks + passageChecks + retirementChecks + joinedShareChecks
    + hierarchyChecks + usageChecks + versionChecks + userRowChecks
}
