import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// The table of the page `docs/internals/console.md`: the roles that may call each endpoint.
let consoleRights: [(path: String, roles: Set<TeamRole>)] = [
  ("status", [.owner, .developer, .operator, .auditor]),
  ("containers/list", [.owner, .developer, .operator, .auditor]),
  ("containers/create", [.owner, .operator]),
  ("containers/configure", [.owner, .operator]),
  ("containers/delete", [.owner, .operator]),
  ("schema/indexes/drop", [.owner, .operator]),
  ("schema/export", [.owner, .developer, .operator, .auditor]),
  ("schema/describe", [.owner, .developer, .operator, .auditor]),
  ("schema/indexes", [.owner, .developer, .operator, .auditor]),
  ("schema/retiring", [.owner, .developer, .operator, .auditor]),
  ("roles/list", [.owner, .developer, .operator, .auditor]),
  ("permissions/explain", [.owner, .developer]),
  ("schema/change", [.owner]),
  ("schema/retire", [.owner]),
  ("schema/reset", [.owner, .developer]),
  ("api-tokens/create", [.owner, .developer]),
  ("api-tokens/list", [.owner, .developer]),
  ("api-tokens/revoke", [.owner, .developer]),
  ("server-keys/add", [.owner, .developer]),
  ("server-keys/list", [.owner, .developer]),
  ("server-keys/revoke", [.owner, .developer]),
  ("accounts/create", [.owner, .operator]),
  ("accounts/list", [.owner, .operator]),
  ("accounts/enable", [.owner, .operator]),
  ("accounts/disable", [.owner, .operator]),
  ("accounts/restrict", [.owner, .operator]),
  ("accounts/unrestrict", [.owner, .operator]),
  ("web-tokens/list", [.owner, .operator]),
  ("web-tokens/revoke", [.owner, .operator]),
  ("quotas/show", [.owner, .operator]),
  ("quotas/set", [.owner, .operator]),
  ("roles/grant", [.owner]),
  ("roles/revoke", [.owner]),
  ("requests/list", [.owner, .developer, .operator, .auditor]),
  ("devices/list", [.owner, .developer, .operator, .auditor]),
  ("audit/list", [.owner, .operator, .auditor]),
  ("telemetry/fetch", [.owner, .developer, .operator, .auditor]),
  // Only commands use the following endpoints. The console refuses them to every role.
  ("accounts/configure", []),
  ("accounts/invite", []),
  ("versions/restore", []),
  ("versions/show", []),
  ("accounts/delete", []),
  ("accounts/receipts", []),
  ("accounts/export", []),
  ("accounts/import", []),
  ("web-tokens/create", []),
  ("web-tokens/rotate-key", []),
  ("schema/deploy", []),
  ("team/add", []),
  ("nodes/list", []),
  ("nodes/drain", []),
]

@Suite struct `Roles in the console` {
  /// A request body that names a container that does not exist, so that no request changes
  /// anything.
  private let body: JSON = [
    "containerID": "iCloud.org.example.None", "environment": "production",
    "email": "nobody@example.org", "role": "x", "id": "x",
  ]

  @Test(arguments: TeamRole.allCases)
  func `a member may call exactly the endpoints that the table allows for the member's team role`(
    _ role: TeamRole
  ) async throws {
    try await ConsoleScene.with { scene in
      let browser = try await scene.browser(of: role)
      for (path, roles) in consoleRights {
        let answer = try await browser.call("management/" + path, body)
        let isUnknown = answer.json["reason"] == "\(Reason.endpointUnknown)"
        #expect(isUnknown == roles.isEmpty, "\(path): \(answer.json)")
        let isRefused = answer.status == 403
        let isAddress = path == "roles/list" && role != .owner && role != .operator
        #expect(isRefused == (!roles.isEmpty && !roles.contains(role)) || isAddress, "\(path)")
      }
    }
  }

  @Test func `the test's table of team roles contains each management endpoint`() async throws {
    try await ConsoleScene.with { scene in
      let known = Set(consoleRights.map(\.path))
      let paths = scene.router.managementPaths.filter { !$0.hasPrefix("team/") }
      #expect(Set(paths).subtracting(known) == [])
    }
  }

  @Test
  func `a caller without a session learns only the set-up state, the version and the server's URL`()
    async throws
  {
    try await ConsoleScene.with { scene in
      _ = try await scene.ownersBrowser()
      let browser = scene.browser
      for (path, _) in consoleRights {
        #expect(try await browser.call("management/" + path, body).status == 401, "\(path)")
      }
      for path in [
        "team/list", "team/add", "session/confirm", "session/sign-out", "x",
        "database/\(ConsoleScene.container)/development/public/records/query",
      ] {
        #expect(try await browser.call(path).status == 401, "\(path)")
      }
      let session = try await browser.call("session/fetch").json
      #expect(
        session.keys == ["isSetUp", "version", "serverURL", "permissions", "containerIDs"])
      #expect(session["containerIDs"] == [])
    }
  }

  @Test(arguments: [TeamRole.developer, .operator, .auditor])
  func `only an owner manages the team`(_ role: TeamRole) async throws {
    try await ConsoleScene.with { scene in
      let browser = try await scene.browser(of: role)
      for path in ["team/list", "team/add", "team/configure", "team/remove"] {
        #expect(try await browser.call(path, body).status == 403, "\(path)")
      }
    }
  }

  @Test func `a member whose role changes loses the old role with the next request`() async throws {
    try await ConsoleScene.with { scene in
      let owner = try await scene.ownersBrowser()
      let developer = try await scene.browser(of: .developer)
      #expect(try await developer.call("management/api-tokens/list").status == 200)
      let change: JSON = ["email": "developer@example.org", "role": "auditor"]
      #expect(try await owner.call("team/configure", change).status == 200)
      #expect(try await developer.call("management/api-tokens/list").status == 403)
      #expect(try await owner.call("team/remove", change).status == 200)
      #expect(try await developer.call("management/status").status == 401)
    }
  }
}
