/// The limits that make a client retry later. If a request violates a limit, the answer has status
/// 429 or 503. It names the limit in its reason and in the header `X-Stratus-Limit`, which only
/// Stratus sends.
public enum LimitRule: String, Sendable, CaseIterable {
  /// The request rate of one user.
  case requestsPerUser = "requests-per-user"
  /// The rate at which one user saves and deletes records, zones and subscriptions.
  case operationsPerUser = "operations-per-user"
  /// The request rate of one API token, which is one app with all its users.
  case requestsPerAPIToken = "requests-per-api-token"
  /// The rate of saves and deletions with one API token.
  case operationsPerAPIToken = "operations-per-api-token"
  /// The rate of anonymous requests from one address.
  case anonymousRequestsPerAddress = "anonymous-requests-per-address"
  /// The rate of anonymous requests with one API token.
  case anonymousRequestsPerAPIToken = "anonymous-requests-per-api-token"
  /// The number of notification streams that one user has open at the same time.
  case streamsPerUser = "streams-per-user"
  /// The number of other users that one user looks up in an hour.
  case userLookups = "user-lookups"
  /// The number of requests that wait to write to one zone.
  case writersPerZone = "writers-per-zone"
  /// The number of requests that wait for one store.
  case waitingPerStore = "waiting-per-store"
  /// The number of records that one request reads to build the index that its query needs.
  case indexBuilding = "index-building"
  /// The number of expensive requests, or of steps of uploads, of one caller that wait.
  case expensiveRequestsPerCaller = "expensive-requests-per-caller"
  /// The number of connections from one address, or of all connections.
  case connectionsPerAddress = "connections-per-address"

  /// The fixed reason in the answer to a request that violates this limit.
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
    case .userLookups: "too many lookups of other users (user-lookups)"
    case .writersPerZone: Reason.zoneBusy
    case .waitingPerStore: Reason.storeBusy
    case .indexBuilding: Reason.indexIsBeingBuilt
    case .expensiveRequestsPerCaller:
      "too many expensive requests or uploads of one caller (expensive-requests-per-caller)"
    case .connectionsPerAddress: Reason.tooManyConnections
    }
  }

  /// Finds the limit with the given reason.
  public init?(reason: String) {
    guard let rule = Self.allCases.first(where: { $0.reason == reason }) else { return nil }
    self = rule
  }
}
