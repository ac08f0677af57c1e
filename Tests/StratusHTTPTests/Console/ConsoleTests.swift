import StratusTesting
import StratusWire
import Testing

@Suite struct `The console` {
  @Test func `every path of a screen gets the page, with a strict security policy`() async throws {
    try await ConsoleScene.with { scene in
      for path in ["/", "/records?container=x", "/nowhere"] {
        let page = try await scene.browser.get(path)
        #expect(page.status == 200)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.header("Cache-Control") == "no-store")
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.contains("trusted-types 'none'"))
        #expect(page.header("Access-Control-Allow-Origin") == nil)
      }
    }
  }

  @Test func `browsers may cache the files of the console's page for a year`() async throws {
    try await ConsoleScene.with { scene in
      let page = try await scene.browser.get("/")
      let start = try #require(page.text.firstRange(of: "/files/"))
      let path = String(page.text[start.lowerBound...].prefix { $0 != "\"" })
      let file = try await scene.browser.get(path)
      #expect(file.status == 200)
      #expect(file.header("Cache-Control") == "public, max-age=31536000, immutable")
      #expect(try await scene.browser.get("/files/0/main.js").status == 404)
    }
  }

  @Test func `the setup code makes the first owner, and then is no longer valid`() async throws {
    try await ConsoleScene.with { scene in
      let wrong = try await scene.browser.call(
        "session/set-up", ["code": "0000", "email": "eve@example.org", "password": "xxxxxxxxxxxx"])
      #expect(wrong.status == 401)
      #expect(try await scene.browser.call("session/fetch").json["isSetUp"] == false)
      let owner = try await scene.ownersBrowser()
      let session = try await owner.call("session/fetch").json
      #expect(session["isSetUp"] == true)
      #expect(session["member"]["role"] == "owner")
      let second = try await scene.browser.call(
        "session/set-up",
        [
          "code": "\(scene.setupCode)", "email": "eve@example.org",
          "password": "\(ConsoleScene.password)",
        ])
      #expect(second.status == 401)
    }
  }

  @Test func `the console's cookie is hidden from scripts and from other sites`() async throws {
    try await ConsoleScene.with { scene in
      let browser = scene.browser
      let answer = try await browser.call(
        "session/set-up",
        [
          "code": "\(scene.setupCode)", "email": "\(ConsoleScene.owner)",
          "password": "\(ConsoleScene.password)",
        ])
      let cookie = try #require(answer.header("Set-Cookie"))
      #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
      let ended = try await browser.call("session/sign-out")
      #expect(ended.header("Set-Cookie")?.contains("Max-Age=0") == true)
    }
  }

  @Test func `a session of the console ends after half an hour without a request`() async throws {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      scene.clock.move(bySeconds: 1_700)
      #expect(try await browser.call("management/status").status == 200)
      scene.clock.move(bySeconds: 1_900)
      let answer = try await browser.call("management/status")
      #expect(answer.status == 401)
      #expect(answer.json["serverErrorCode"] == "AUTHENTICATION_REQUIRED")
    }
  }

  @Test func `the log names each sign-in to the console and each refused one`() async throws {
    try await ConsoleScene.with { scene in
      let owner = try await scene.ownersBrowser()
      let email = ConsoleScene.owner
      let browser = scene.browser
      for (email, count) in [(email, 11), ("typed-secret@example.org", 1)] {
        for _ in 0..<count {
          _ = try await browser.call(
            "session/sign-in", ["email": "\(email)", "password": "typed-secret"])
        }
      }
      _ = try await browser.call(
        "session/set-up",
        ["code": "typed-secret", "email": "\(email)", "password": "typed-secret"])
      _ = try await owner.call("session/confirm", ["password": "typed-secret"])
      let lines = scene.log.text.split(separator: "\n")
      for (event, count) in [
        ("the account '\(email)' signed in to the console, from 192.0.2.7", 1),
        ("a sign-in to the console failed, for the account '\(email)', from 192.0.2.7", 10),
        ("a sign-in to the console failed, for an unknown address, from 192.0.2.7", 1),
        ("a sign-in to the console has to wait, for the account '\(email)', from 192.0.2.7", 2),
        ("a set-up of the console", 0),
      ] { #expect(lines.count { $0.contains(event) } == count, "\(event): \(lines)") }
      #expect(!scene.log.text.contains("typed-secret"))
    }
  }

  @Test func `a refused set-up of the console is in the log`() async throws {
    try await ConsoleScene.with { scene in
      _ = try await scene.browser.call(
        "session/set-up",
        ["code": "typed-secret", "email": "eve@example.org", "password": "typed-secret"])
      #expect(
        scene.log.text.contains(
          "a set-up of the console failed, for an unknown address, from 192.0.2.7"))
      #expect(!scene.log.text.contains("typed-secret"))
    }
  }

  @Test func `the console refuses a request that a page of another origin sends`() async throws {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      browser.fields["Sec-Fetch-Site"] = "same-site"
      #expect(try await browser.call("management/status").status == 403)
      browser.fields = ["Origin": "http://localhost:8080"]
      #expect(try await browser.call("management/status").status == 403)
      browser.fields = [:]
      browser.host = "rebound.example:8081"
      #expect(try await browser.call("management/status").status == 403)
    }
  }

  @Test(arguments: [
    (TeamRole.operator, "database/\(ConsoleScene.container)/development/public/records/query"),
    (.auditor, "database/\(ConsoleScene.container)/development/private/zones/list"),
    (.operator, "management/api-tokens/list"), (.developer, "management/accounts/list"),
    (.developer, "team/list"), (.auditor, "management/containers/create"),
  ])
  func `the console refuses requests that a team role does not allow`(
    _ role: TeamRole, _ path: String
  ) async throws {
    try await ConsoleScene.with { scene in
      let browser = try await scene.browser(of: role)
      #expect(try await browser.call(path).status == 403)
    }
  }

  @Test func `a developer sees only their own private data`() async throws {
    try await ConsoleScene.with { scene in
      let base = "database/\(ConsoleScene.container)/development/private/"
      let owner = try await scene.ownersBrowser()
      let saved = try await owner.call(
        base + "records/modify",
        [
          "operations": [
            [
              "operationType": "create",
              "record": ["recordName": "secret", "recordType": "Note", "fields": [:]],
            ]
          ]
        ])
      #expect(saved.status == 200, "\(saved.json)")
      let developer = try await scene.browser(of: .developer)
      let lookup: JSON = ["records": [["recordName": "secret"]]]
      let found = try await developer.call(base + "records/lookup", lookup).json
      #expect(found["records"][0]["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `a member who is limited to one container sees no other container`() async throws {
    try await ConsoleScene.with { scene in
      try await scene.server.manage("containers/create", ["containerID": "iCloud.org.example.B"])
      let browser = try await scene.browser(of: .developer, in: [ConsoleScene.container])
      let session = try await browser.call("session/fetch").json
      #expect(session["containerIDs"] == ["\(ConsoleScene.container)"])
      let status = try await browser.call("management/status").json
      #expect(status["containers"].array?.count == 1)
      let body: JSON = ["containerID": "iCloud.org.example.B", "environment": "development"]
      #expect(try await browser.call("management/schema/export", body).status == 404)
    }
  }

  @Test func `for a limited member, another container is like one that does not exist`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let (other, missing) = ("iCloud.org.example.B", "iCloud.org.example.None")
      try await scene.server.manage("containers/create", ["containerID": "\(other)"])
      let developer = try await scene.browser(of: .developer, in: [ConsoleScene.container])
      let owner = try await scene.ownersBrowser()
      func answer(to browser: ConsoleBrowser, _ container: String, _ scope: String) async throws
        -> JSON
      {
        let answer = try await browser.call("database/\(container)/development/\(scope)/zones/list")
        return answer.json.with("uuid", nil).with("status", .int(Int64(answer.status)))
      }
      for scope in ["public", "private", "shared"] {
        let refusal = try await answer(to: developer, missing, scope)
        #expect(refusal["status"] == 404)
        #expect(refusal["serverErrorCode"] == "NOT_FOUND")
        #expect(try await answer(to: developer, other, scope) == refusal)
        #expect(try await answer(to: owner, missing, scope) == refusal)
        #expect(try await answer(to: owner, other, scope)["status"] == 200)
      }
      let containers = try await scene.server.manage("containers/list", [:])["containers"].array
      #expect(containers?.contains("\(missing)") == false)
    }
  }

  @Test
  func `a member who is limited to one container reaches no token or key of another container`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let other = "iCloud.org.example.B"
      try await scene.server.manage("containers/create", ["containerID": "\(other)"])
      var ids: [String: String] = [:]
      for container in [other, ConsoleScene.container] {
        let token = try await scene.server.manage(
          "api-tokens/create", ["containerID": "\(container)", "environment": "development"])
        ids[container] = token["id"].string
      }
      let browser = try await scene.browser(of: .developer, in: [ConsoleScene.container])
      let list = try await browser.call("management/api-tokens/list").json
      #expect(list["apiTokens"].array?.map { $0["id"].string } == [ids[ConsoleScene.container]])
      // The endpoint ignores the container in the body.
      let foreign: JSON = [
        "id": "\(try #require(ids[other]))", "containerID": "\(ConsoleScene.container)",
      ]
      #expect(try await browser.call("management/api-tokens/revoke", foreign).status == 404)
      let own: JSON = ["id": "\(try #require(ids[ConsoleScene.container]))"]
      #expect(try await browser.call("management/api-tokens/revoke", own).status == 200)
      #expect(try await browser.call("management/server-keys/revoke", own).status == 403)
      #expect(try await browser.call("management/server-keys/list").status == 200)
      let containers = try await browser.call("management/containers/list").json
      #expect(containers["containers"] == ["\(ConsoleScene.container)"])
    }
  }

  @Test func `a developer sees no e-mail addresses of users`() async throws {
    try await ConsoleScene.with { scene in
      let schema = "DEFINE SCHEMA CREATE ROLE Editor;"
      var body: JSON = [
        "containerID": "\(ConsoleScene.container)", "environment": "development",
      ]
      try await scene.server.manage("schema/change", body.with("schema", "\(schema)"))
      let owner = try await scene.ownersBrowser()
      let grant = body.with("role", "Editor").with("email", "\(ConsoleScene.owner)")
      #expect(try await owner.call("management/roles/grant", grant).status == 200)
      let seen = try await owner.call("management/roles/list", body).json
      #expect(seen["users"][0]["email"] == "\(ConsoleScene.owner)")
      let developer = try await scene.browser(of: .developer)
      let list = try await developer.call("management/roles/list", body).json
      #expect(list["users"].array?.count == 1)
      #expect(list["users"][0]["email"] == .null)
      body = body.with("email", "\(ConsoleScene.owner)")
      #expect(try await developer.call("management/roles/list", body).status == 403)
    }
  }

  @Test func `a change of the team requires the password again after ten minutes`() async throws {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      let body: JSON = ["email": "\(ConsoleScene.owner)"]
      scene.clock.move(bySeconds: 700)
      let refused = try await browser.call("team/remove", body)
      #expect(refused.json["reason"] == "the password is needed again")
      let confirmed = try await browser.call(
        "session/confirm", ["password": "\(ConsoleScene.password)"])
      #expect(confirmed.status == 200)
      let last = try await browser.call("team/remove", body)
      #expect(last.status == 400)
      #expect(last.json["reason"].string?.contains("keep an owner") == true)
    }
  }
}
