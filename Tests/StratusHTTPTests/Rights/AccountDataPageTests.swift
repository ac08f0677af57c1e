import StratusTesting
import Testing

@Suite struct `The page of the user's data` {
  private static let proof: [String: String?] = ["current": SignInScene.password]

  @Test func `a user can restrict the use of the data, and end the restriction`() async throws {
    try await SignInScene.with { scene in
      let (server, browser) = (scene.server, scene.browser)
      let email: JSON = ["email": .string(SignInScene.email)]
      _ = try await browser.signIn()
      var page = try await browser.get("/account/data")
      let refused = try await browser.submit(
        page, "/account/data/restrict", ["current": "wrong", "action": "begin"])
      #expect(refused.status == 403)
      page = try await browser.submit(
        page, "/account/data/restrict", ["current": SignInScene.password, "action": "begin"])
      var listed = try await server.manage("accounts/list", [:])["accounts"].array ?? []
      #expect(listed.first { $0["email"] == email["email"] }?["restricted"] == true)
      let entries = try await server.manage("audit/list", email)["entries"]
      #expect(entries[0]["subject"] == "restricted its data")
      page = try await browser.submit(
        page, "/account/data/restrict", ["current": SignInScene.password, "action": "end"])
      listed = try await server.manage("accounts/list", [:])["accounts"].array ?? []
      #expect(listed.first { $0["email"] == email["email"] }?["restricted"] == false)
    }
  }

  @Test func `a user cannot end a restriction by the operator`() async throws {
    try await SignInScene.with { scene in
      let (server, browser) = (scene.server, scene.browser)
      _ = try await browser.signIn()
      let before = try await browser.get("/account/data")
      try await server.manage("accounts/restrict", ["email": .string(SignInScene.email)])
      let page = try await browser.get("/account/data")
      #expect(page.form("/account/data/restrict") == nil)
      _ = try await browser.submit(
        before, "/account/data/restrict", ["current": SignInScene.password, "action": "end"])
      let listed = try await server.manage("accounts/list", [:])["accounts"].array ?? []
      #expect(listed.first { $0["email"] == .string(SignInScene.email) }?["restricted"] == true)
    }
  }

  @Test func `a user downloads the archive after the password was checked`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/account/data")
      let refused = try await browser.submit(page, "/account/data/export", ["current": "wrong"])
      #expect(refused.status == 403)
      let answer = try await browser.submit(page, "/account/data/export", Self.proof)
      #expect(answer.status == 200)
      #expect(answer.header("Content-Type") == "application/x-tar")
      #expect(answer.header("Cache-Control") == "no-store")
      let archive = try ExportedArchive(Array(answer.text.utf8))
      #expect(archive.lines("account").first?["email"] == .string(SignInScene.email))
      #expect(archive.lines.last?.json == ["kind": "end"])
    }
  }

  @Test func `a user deletes the account with the password and the typed address`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/account/data")
      for (current, typed, status) in [
        ("wrong", SignInScene.email, 403), (SignInScene.password, "bob@example.org", 422),
      ] {
        let refused = try await browser.submit(
          page, "/account/data/delete", ["current": current, "confirmation": typed])
        #expect(refused.status == status)
      }
      let done = try await browser.submit(
        page, "/account/data/delete",
        ["current": SignInScene.password, "confirmation": SignInScene.email, "public": nil])
      #expect(done.text.contains("Your account is deleted"))
      let receipts = try await scene.server.manage("accounts/receipts", [:])["receipts"]
      #expect(done.text.contains(try #require(receipts[0]["id"].string)))
      #expect(receipts[0]["publicRecords"] == "keep")
      #expect(receipts[0]["counts"]["passwords"] == 1)
      #expect(receipts[0]["counts"]["browserSessions"] == 1)
      #expect(try await browser.get("/account").status == 303)
      #expect(try await scene.browser.signIn().status == 403)
      let entries = try await scene.server.manage("audit/list", [:])["entries"]
      #expect(entries[0]["actor"] == "user")
    }
  }
}
