import StratusServer

extension TestServer {
  /// Forgets deletions of records and zones that are older than so many days by the server's clock,
  /// as a server does that runs with `--history-days`: whoever has not heard of one of them gets
  /// `changeTokenExpired`, and must begin from nil.
  ///
  /// - Throws: what the server throws.
  public func forgetDeletions(olderThanDays days: Int64) async throws {
    try await core.composition.forgetDeletions(olderThanDays: days)
  }
}
