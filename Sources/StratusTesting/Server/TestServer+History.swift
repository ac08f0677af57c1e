import StratusServer
import StratusWire

extension TestServer {
  /// Removes the history of record and zone deletions that are older than `days` days by the
  /// server's clock.
  ///
  /// A server with `--history-days` removes the same history. A device that has not fetched all of
  /// these deletions gets `changeTokenExpired` and must start again with a nil token.
  ///
  /// - Throws: the server's error.
  public func expireDeletions(olderThanDays days: Int64) async throws {
    try await core.composition.expireDeletions(olderThanDays: days)
  }

  /// In each open store, removes the earlier versions of records that are too old, and the oldest
  /// versions above these limits. A real server does this at intervals.
  package func trimVersions(
    countMax: Int64 = Limits.recordVersionsMax, bytesMax: Int64 = Limits.recordVersionsBytesMax
  ) async throws {
    try await core.composition.trimVersions(countMax: countMax, bytesMax: bytesMax)
  }
}
