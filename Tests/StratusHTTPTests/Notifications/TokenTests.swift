import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusPush
import StratusTesting
import StratusWire
import Testing

/// The endpoints `tokens/create` and `tokens/register`.
@Suite struct Tokens {
  static let request: JSON = ["apnsEnvironment": "development"]

  @Test(arguments: [
    ("device", ""), ("device", "/private"), ("device", "/public"), ("database", ""),
    ("database", "/private"), ("database", "/public"),
  ])
  func `a notification token can be created at each path that clients use`(
    _ root: String, _ scope: String
  )
    async throws
  {
    try await withAnna { anna in
      let answer = try await anna.send(
        .post, anna.deviceTarget("tokens/create", root: root, scope: scope),
        body: Self.request.bytes)
      #expect(answer.status == 200)
      #expect(answer.json["apnsEnvironment"] == "development")
      let token = try #require(answer.json["apnsToken"].string)
      #expect(answer.json["webcourierURL"].string == "http://stratus.test/push/\(token)")
    }
  }

  @Test(arguments: [
    "tokens/create", "tokens/register", "notifications/acknowledge", "notifications/changes",
    "notifications/read", "notifications/badge",
  ])
  func `an anonymous caller has neither devices nor notifications`(_ endpoint: String)
    async throws
  {
    try await withServer { server in
      let bodies: [String: JSON] = [
        "tokens/register": ["apnsEnvironment": "development", "apnsToken": "00"],
        "notifications/acknowledge": ["through": 1], "notifications/badge": ["badge": 1],
        "notifications/read": ["notificationIDs": []],
      ]
      let answer = try await server.otherUser.ask(
        endpoint, as: "c", bodies[endpoint] ?? Self.request)
      #expect(answer.status == 421)
      answer.expectRefusal(endpoint, code: "AUTHENTICATION_REQUIRED")
    }
  }

  @Test func `endpoints that do not concern devices are not found at device paths`() async throws {
    try await withAnna { anna in
      for target in [
        anna.deviceTarget("zones/list"), anna.deviceTarget("zones/list", scope: "/private"),
        anna.deviceTarget("zones/list", root: "database"),
      ] {
        let answer = try await anna.send(.post, target)
        #expect(answer.status == 404)
      }
    }
  }

  @Test
  func `a request for a notification token must name a known APNs environment`() async throws {
    try await withAnna { anna in
      for body in [[:], ["apnsEnvironment": "sandbox"]] as [JSON] {
        let answer = try await anna.ask("tokens/create", as: "c", body)
        answer.expectRefusal("\(body)", code: "BAD_REQUEST")
      }
    }
  }

  @Test
  func `a device always gets the same token, and each device has a token of its own`()
    async throws
  {
    try await withAnna { anna in
      var tokens: [String] = []
      for id in ["c", "c", "d"] {
        let answer = try await anna.ask("tokens/create", as: id, Self.request)
        tokens.append(try #require(answer.json["apnsToken"].string))
      }
      #expect(tokens[0] == tokens[1])
      #expect(tokens[0] != tokens[2])
    }
  }

  @Test func `a token that this server issued can be registered again`() async throws {
    try await withAnna { anna in
      let made = try await anna.ask("tokens/create", as: "c", Self.request).json
      let again = try await anna.ask(
        "tokens/register", as: "c", Self.request.with("apnsToken", made["apnsToken"])
      ).json
      #expect(again == made)
    }
  }

  @Test func `a token from Apple has no URL for polling`() async throws {
    try await withAnna { anna in
      let token = String(repeating: "aB", count: 32)
      let answer = try await anna.ask(
        "tokens/register", as: "c", Self.request.with("apnsToken", .string(token)))
      #expect(answer.status == 200)
      #expect(answer.json["apnsToken"].string == token)
      #expect(answer.json["webcourierURL"].isNull)
    }
  }

  @Test(arguments: ["", "not hex", "../../etc/passwd", String(repeating: "a", count: 513)])
  func `a malformed notification token is refused`(_ token: String) async throws {
    try await withAnna { anna in
      let answer = try await anna.ask(
        "tokens/register", as: "c", Self.request.with("apnsToken", .string(token)))
      answer.expectRefusal(token, code: "BAD_REQUEST")
    }
  }

  /// CloudKit JS registers the token of its first container with the second container. CloudKit JS
  /// then polls the URL in the second answer.
  @Test
  func `the URL from a second container also delivers the notifications of the first container`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      var tasks = anna
      tasks.container = "iCloud.org.example.Tasks"
      let made = try await anna.ask("tokens/create", as: "c", Self.request).json
      let both = try await tasks.ask(
        "tokens/register", as: "c", Self.request.with("apnsToken", made["apnsToken"])
      ).json
      #expect(both["apnsToken"] != made["apnsToken"])
      try await server.queue("1", for: try await anna.userName())
      let running = Task { await server.hub.run() }
      let (head, body) = try await anna.open(try both["webcourierURL"].target)
      #expect(head.status == .ok)
      var bodies = body.makeAsyncIterator()
      let text = try #require(await bodies.next())
      #expect(try JSON(parsing: text)["ck"]["nid"] == "1")
      running.cancel()
      await running.value
    }
  }

  @Test
  func `a token that another user registers delivers none of the first user's notifications`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let bert = try await server.client("bert@example.org")
      let made = try await anna.ask("tokens/create", as: "c", Self.request).json
      try await server.queue("1", for: try await anna.userName())
      _ = try await bert.ask(
        "tokens/register", as: "c", Self.request.with("apnsToken", made["apnsToken"]))
      try await server.queue("2", for: try await anna.userName())
      try await server.queue("3", for: try await bert.userName())
      let running = Task { await server.hub.run() }
      let (_, body) = try await anna.open(try made["webcourierURL"].target)
      var bodies = body.makeAsyncIterator()
      let text = try #require(await bodies.next())
      #expect(try JSON(parsing: text)["ck"]["nid"] == "3")
      running.cancel()
      await running.value
    }
  }

  @Test func `a poll with an unknown token gives status 404`() async throws {
    try await withAnna { anna in
      let made = try await anna.ask("tokens/create", as: "c", Self.request).json
      let target = try made["webcourierURL"].target
      for wrong in ["/push/x", "/push/" + String(repeating: "A", count: 200), target + "A"] {
        let (head, body) = try await anna.open(wrong)
        #expect(head.status == .notFound)
        var bodies = body.makeAsyncIterator()
        let json = try JSON(parsing: try #require(await bodies.next()))
        #expect(json["serverErrorCode"] == "NOT_FOUND")
      }
    }
  }
}
