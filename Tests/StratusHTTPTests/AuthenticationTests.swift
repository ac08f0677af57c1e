import HTTPTypes
import StratusServer
import StratusTesting
import Testing

/// API tokens and web auth tokens.
@Suite struct AuthenticationOfRequests {
  static let notes = "iCloud.org.example.Notes"
  static let other = "iCloud.org.example.Other"

  /// Creates an API token for one container in one environment, as an operator does.
  private func apiToken(
    _ server: TestServer, _ container: String = notes, _ environment: String = "development"
  ) async throws -> String {
    let body: JSON = ["containerID": "\(container)", "environment": "\(environment)"]
    return try #require(try await server.manage("api-tokens/create", body)["token"].string)
  }

  private func webToken(
    _ server: TestServer, _ container: String = notes, _ environment: String = "development"
  ) async throws -> String {
    let body: JSON = [
      "email": "anna@example.org", "containerID": "\(container)",
      "environment": "\(environment)",
    ]
    return try #require(try await server.manage("web-tokens/create", body)["token"].string)
  }

  private func withOperator(
    live: MovedClock? = nil, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withServer(live: live?.live ?? Live()) { server in
      for container in [Self.notes, Self.other] {
        try await server.manage("containers/create", ["containerID": "\(container)"])
      }
      try await server.manage("accounts/create", ["email": "anna@example.org"])
      try await body(server)
    }
  }

  private func client(_ server: TestServer, api: String?, web: String?) -> Client {
    Client(router: server.router, apiToken: api, webAuthToken: web)
  }

  private func expectFailure(
    _ client: Client, _ what: String, reason: String = "Authentication failed",
    code: String = "AUTHENTICATION_FAILED"
  ) async throws {
    let answer = try await client.get("users/caller")
    answer.expectRefusal(what, code: code)
    #expect(answer.reason == reason, "\(what)")
    #expect(try answer.header("X-Apple-CloudKit-Web-Auth-Token") == nil)
  }

  @Test func `a request with valid tokens is accepted`() async throws {
    try await withOperator { server in
      let api = try await apiToken(server)
      let web = try await webToken(server)
      #expect(api.wholeMatch(of: /[0-9a-f]{64}/) != nil)
      #expect(web.wholeMatch(of: /[A-Za-z0-9+\/=_]{100,}/) != nil)
      #expect(try await client(server, api: api, web: web).get("users/caller").status == 200)
    }
  }

  @Test func `an API token is valid for one container and environment only`() async throws {
    try await withOperator { server in
      var caller = client(server, api: try await apiToken(server), web: nil)
      caller.database = "public"
      #expect(try await caller.get("zones/list").status == 200)
      caller.environment = "production"
      try await expectFailure(caller, "another environment")
      (caller.environment, caller.container) = ("development", Self.other)
      try await expectFailure(caller, "another container")
      // The answer does not reveal which containers exist.
      caller.container = "iCloud.org.example.None"
      try await expectFailure(caller, "a container that does not exist")
    }
  }

  @Test func `a missing, a wrong and a malformed API token give the same error`() async throws {
    try await withOperator { server in
      let api = try await apiToken(server)
      let web = try await webToken(server)
      let wrong = [
        nil, "", String(api.reversed()), api.uppercased(), String(api.dropLast()), api + "0",
        "*", "%", "%00", "%FF%FE", String(repeating: "a", count: 10_000), "';drop table--",
      ]
      for token in wrong where token != api {
        let caller = client(server, api: token, web: web)
        try await expectFailure(caller, "API token \(token?.prefix(40) ?? "none")")
      }
    }
  }

  @Test func `an invalid web auth token is refused, not treated as missing`() async throws {
    try await withOperator { server in
      let api = try await apiToken(server)
      let web = try await webToken(server)
      let wrong = [
        "x", String(web.reversed()), String(web.dropLast(4)), web + "AAAA", "null",
        String(repeating: "A", count: web.count), String(repeating: "A", count: 10_000),
      ]
      for token in wrong {
        try await expectFailure(client(server, api: api, web: token), token)
      }
    }
  }

  @Test func `a web auth token with an altered character is refused`() async throws {
    try await withOperator { server in
      let api = try await apiToken(server)
      let web = Array(try await webToken(server))
      for index in web.indices {
        var altered = web
        altered[index] = altered[index] == "A" ? "B" : "A"
        guard altered != web else { continue }
        let answer = try await client(server, api: api, web: String(altered)).get("users/caller")
        #expect(answer.status == 401, "altered at \(index)")
      }
    }
  }

  @Test func `a web auth token is valid for one container and environment only`() async throws {
    try await withOperator { server in
      let web = try await webToken(server)
      for (container, environment) in [
        (Self.other, "development"), (Self.notes, "production"),
      ] {
        let api = try await apiToken(server, container, environment)
        var caller = client(server, api: api, web: web)
        (caller.container, caller.environment) = (container, environment)
        try await expectFailure(caller, "\(container) \(environment)")
      }
    }
  }

  @Test func `a disabled account is refused immediately`() async throws {
    try await withOperator { server in
      let caller = client(server, api: try await apiToken(server), web: try await webToken(server))
      #expect(try await caller.get("users/caller").status == 200)
      try await server.manage("accounts/disable", ["email": "anna@example.org"])
      try await expectFailure(
        caller, "a disabled account", reason: "the account is disabled")
    }
  }

  @Test func `a web auth token that is unused for two weeks expires`() async throws {
    let clock = MovedClock()
    try await withOperator(live: clock) { server in
      let caller = client(server, api: try await apiToken(server), web: try await webToken(server))
      #expect(try await caller.get("users/caller").status == 200)
      clock.move(bySeconds: 13 * 86_400)
      #expect(try await caller.get("users/caller").status == 200)
      clock.move(bySeconds: 2 * 86_400)
      try await expectFailure(
        caller, "after fifteen days", reason: "the session has ended; sign in again",
        code: "AUTHENTICATION_REQUIRED")
      #expect(try await caller.get("users/caller").status == 421)
    }
  }

  @Test func `a rotated web auth token works, and the old token stays valid`() async throws {
    let clock = MovedClock()
    try await withOperator(live: clock) { server in
      let api = try await apiToken(server)
      let first = try await webToken(server)
      let name = "X-Apple-CloudKit-Web-Auth-Token"
      clock.move(bySeconds: 10 * 86_400)
      let answer = try await client(server, api: api, web: first).get("users/caller")
      let second = try #require(try answer.header(name))
      #expect(second != first)
      let next = try await client(server, api: api, web: second).get("users/caller")
      #expect(next.status == 200)
      #expect(next.json == answer.json)
      #expect(try await client(server, api: api, web: first).get("users/caller").status == 200)
      clock.move(bySeconds: 10 * 86_400)
      #expect(try await client(server, api: api, web: second).get("users/caller").status == 200)
      try await expectFailure(
        client(server, api: api, web: first), "the first after twenty days",
        reason: "the session has ended; sign in again", code: "AUTHENTICATION_REQUIRED")
    }
  }

  @Test
  func `the operator's endpoints refuse requests without the operator's token`() async throws {
    try await withOperator { server in
      let caller = client(server, api: nil, web: nil)
      for header in [nil, "", "Bearer", "Bearer x", server.managementToken] {
        for endpoint in ["containers/list", "accounts/list", "no/such"] {
          let answer = try await caller.send(
            .post, "/management/1/\(endpoint)",
            headers: header.map { ["Authorization": $0] } ?? [:])
          answer.expectRefusal("\(endpoint) with \(header ?? "nothing")")
          #expect(answer.status == 401)
        }
      }
    }
  }
}
