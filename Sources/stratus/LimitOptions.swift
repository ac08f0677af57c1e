import ArgumentParser
import StratusServer
import StratusWire

/// The options for the limits on callers' requests.
struct LimitOptions: ParsableArguments {
  @Option(help: "The average number of requests per second of one user; 0 means no limit.")
  var requestsPerUser = Limits.requestsPerUserPerSecond

  @Option(
    help: """
      The average number of records, zones and subscriptions that one user changes per second; 0 \
      means no limit.
      """)
  var operationsPerUser = Limits.operationsPerUserPerSecond

  @Option(
    name: .customLong("requests-per-api-token"),
    help: "The average number of requests per second with one API token; 0 means no limit.")
  var requestsPerAPIToken = Limits.requestsPerAPITokenPerSecond

  @Option(
    name: .customLong("operations-per-api-token"),
    help: "The average number of changes per second with one API token; 0 means no limit.")
  var operationsPerAPIToken = Limits.operationsPerAPITokenPerSecond

  @Option(
    help: """
      The average number of anonymous requests per second from one address; 0 means no limit.
      """)
  var anonymousRequestsPerAddress = Limits.anonymousRequestsPerAddressPerSecond

  @Option(
    name: .customLong("anonymous-requests-per-api-token"),
    help: """
      The average number of anonymous requests per second with one API token; 0 means no limit.
      """)
  var anonymousRequestsPerAPIToken = Limits.anonymousRequestsPerAPITokenPerSecond

  @Option(help: "The maximum number of open notification streams of one user; 0 means no limit.")
  var streamsPerUser = Limits.streamsPerUserMax

  @Option(
    help: """
      The maximum number of requests that save or delete records of one zone at the same time.
      """)
  var writersPerZone = Limits.zoneWritersMax

  @Option(
    help: """
      The maximum number of requests that wait to write to a container's store, and of requests \
      that wait to read it.
      """)
  var waitingPerStore = Limits.storeWaitingMax

  @Option(
    help: """
      The maximum number of expensive requests of one caller at the same time while other callers \
      are active; 0 means no limit.
      """)
  var expensiveRequestsPerCaller = Limits.expensiveRequestsPerCallerMax

  @Option(
    help: "The maximum number of records that one request reads to build an index for a query.")
  var indexBuilding = Limits.indexBuildRequestRows

  @Option(help: "The maximum number of bytes that one user has uploaded and that no record uses.")
  var unheldBytesPerUser = Limits.unheldBytesPerUserMax

  @Option(help: "The maximum number of uploaded bytes that no record uses, in one store.")
  var unheldBytesPerStore = Limits.unheldBytesPerStoreMax

  @Option(
    help: """
      The maximum number of seconds between the server's time and the date of a request with a \
      server key.
      """)
  var signatureWindow = Limits.signatureWindowSeconds

  @Option(help: "The number of days for which the audit log keeps an entry.")
  var auditDays = Limits.auditDays

  /// The maximum of `--audit-days`: ten years.
  private static let auditDaysMax: Int64 = 3_653

  /// The maximum of `--signature-window`: one hour. With a longer time, an intercepted request
  /// could be sent again for a long time.
  private static let signatureWindowMax: Int64 = 3_600

  /// - Throws: `Failure` for a number out of range.
  func settings() throws -> LimitSettings {
    guard streamsPerUser >= 0 else { throw Failure("--streams-per-user must be 0 or more") }
    guard expensiveRequestsPerCaller >= 0 else {
      throw Failure("--expensive-requests-per-caller must be 0 or more")
    }
    for (number, name) in [
      (writersPerZone, "writers-per-zone"), (waitingPerStore, "waiting-per-store"),
      (indexBuilding, "index-building"),
    ] where number < 1 {
      throw Failure("--\(name) must be 1 or more")
    }
    guard min(unheldBytesPerUser, unheldBytesPerStore) >= 1 else {
      throw Failure("--unheld-bytes-per-user and --unheld-bytes-per-store must be 1 or more")
    }
    guard (1...Self.signatureWindowMax).contains(signatureWindow) else {
      throw Failure("--signature-window must be 1 to \(Self.signatureWindowMax)")
    }
    guard (1...Self.auditDaysMax).contains(auditDays) else {
      throw Failure("--audit-days must be 1 to \(Self.auditDaysMax)")
    }
    var settings = LimitSettings(
      requestsPerUser: try rate(requestsPerUser, "requests-per-user"),
      operationsPerUser: try rate(operationsPerUser, "operations-per-user"),
      requestsPerAPIToken: try rate(requestsPerAPIToken, "requests-per-api-token"),
      operationsPerAPIToken: try rate(operationsPerAPIToken, "operations-per-api-token"),
      anonymousRequestsPerAddress: try rate(
        anonymousRequestsPerAddress, "anonymous-requests-per-address"),
      anonymousRequestsPerAPIToken: try rate(
        anonymousRequestsPerAPIToken, "anonymous-requests-per-api-token"),
      streamsPerUserMax: streamsPerUser == 0 ? nil : streamsPerUser,
      zoneWritersMax: writersPerZone, storeWaitingMax: waitingPerStore,
      expensiveRequestsPerCallerMax: expensiveRequestsPerCaller == 0
        ? nil : expensiveRequestsPerCaller,
      indexBuildRowsMax: indexBuilding, unheldBytesPerUserMax: unheldBytesPerUser,
      unheldBytesPerStoreMax: unheldBytesPerStore)
    settings.signatureWindowSeconds = signatureWindow
    settings.auditDays = auditDays
    return settings
  }

  private func rate(_ perSecond: Int, _ name: String) throws -> LimitSettings.Rate? {
    guard perSecond >= 0 else { throw Failure("--\(name) must be 0 or more") }
    return perSecond == 0 ? nil : LimitSettings.Rate(perSecond: perSecond)
  }
}
