import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// A server with the callers of the authorization matrix in one environment, and their things:
/// records of all types, zones, subscriptions, shares and notification tokens.
struct AccessScene {
  let environment: String
  private let console: ConsoleScene
  let apiToken: String
  private let limitedToken: String
  private let key: SigningClient
  private var webTokens: [AccessCaller: String] = [:]
  private var browsers: [AccessCaller: ConsoleBrowser] = [:]
  var names: [AccessCaller: String] = [:]
  var tags: [String: JSON] = [:]
  var shares: [AccessCaller: JSON] = [:]
  var couriers: [AccessCaller: JSON] = [:]
  /// Whether all things are made. Before that, the caller `wrongOrigin` sends no origin, so that it
  /// can make its things.
  private var isReady = false

  /// The public key of every user, in base64.
  static let publicKey = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
  private static let origin = "https://app.example.org"

  var server: TestServer { console.server }

  init(_ console: ConsoleScene, in environment: String) async throws {
    (self.console, self.environment) = (console, environment)
    let server = console.server
    let place: JSON = [
      "containerID": "\(ConsoleScene.container)", "environment": .string(environment),
    ]
    let open = try await server.manage("api-tokens/create", place.with("name", "open"))
    let limited = try await server.manage(
      "api-tokens/create", place.with("allowedOrigins", [.string(Self.origin)]))
    apiToken = try #require(open["token"].string)
    limitedToken = try #require(limited["token"].string)
    key = try await SigningClient(
      server, clock: console.clock, container: ConsoleScene.container, environment: environment)
    try await makeAccounts()
    try await makeSchema()
    try await makeThings()
    try await useGrants()
    try await endSessions()
  }

  // The callers

  private mutating func makeAccounts() async throws {
    for caller in AccessCaller.allCases where caller.hasAccount {
      try await server.manage(
        "accounts/create",
        ["email": .string(caller.email), "password": .string(ConsoleScene.password)])
      // Only some of the callers have agreed to be found.
      try await server.manage(
        "accounts/configure",
        ["email": .string(caller.email), "isDiscoverable": .bool(caller.isFound)])
      try await renewToken(of: caller)
      names[caller] = try await client(caller, .public).userName()
    }
    names[.serverKey] = key.user
    for (caller, role) in [
      (.consoleOperator, "operator"), (.consoleDeveloper, "developer"),
    ] as [(AccessCaller, JSON)] {
      try await server.manage("team/add", ["email": .string(caller.email), "role": role])
    }
  }

  private mutating func renewToken(of caller: AccessCaller) async throws {
    let made = try await server.manage(
      "web-tokens/create",
      [
        "email": .string(caller.email), "containerID": "\(ConsoleScene.container)",
        "environment": .string(environment),
      ])
    webTokens[caller] = made["token"].string
  }

  /// Lets all sessions expire, and gives a new session to every caller except `expired`. Then ends
  /// or limits the access of the callers `revoked`, `disabled` and `restricted`.
  private mutating func endSessions() async throws {
    console.clock.move(bySeconds: 91 * 86_400)
    for caller in AccessCaller.allCases where caller.hasAccount && caller != .expired {
      try await renewToken(of: caller)
    }
    for caller in AccessCaller.allCases where caller.isUser && caller != .expired {
      let made = try await ask(caller, .device, "tokens/create", ["apnsEnvironment": "development"])
      couriers[caller] = made["apnsToken"]
    }
    for caller in AccessCaller.allCases where caller.isInConsole {
      let browser = console.browser
      let answer = try await browser.call(
        "session/sign-in",
        ["email": .string(caller.email), "password": .string(ConsoleScene.password)])
      try #require(answer.status == 200, "\(answer.json)")
      browsers[caller] = browser
    }
    let sessions = try await server.manage("web-tokens/list", [:])["webTokens"].array ?? []
    for session in sessions where session["email"].string == AccessCaller.revoked.email {
      try await server.manage("web-tokens/revoke", ["id": session["id"]])
    }
    try await server.manage("accounts/disable", ["email": .string(AccessCaller.disabled.email)])
    try await server.manage("accounts/restrict", ["email": .string(AccessCaller.restricted.email)])
    isReady = true
  }

  func client(_ caller: AccessCaller, _ database: AccessDatabase) -> Client {
    Client(
      router: server.router, environment: environment,
      database: database == .device ? "private" : database.rawValue,
      apiToken: caller == .management || caller == .anonymous ? nil : apiToken,
      webAuthToken: webTokens[caller], extraQuery: "clientId=device-\(caller)")
  }

  // Requests

  private struct Answer {
    let status: Int
    let json: JSON
  }

  /// Sends a request with the credentials of a caller.
  private func send(
    _ caller: AccessCaller, _ database: AccessDatabase, _ endpoint: String, _ body: JSON
  ) async throws -> Answer {
    var client = client(caller, database)
    if let browser = browsers[caller] {
      let place = "\(client.container)/\(environment)/\(client.database)"
      let answer = try await browser.call("database/\(place)/\(endpoint)", body)
      return Answer(status: answer.status, json: answer.json)
    }
    // NB: the bytes are made once, because each encoding may have another order of keys, and the
    // signature covers the bytes.
    let bytes = try body.bytes
    if caller == .wrongOrigin { client.apiToken = limitedToken }
    if caller == .serverKey { client.apiToken = nil }
    let target =
      database == .device ? client.deviceTarget(endpoint) : client.target(endpoint)
    var headers: [String: String] = [:]
    switch caller {
    case .management: headers["Authorization"] = "Bearer \(server.managementToken)"
    case .wrongOrigin where isReady: headers["Origin"] = "https://evil.example"
    case .serverKey: headers = try key.headers(target: target, body: bytes)
    default: break
    }
    let answer = try await client.send(.post, target, headers: headers, body: bytes)
    return Answer(status: answer.status, json: answer.json)
  }

  /// Sends a request that must succeed.
  @discardableResult
  func ask(
    _ caller: AccessCaller, _ database: AccessDatabase, _ endpoint: String, _ body: JSON
  ) async throws -> JSON {
    let answer = try await send(caller, database, endpoint, body)
    try #require(
      answer.status == 200 && Self.itemCode(answer.json) == nil,
      "\(caller) \(endpoint): \(answer.json)")
    return answer.json
  }

  /// Returns the first error code among the items of an answer.
  private static func itemCode(_ json: JSON) -> String? {
    for list in ["records", "zones", "subscriptions", "results", "tokens", "assets"] {
      for item in json[list].array ?? [] {
        if let code = item["serverErrorCode"].string { return code }
      }
    }
    return nil
  }

  /// Sends the request of a cell, and returns the result in the words of ``AccessRules``.
  func result(of cell: AccessCell) async throws -> String {
    let answer = try await send(
      cell.caller, cell.database, cell.attempt.endpoint, cell.attempt.body(target(of: cell)))
    if answer.status != 200 {
      return "\(answer.status) \(answer.json["serverErrorCode"].string ?? "")"
    }
    if let code = Self.itemCode(answer.json) { return code }
    switch cell.attempt.endpoint {
    case "records/query":
      let found = (answer.json["records"].array ?? []).map { $0["recordName"].string }
      return found.contains(cell.recordName) ? "found" : "not found"
    case "users/discover", "users/lookup/id", "users/lookup/email":
      let found = (answer.json["users"].array ?? []).filter { !$0["userRecordName"].isNull }
      return found.contains { $0["serverErrorCode"].isNull } ? "found" : "not found"
    default: break
    }
    return "ok"
  }

  /// Sends a request for a page with the credentials of a caller, but without the cookies of a
  /// browser that is signed in.
  ///
  /// - Returns: the status, the target of a redirect, and the text without random parts.
  func page(_ path: String, isPost: Bool, as caller: AccessCaller) async throws -> String {
    let browser = Browser(server)
    let client = client(caller, .public)
    let query = [
      client.apiToken.map { "ckAPIToken=" + $0 },
      client.webAuthToken.map { "ckWebAuthToken=" + Client.encode($0) },
    ].compactMap { $0 }.joined(separator: "&")
    let target = query.isEmpty ? path : path + "?" + query
    switch caller {
    case .management: browser.fields["Authorization"] = "Bearer \(server.managementToken)"
    case .wrongOrigin: browser.fields["Origin"] = "https://evil.example"
    case .serverKey: browser.fields.merge(try key.headers(target: target, body: [])) { $1 }
    default: browser.fields["Authorization"] = webTokens[caller].map { "Bearer " + $0 }
    }
    let form: [String: String]? =
      isPost ? ["email": caller.email, "password": ConsoleScene.password] : nil
    let answer = try await browser.send(isPost ? .post : .get, target, form)
    let text = answer.textWithoutChallenge.replacing(/name="form" value="[^"]*"/, with: "")
    return "\(answer.status) \(answer.location ?? "") \(text)"
  }

  /// Sends a request to the operator's interface with the credentials of a caller.
  ///
  /// - Returns: "allowed", or the status and the code of the refusal.
  func management(_ path: String, _ body: JSON, as caller: AccessCaller) async throws -> String {
    let answer: Answer
    if let browser = browsers[caller] {
      let sent = try await browser.call("management/" + path, body)
      answer = Answer(status: sent.status, json: sent.json)
    } else {
      let target = "/management/1/" + path
      let bytes = try body.bytes
      var headers: [String: String] = [:]
      switch caller {
      case .anonymous: break
      case .management: headers["Authorization"] = "Bearer \(server.managementToken)"
      case .apiToken: headers["Authorization"] = "Bearer \(apiToken)"
      case .serverKey: headers = try key.headers(target: target, body: bytes)
      default: headers["Authorization"] = "Bearer \(webTokens[caller] ?? "")"
      }
      let sent = try await Client(router: server.router).send(
        .post, target, headers: headers, body: bytes)
      answer = Answer(status: sent.status, json: sent.json)
    }
    let isUnknown = answer.json["reason"].string == Reason.endpointUnknown
    guard isUnknown || [401, 403].contains(answer.status) else { return "allowed" }
    return "\(answer.status) \(answer.json["serverErrorCode"].string ?? "")"
  }
}
