import ArgumentParser
import StratusServer
import StratusWire

/// The options for the limits on callers' requests.
struct LimitOptions: ParsableArguments {
  @Option(help: "Requests a second of one user, over time; 0: any number.")
  var requestsPerUser = Limits.requestsPerUserPerSecond

  @Option(
    help: "Records, zones and subscriptions a second that one user changes; 0: any number.")
  var operationsPerUser = Limits.operationsPerUserPerSecond

  @Option(
    name: .customLong("requests-per-api-token"),
    help: "Requests a second with one API token, over time; 0: any number.")
  var requestsPerAPIToken = Limits.requestsPerAPITokenPerSecond

  @Option(
    name: .customLong("operations-per-api-token"),
    help: "Changes a second with one API token, over time; 0: any number.")
  var operationsPerAPIToken = Limits.operationsPerAPITokenPerSecond

  @Option(
    help: "Requests a second from one address without a user, over time; 0: any number.")
  var anonymousRequestsPerAddress = Limits.anonymousRequestsPerAddressPerSecond

  @Option(
    name: .customLong("anonymous-requests-per-api-token"),
    help: "Requests a second with one API token without a user, over time; 0: any number.")
  var anonymousRequestsPerAPIToken = Limits.anonymousRequestsPerAPITokenPerSecond

  @Option(help: "Streams of notifications that one user holds open; 0: any number.")
  var streamsPerUser = Limits.streamsPerUserMax

  @Option(help: "Requests that save or delete records of one zone at the same time.")
  var writersPerZone = Limits.zoneWritersMax

  @Option(help: "Requests that wait for a container's store, to write or to read.")
  var waitingPerStore = Limits.storeWaitingMax

  @Option(
    help: """
      Expensive requests of one caller that run at the same time while other callers are active; \
      0: any number.
      """)
  var expensiveRequestsPerCaller = Limits.expensiveRequestsPerCallerMax

  @Option(help: "Records one request looks at to build an index that a query needs.")
  var indexBuilding = Limits.indexBuildRequestRows

  @Option(help: "Bytes that one user has uploaded and that no record holds.")
  var unheldBytesPerUser = Limits.unheldBytesPerUserMax

  @Option(help: "Bytes in a container's store that no record holds.")
  var unheldBytesPerStore = Limits.unheldBytesPerStoreMax

  /// - Throws: `Failure` if a number is out of range.
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
    return LimitSettings(
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
  }

  private func rate(_ perSecond: Int, _ name: String) throws -> LimitSettings.Rate? {
    guard perSecond >= 0 else { throw Failure("--\(name) must be 0 or more") }
    return perSecond == 0 ? nil : LimitSettings.Rate(perSecond: perSecond)
  }
}
