/// The rules by which a server puts a request off: each answer of 429 or 503 names its own, in its
/// reason and in the header `X-Stratus-Limit`. The header is an addition of ours.
public enum LimitRule: String, Sendable, CaseIterable {
  /// Requests of one user, by time.
  case requestsPerUser = "requests-per-user"
  /// Records, zones and subscriptions that one user saves and deletes, by time.
  case operationsPerUser = "operations-per-user"
  /// Requests with one API token, by time: those of one app, whoever uses it.
  case requestsPerAPIToken = "requests-per-api-token"
  /// What is saved and deleted with one API token, by time.
  case operationsPerAPIToken = "operations-per-api-token"
  /// Requests from one address without a user, by time.
  case anonymousRequestsPerAddress = "anonymous-requests-per-address"
  /// Requests with one API token without a user, by time.
  case anonymousRequestsPerAPIToken = "anonymous-requests-per-api-token"
  /// Streams of notifications that one user holds open.
  case streamsPerUser = "streams-per-user"
  /// Requests that wait to write to one zone.
  case writersPerZone = "writers-per-zone"
  /// Requests that wait for one store.
  case waitingPerStore = "waiting-per-store"
  /// Work of one request on an index that a query needs and that is not there yet.
  case indexBuilding = "index-building"
  /// Connections from one address, or all together.
  case connectionsPerAddress = "connections-per-address"

  /// The fixed sentence of its answers.
  public var reason: String {
    switch self {
    case .requestsPerUser: "too many requests of one user (requests-per-user)"
    case .operationsPerUser: "too many changes of one user (operations-per-user)"
    case .requestsPerAPIToken: "too many requests with one API token (requests-per-api-token)"
    case .operationsPerAPIToken: "too many changes with one API token (operations-per-api-token)"
    case .anonymousRequestsPerAddress:
      "too many anonymous requests from one address (anonymous-requests-per-address)"
    case .anonymousRequestsPerAPIToken:
      "too many anonymous requests with one API token (anonymous-requests-per-api-token)"
    case .streamsPerUser: "too many open streams of one user (streams-per-user)"
    case .writersPerZone: Reason.zoneBusy
    case .waitingPerStore: Reason.storeBusy
    case .indexBuilding: Reason.indexIsBeingBuilt
    case .connectionsPerAddress: Reason.tooManyConnections
    }
  }

  /// The rule whose sentence that is.
  public init?(reason: String) {
    guard let rule = Self.allCases.first(where: { $0.reason == reason }) else { return nil }
    self = rule
  }
}
