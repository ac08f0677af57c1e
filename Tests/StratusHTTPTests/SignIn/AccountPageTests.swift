import Foundation
import HTTPTypes
import StratusTesting
import Testing

@Suite struct `The account page` {
  private func appSession(_ scene: SignInScene, _ browser: Browser) async throws -> Client {
    let consent = try await browser.open(try await scene.signInTarget())
    let result = try await browser.submit(consent, "/auth/continue")
    let token: String = try #require(result.data("token"))
    return scene.client(token)
  }

  @Test func `the account page changes the password and signs other browsers out`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser, other = scene.browser
      let account = try await browser.signIn()
      _ = try await other.signIn()
      let new = "nine red bicycles"
      let refused = try await browser.submit(
        account, "/account/password", ["current": "wrong", "password": new])
      #expect(refused.status == 403)
      #expect(refused.text.contains("The current password is wrong."))
      let changed = try await browser.submit(
        refused, "/account/password", ["current": SignInScene.password, "password": new])
      #expect(changed.status == 200)
      #expect(try await other.get("/account").status == 303)
      #expect(try await scene.browser.signIn().status == 403)
      #expect(try await scene.browser.signIn(password: new).status == 200)
    }
  }

  @Test(arguments: [true, false])
  func `A new password signs apps out unless the user clears the check box`(
    endsApps: Bool
  ) async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      var page = try await browser.signIn()
      let client = try await appSession(scene, browser)
      page = try await browser.get("/account")
      #expect(page.form("/account/password")?["apps"] == "yes")
      _ = try await browser.submit(
        page, "/account/password",
        [
          "current": SignInScene.password, "password": "nine red bicycles",
          "apps": endsApps ? "yes" : nil,
        ])
      #expect(try await client.get("users/caller").status == (endsApps ? 421 : 200))
    }
  }

  @Test func `An operator's new password signs apps out, but an account's first password does not`()
    async throws
  {
    try await SignInScene.with { scene in
      try await scene.server.manage("accounts/create", ["email": "bea@example.org"])
      let made = try await scene.server.manage(
        "web-tokens/create",
        [
          "containerID": "\(SignInScene.container)", "environment": "development",
          "email": "bea@example.org",
        ])
      let client = scene.client(made["token"].string)
      for (password, status) in [("nine red bicycles", 200), ("ten blue bicycles", 421)] {
        try await scene.server.manage(
          "accounts/configure", ["email": "bea@example.org", "password": "\(password)"])
        #expect(try await client.get("users/caller").status == status)
      }
    }
  }

  @Test
  func `An account has at most fifty sessions in one app, and fifty sessions in browsers`()
    async throws
  {
    try await SignInScene.with { scene in
      let before = try await scene.appSessionCount()
      let browser = scene.browser, first = scene.browser
      _ = try await first.signIn()
      scene.clock.move(bySeconds: 60)
      _ = try await browser.signIn()
      let client = try await appSession(scene, browser)
      let consent = try await browser.open(try await scene.signInTarget())
      for _ in 0..<50 {
        scene.clock.move(bySeconds: 1)
        #expect(try await browser.submit(consent, "/auth/continue").status == 200)
        _ = try await scene.browser.signIn()
      }
      let count = try await scene.appSessionCount() - before
      #expect(count == 50)
      #expect(try await client.get("users/caller").status == 421)
      #expect(try await first.get("/account").status == 303)
      let page = try await scene.browser.signIn()
      #expect(page.text.components(separatedBy: "An unnamed browser").count - 1 == 50 + 49)
    }
  }

  @Test(arguments: [
    "short", "password1", "P@ssw0rd!", "qwertyuiop", "12345678", "aaaaaaaaaa", "abcabcabc",
    "monkeydragon", "iloveyou2", "anna@example.org", "anna1234", "Summer2026!", "zxcvbnm,",
  ])
  func `the account page refuses a password that is easy to guess`(password: String) async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let page = try await browser.submit(
        try await browser.signIn(), "/account/password",
        ["current": SignInScene.password, "password": password])
      #expect(page.status == 422, "\(password)")
      #expect(page.text.contains("role=\"alert\""))
      #expect(try await scene.browser.signIn().status == 200)
    }
  }

  @Test(arguments: [
    "correct staple 9", "x7#kLm2p", "пароль-Ñandú-日本", "  spaces kept  ",
    String(repeating: "long passphrase ", count: 16),
  ])
  func `the account page accepts any password that is not easy to guess`(password: String)
    async throws
  {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let page = try await browser.submit(
        try await browser.signIn(), "/account/password",
        ["current": SignInScene.password, "password": password])
      #expect(page.status == 200, "\(password)")
      #expect(try await scene.browser.signIn(password: password).status == 200)
    }
  }

  @Test func `the account page lists browsers and apps, and can end each session`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser, other = scene.browser
      other.fields = ["User-Agent": "Lynx <b>\"2\"</b>"]
      _ = try await browser.signIn()
      _ = try await other.signIn()
      let client = try await appSession(scene, browser)
      var page = try await browser.get("/account")
      #expect(page.text.contains("Lynx &lt;b&gt;&quot;2&quot;&lt;/b&gt;"))
      #expect(page.text.contains("\(SignInScene.container) (development)"))
      page = try await browser.submit(page, "/account/end-browser")
      #expect(try await other.get("/account").status == 303)
      #expect(!page.text.contains("Lynx"))
      #expect(try await client.get("users/caller").status == 200)
      page = try await browser.submit(page, "/account/end-app")
      #expect(try await client.get("users/caller").status == 421)
      #expect(!page.text.contains(SignInScene.container))
    }
  }

  /// OWASP ASVS 14.3.1.
  @Test func `a sign-out tells the browser to clear its cache`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let page = try await browser.signIn()
      let answer = try await browser.submit(page, "/auth/sign-out", follows: false)
      #expect(answer.header("Clear-Site-Data") == "\"cache\"")
      #expect(answer.header("Cache-Control") == "no-store")
    }
  }

  @Test func `the account page can end all other sessions in one step`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser, other = scene.browser
      _ = try await browser.signIn()
      _ = try await other.signIn()
      let client = try await appSession(scene, other)
      let page = try await browser.submit(try await browser.get("/account"), "/account/end-all")
      #expect(page.status == 200)
      #expect(try await other.get("/account").status == 303)
      #expect(try await client.get("users/caller").status == 421)
    }
  }

  @Test func `the account page cannot end a session of another account`() async throws {
    try await SignInScene.with { scene in
      try await scene.server.manage(
        "accounts/create", ["email": "bea@example.org", "password": "ten white bicycles"])
      let anna = scene.browser, bea = scene.browser
      _ = try await anna.signIn()
      let client = try await appSession(scene, anna)
      let own = try await anna.get("/account")
      let appID = try #require(own.form("/account/end-app")?["id"])
      let second = scene.browser
      _ = try await second.signIn()
      let browserID = try #require(
        try await anna.get("/account").form("/account/end-browser")?["id"])
      let page = try await bea.signIn(email: "bea@example.org", password: "ten white bicycles")
      #expect(page.form("/account/end-app") == nil)
      let token = try #require(page.form("/auth/sign-out")?["form"])
      for (action, id) in [("/account/end-app", appID), ("/account/end-browser", browserID)] {
        #expect(try await bea.send(.post, action, ["form": token, "id": id]).status == 303)
      }
      #expect(try await client.get("users/caller").status == 200)
      #expect(try await second.get("/account").status == 200)
    }
  }

  @Test func `browsers are signed out when the operator sets a new password`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      try await scene.server.manage(
        "accounts/configure",
        ["email": "\(SignInScene.email)", "password": "eleven black bicycles"])
      #expect(try await browser.get("/account").status == 303)
      #expect(try await scene.browser.signIn(password: "eleven black bicycles").status == 200)
    }
  }
}
