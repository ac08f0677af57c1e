import StratusHTTP
import StratusTesting
import Testing

@Suite struct `The audit log` {
  private func entries(_ server: TestServer, _ body: JSON = [:]) async throws -> [JSON] {
    try #require(try await server.manage("audit/list", body)["entries"].array)
  }

  @Test func `each change by the operator makes an audit entry that names the account`()
    async throws
  {
    try await withServer { server in
      try await server.manage("accounts/create", ["email": "ann@example.org"])
      try await server.manage("accounts/disable", ["email": "ANN@example.org"])
      let found = try await entries(server)
      #expect(found.map { $0["action"] } == ["accounts/disable", "accounts/create"])
      #expect(found.map { $0["account"] } == ["ann@example.org", "ann@example.org"])
      #expect(found.map { $0["actor"] } == ["operator", "operator"])
    }
  }

  @Test func `requests that only read or that fail make no audit entries`() async throws {
    try await withServer { server in
      try await server.manage("containers/create", ["containerID": "iCloud.test.a"])
      let reads = server.router.managementPaths.filter {
        $0.hasSuffix("/list") || $0.hasSuffix("/show") || $0 == "schema/export"
          || ["schema/describe", "schema/indexes", "schema/retiring", "status"].contains($0)
      }
      #expect(reads.count > 12)
      for path in reads {
        let body: JSON = ["containerID": "iCloud.test.a", "environment": "development"]
        let answer = try await server.managementAnswer(path, body)
        // NB: the list of devices also needs a user's code, and this server keeps no request log.
        let isRefused = ["devices/list", "requests/list"].contains(path)
        #expect((answer.status == 200) != isRefused, "\(path): \(answer.json)")
      }
      let refused = try await server.managementAnswer(
        "accounts/disable", ["email": "ann@example.org"])
      #expect(refused.status == 404)
      #expect(try await entries(server).map { $0["action"] } == ["containers/create"])
    }
  }

  @Test func `an audit entry about a container names the container and the environment`()
    async throws
  {
    try await withServer { server in
      try await server.manage("containers/create", ["containerID": "iCloud.test.a"])
      let token = try await server.manage(
        "api-tokens/create",
        ["containerID": "iCloud.test.a", "environment": "production", "name": "Web"])
      let found = try await entries(server)
      #expect(found[0]["containerID"] == "iCloud.test.a")
      #expect(found[0]["environment"] == "production")
      #expect(found[0]["subject"] == "Web")
      #expect(found[1]["action"] == "containers/create")
      // NB: the log must not contain the token.
      let text = try #require(token["token"].string)
      #expect(!"\(found)".contains(text))
    }
  }

  @Test func `the audit log can be read for one account and page by page`() async throws {
    try await withServer { server in
      for name in ["ann", "bob", "ann"] {
        _ = try await server.managementAnswer(
          "accounts/create", ["email": "\(name)@example.org"])
      }
      try await server.manage("accounts/disable", ["email": "ann@example.org"])
      let ofAnn = try await entries(server, ["email": "ann@example.org"])
      #expect(ofAnn.map { $0["action"] } == ["accounts/disable", "accounts/create"])
      let all = try await entries(server, ["limit": 1])
      let rest = try await entries(server, ["before": all[0]["number"]])
      #expect(
        rest.map { $0["account"] } == ["bob@example.org", "ann@example.org"])
    }
  }

  @Test func `the account page shows that the operator has made a token for the account`()
    async throws
  {
    try await SignInScene.with { scene in
      let before = try await scene.browser.signIn()
      #expect(!before.text.contains("made a token that opens your data"))
      try await scene.server.manage("containers/create", ["containerID": "iCloud.test.seen"])
      try await scene.server.manage(
        "web-tokens/create",
        [
          "email": "\(SignInScene.email)", "containerID": "iCloud.test.seen",
          "environment": "production",
        ])
      let page = try await scene.browser.signIn()
      #expect(
        page.text.contains(
          "The operator made a token that opens your data for iCloud.test.seen (production)"))
    }
  }

  @Test func `a change by a member of the team is not attributed to the operator`() async throws {
    try await ConsoleScene.with { scene in
      let (owner, email) = (try await scene.ownersBrowser(), "ann@example.org")
      try await scene.server.manage(
        "accounts/create", ["email": "\(email)", "password": "\(ConsoleScene.password)"])
      let browser = Browser(scene.server)
      _ = try await browser.signIn(email: email, password: ConsoleScene.password)
      let answer = try await owner.call("management/accounts/restrict", ["email": "\(email)"])
      #expect(answer.status == 200, "\(answer.json)")
      #expect(
        scene.log.text.contains(
          "the member '\(ConsoleScene.owner)' of the team restricted the account '\(email)'"))
      let page = try await browser.get("/account")
      #expect(page.text.contains("The operator created the account"))
      #expect(page.text.contains("A member of the team restricted the account"))
      // The page does not disclose the member.
      #expect(!page.text.contains(ConsoleScene.owner))
      let data = try await browser.get("/account/data")
      #expect(data.text.contains("The operator or a member of the team has restricted"))
    }
  }

  @Test func `a password that a user changes makes an audit entry of the user`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let page = try await browser.signIn()
      _ = try await browser.submit(
        page, "/account/password",
        ["current": SignInScene.password, "password": "nine red bicycles"])
      let found = try await entries(scene.server, ["email": "\(SignInScene.email)"])
      let changes = found.filter { $0["subject"].string?.contains("password") == true }
      #expect(changes.count == 1)
      #expect(changes.first?["actor"] == "user")
    }
  }
}
