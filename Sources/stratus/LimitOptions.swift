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
    try requireNumber(streamsPerUser, in: 0..., of: "--streams-per-user")
    try requireNumber(
      expensiveRequestsPerCaller, in: 0..., of: "--expensive-requests-per-caller")
    try requireNumber(writersPerZone, in: 1..., of: "--writers-per-zone")
    try requireNumber(waitingPerStore, in: 1..., of: "--waiting-per-store")
    try requireNumber(indexBuilding, in: 1..., of: "--index-building")
    try requireNumber(unheldBytesPerUser, in: 1..., of: "--unheld-bytes-per-user")
    try requireNumber(unheldBytesPerStore, in: 1..., of: "--unheld-bytes-per-store")
    try requireNumber(signatureWindow, in: 1...Self.signatureWindowMax, of: "--signature-window")
    try requireNumber(auditDays, in: 1...Self.auditDaysMax, of: "--audit-days")
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
    try requireNumber(perSecond, in: 0..., of: "--\(name)")
    return perSecond == 0 ? nil : LimitSettings.Rate(perSecond: perSecond)
  }
}
