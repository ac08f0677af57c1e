import ArgumentParser
import StratusServer
import StratusWire

/// How much callers may ask of a server.
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
    name: .customLong("writers-per-zone"),
    help: "Requests that write to one zone at the same time.")
  var writersPerZone = Limits.zoneWritersMax

  /// - Throws: `Failure` for a number that makes no sense.
  func settings() throws -> LimitSettings {
    guard writersPerZone > 0 else { throw Failure("--writers-per-zone must be 1 or more") }
    return LimitSettings(
      requestsPerUser: try rate(requestsPerUser, "requests-per-user"),
      operationsPerUser: try rate(operationsPerUser, "operations-per-user"),
      requestsPerAPIToken: try rate(requestsPerAPIToken, "requests-per-api-token"),
      operationsPerAPIToken: try rate(operationsPerAPIToken, "operations-per-api-token"),
      zoneWritersMax: writersPerZone)
  }

  private func rate(_ perSecond: Int, _ name: String) throws -> LimitSettings.Rate? {
    guard perSecond >= 0 else { throw Failure("--\(name) must be 0 or more") }
    return perSecond == 0 ? nil : LimitSettings.Rate(perSecond: perSecond)
  }
}
