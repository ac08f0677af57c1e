import HTTPTypes
import StratusServer
import StratusTesting
import Testing

/// The operator's commands for sessions and API tokens.
@Suite struct SessionsOfUsers {
  private static let notes = "iCloud.org.example.Notes"
  private static let place: JSON = [
    "containerID": "iCloud.org.example.Notes", "environment": "development",
  ]

  private func withTokens(
    live: MovedClock? = nil, token: JSON = place,
    _ body: (TestServer, Client) async throws -> Void
  ) async throws {
    try await withServer(live: live?.live ?? Live()) { server in
      try await server.manage("containers/create", ["containerID": "\(Self.notes)"])
      try await server.manage("accounts/create", ["email": "anna@example.org"])
      let answer = try await server.manage("api-tokens/create", token)
      let apiToken: String = try #require(answer["token"].string)
      try await body(
        server,
        Client(
          router: server.router, apiToken: apiToken,
          webAuthToken: try await webToken(server)))
    }
  }

  private func webToken(_ server: TestServer) async throws -> String {
    let body: JSON = [
      "email": "anna@example.org", "containerID": "\(Self.notes)", "environment": "development",
    ]
    return try #require(try await server.manage("web-tokens/create", body)["token"].string)
  }

  @Test func `a session ends after ninety days, however often the caller uses it`() async throws {
    let clock = MovedClock()
    try await withTokens(live: clock) { _, anna in
      var anna = anna
      for _ in 0..<8 {
        clock.move(bySeconds: 11 * 86_400)
        let answer = try await anna.get("users/caller")
        #expect(answer.status == 200)
        anna.webAuthToken = try answer.header("X-Apple-CloudKit-Web-Auth-Token")
      }
      clock.move(bySeconds: 3 * 86_400)
      let answer = try await anna.get("users/caller")
      answer.expectRefusal("after 91 days", code: "AUTHENTICATION_REQUIRED")
    }
  }

  @Test func `a caller whose session has ended is asked to sign in again`() async throws {
    try await withTokens { server, anna in
      #expect(try await anna.get("users/caller").status == 200)
      let list = try await server.manage("web-tokens/list", [:])["webTokens"].array ?? []
      let session = try #require(list.first { $0["email"] == "anna@example.org" })
      #expect(session["containerID"] == "iCloud.org.example.Notes")
      try await server.manage("web-tokens/revoke", ["id": session["id"]])
      let answer = try await anna.get("users/caller")
      answer.expectRefusal("an ended session", code: "AUTHENTICATION_REQUIRED")
      #expect(answer.reason == "the session has ended; sign in again")
      #expect(answer.status == 421)
    }
  }

  /// NB: the clock stands still. Half a second later, the server would read the registry's version,
  /// and would notice a change that has not cleared the cache.
  @Test(arguments: [
    ("accounts/disable", "AUTHENTICATION_FAILED"), ("accounts/restrict", "ACCESS_DENIED"),
    ("web-tokens/revoke", "AUTHENTICATION_REQUIRED"),
  ])
  func `a cached caller whose account or session is closed is refused at the next request`(
    endpoint: String, code: String
  ) async throws {
    try await withTokens(live: MovedClock()) { server, anna in
      let list = try await server.manage("web-tokens/list", [:])["webTokens"].array ?? []
      let session = try #require(list.first { $0["email"] == "anna@example.org" })
      #expect(try await anna.get("users/caller").status == 200)
      try await server.manage(endpoint, ["email": "anna@example.org", "id": session["id"]])
      try await anna.get("users/caller").expectRefusal(endpoint, code: code)
    }
  }

  @Test func `the last use of a session is stored with the precision of an hour`() async throws {
    let clock = MovedClock()
    try await withTokens(live: clock) { server, anna in
      func lastUse() async throws -> JSON? {
        try await server.manage("web-tokens/list", [:])["webTokens"].array?
          .first { $0["email"] == "anna@example.org" }?["lastUsedAt"]
      }
      let begin = try await lastUse()
      clock.move(bySeconds: 3_000)
      _ = try await anna.get("users/caller")
      #expect(try await lastUse() == begin)
      clock.move(bySeconds: 1_000)
      _ = try await anna.get("users/caller")
      #expect(try await lastUse() != begin)
    }
  }

  @Test func `a revoked API token is refused immediately`() async throws {
    try await withTokens { server, anna in
      #expect(try await anna.get("users/caller").status == 200)
      let list = try await server.manage("api-tokens/list", [:])["apiTokens"].array ?? []
      let token = try #require(list.first { $0["containerID"] == "iCloud.org.example.Notes" })
      #expect(token["token"].isNull)
      try await server.manage("api-tokens/revoke", ["id": token["id"]])
      let answer = try await anna.get("users/caller")
      answer.expectRefusal("a revoked API token", code: "AUTHENTICATION_FAILED")
    }
  }

  @Test
  func `web auth tokens of the previous key stay valid, and tokens of older keys do not`()
    async throws
  {
    try await withTokens { server, anna in
      try await server.manage("web-tokens/rotate-key", [:])
      #expect(try await anna.get("users/caller").status == 200)
      var fresh = anna
      fresh.webAuthToken = try await webToken(server)
      try await server.manage("web-tokens/rotate-key", [:])
      #expect(try await fresh.get("users/caller").status == 200)
      let answer = try await anna.get("users/caller")
      answer.expectRefusal("a token of a key that is gone", code: "AUTHENTICATION_FAILED")
    }
  }

  @Test func `a request from an origin that the API token does not list is refused`() async throws {
    let token = Self.place.with("allowedOrigins", ["https://App.example.org"])
    try await withTokens(token: token) { _, anna in
      let cases: [(origin: String?, status: Int)] = [
        (nil, 200), ("https://app.example.org", 200), ("https://evil.example", 403),
        ("http://app.example.org", 403), ("null", 403),
      ]
      for (origin, status) in cases {
        let answer = try await anna.send(
          .get, anna.target("users/caller"), headers: origin.map { ["Origin": $0] } ?? [:])
        #expect(answer.status == status, "\(origin ?? "no origin")")
        let readable = try answer.header("Access-Control-Allow-Origin")
        #expect(readable == (status == 200 ? origin : nil), "\(origin ?? "no origin")")
      }
    }
  }

  @Test(arguments: ["app.example.org", "https://", "https://a.org/path", "ftp://a.org", "*"])
  func `an API token cannot list a malformed origin`(_ origin: String) async throws {
    let token = Self.place.with("allowedOrigins", ["\(origin)"])
    try await withServer { server in
      try await server.manage("containers/create", ["containerID": "\(Self.notes)"])
      let answer = try await Client(router: server.router).send(
        .post, "/management/1/api-tokens/create",
        headers: ["Authorization": "Bearer \(server.managementToken)"], body: token.bytes)
      #expect(answer.status == 400)
    }
  }

  @Test func `an account that is enabled again is accepted again`() async throws {
    try await withTokens { server, anna in
      try await server.manage("accounts/disable", ["email": "anna@example.org"])
      #expect(try await anna.get("users/caller").status == 401)
      try await server.manage("accounts/enable", ["email": "anna@example.org"])
      #expect(try await anna.get("users/caller").status == 200)
    }
  }

  @Test func `a container created under a deleted container's name is empty`() async throws {
    try await withTokens { server, anna in
      try await anna.makeZone("Work")
      try await server.manage("containers/delete", ["containerID": "\(Self.notes)"])
      #expect(try await anna.get("users/caller").status == 401)
      let containers = try await server.manage("containers/list", [:])["containers"].array ?? []
      #expect(!containers.contains("iCloud.org.example.Notes"))
      try await server.manage("containers/create", ["containerID": "\(Self.notes)"])
      let token = try await server.manage("api-tokens/create", Self.place)["token"].string
      let again = Client(
        router: server.router, apiToken: token, webAuthToken: try await webToken(server))
      let zones = try await again.get("zones/list").json["zones"].array ?? []
      #expect(zones.map { $0["zoneID"]["zoneName"] } == ["_defaultZone"])
    }
  }

  @Test func `a user cannot write the roles of a user record`() async throws {
    try await withTokens { _, anna in
      let name = try #require(
        try await anna.get("users/caller").json["userRecordName"].string)
      var anna = anna
      anna.database = "public"
      func save(_ fields: JSON) async throws -> JSON {
        let record: JSON = [
          "recordName": "\(name)", "recordType": "Users", "fields": fields,
        ]
        let operation: JSON = ["operationType": "forceUpdate", "record": record]
        return try await anna.post("records/modify", ["operations": [operation]])["records"][0]
      }
      #expect(try await save(["nick": ["value": "A"]])["serverErrorCode"].isNull)
      let refused = try await save(["roles": ["value": [1], "type": "INT64_LIST"]])
      #expect(refused["serverErrorCode"] == "ACCESS_DENIED")
    }
  }

  @Test func `ended sessions are removed even if no operator lists the sessions`() async throws {
    let clock = MovedClock()
    try await withTokens(live: clock) { server, _ in
      let before = try await server.sessionCount
      clock.move(bySeconds: 91 * 86_400)
      try await server.forgetEndedSessions()
      #expect(try await (before > 0, server.sessionCount) == (true, 0))
    }
  }
}
