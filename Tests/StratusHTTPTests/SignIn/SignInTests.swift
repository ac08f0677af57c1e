import Foundation
import HTTPTypes
import StratusAccounts
import StratusTesting
import Testing

/// Sign-in with an email address and a password on the server's own pages.
@Suite struct `Signing in with a password` {
  private static let wrong = "The address and the password do not belong together."

  @Test func `a sign-in leads to the account page, and a sign-out ends the session`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let account = try await browser.signIn()
      #expect(account.status == 200)
      #expect(account.text.contains(SignInScene.email))
      let cookie = try #require(browser.cookies["stratus"])
      _ = try await browser.submit(account, "/auth/sign-out")
      #expect(browser.cookies["stratus"] == nil)
      let stale = scene.browser
      stale.fields = ["Cookie": "stratus=\(cookie)"]
      #expect(try await stale.get("/account").status == 303)
    }
  }

  @Test
  func `a sign-in ignores the case of the address, but not the case of the password`()
    async throws
  {
    try await SignInScene.with { scene in
      #expect(try await scene.browser.signIn(email: "ANNA@Example.org").status == 200)
      let page = try await scene.browser.signIn(password: SignInScene.password.uppercased())
      #expect(page.status == 403)
    }
  }

  @Test func `every failed sign-in gets the same answer after the same work`() async throws {
    try await SignInScene.with { scene in
      try await scene.server.manage("accounts/create", ["email": "bare@example.org"])
      try await scene.server.manage(
        "accounts/create",
        ["email": "off@example.org", "password": "\(SignInScene.password)"])
      try await scene.server.manage("accounts/disable", ["email": "off@example.org"])
      var pages: Set<String> = []
      for (email, password) in [
        (SignInScene.email, "wrong"), ("nobody@example.org", SignInScene.password),
        ("bare@example.org", ""), ("off@example.org", SignInScene.password),
        (SignInScene.email, ""), (SignInScene.email, String(repeating: "x", count: 1_000)),
      ] {
        let browser = scene.browser
        let before = scene.server.passwordHashCount
        let page = try await browser.signIn(email: email, password: password)
        #expect(page.status == 403)
        #expect(page.text.contains(Self.wrong))
        #expect(browser.cookies["stratus"] == nil)
        #expect(scene.server.passwordHashCount == before + 1, "\(email)")
        let token = page.form("/auth/sign-in")?["form"] ?? "none"
        pages.insert(
          page.textWithoutChallenge.replacing(token, with: "").replacing(email, with: "")
            + page.headers.filter { $0.name != .setCookie && $0.value.count < 100 }
            .map { "\($0.name)" }.joined())
      }
      #expect(pages.count == 1)
    }
  }

  @Test
  func `after ten failed sign-ins, only a known browser can sign in without a delay`()
    async throws
  {
    try await SignInScene.with { scene in
      let known = scene.browser
      _ = try await known.submit(try await known.signIn(), "/auth/sign-out")
      let attacker = scene.browser
      attacker.clientAddress = "198.51.100.1"
      for _ in 0..<10 {
        #expect(try await attacker.signIn(password: "wrong").status == 403)
      }
      let hashes = scene.server.passwordHashCount
      let refused = try await attacker.signIn()
      #expect(refused.status == 429)
      #expect(refused.header("Retry-After") == "2")
      #expect(
        scene.server.passwordHashCount == hashes,
        "the server computes no hash for a refused attempt")
      #expect(try await known.signIn().status == 200)
      scene.clock.move(bySeconds: 2)
      #expect(try await attacker.signIn(password: "wrong").status == 403)
      #expect(try await attacker.signIn().header("Retry-After") == "4")
      scene.clock.move(bySeconds: 4)
      #expect(try await attacker.signIn().status == 200)
      #expect(
        try await attacker.submit(try await attacker.get("/account"), "/auth/sign-out").status
          == 200)
      #expect(try await attacker.signIn(password: "wrong").status == 403)
    }
  }

  @Test func `a browser is no longer known after a new password, or after a year`()
    async throws
  {
    try await SignInScene.with { scene in
      let old = scene.browser, known = scene.browser
      _ = try await old.submit(try await old.signIn(), "/auth/sign-out")
      scene.clock.move(bySeconds: 1)
      try await scene.server.manage(
        "accounts/configure",
        ["email": "\(SignInScene.email)", "password": "nine red bicycles"])
      _ = try await known.submit(
        try await known.signIn(password: "nine red bicycles"), "/auth/sign-out")
      for (days, status) in [(0, 200), (366, 429)] {
        scene.clock.move(bySeconds: Int64(days) * 86_400)
        let attacker = scene.browser
        attacker.clientAddress = "198.51.100.1"
        for _ in 0..<10 { _ = try await attacker.signIn(password: "wrong") }
        #expect(try await old.signIn(password: "nine red bicycles").status == 429)
        let page = try await known.signIn(password: "nine red bicycles")
        #expect(page.status == status)
        if status == 200 { _ = try await known.submit(page, "/auth/sign-out") }
      }
    }
  }

  @Test
  func `a known browser can sign in even if other browsers at its address fail often`()
    async throws
  {
    try await SignInScene.with { scene in
      let known = scene.browser, stranger = scene.browser
      _ = try await known.submit(try await known.signIn(), "/auth/sign-out")
      for number in 0..<30 { _ = try await stranger.signIn(email: "u\(number)@example.org") }
      #expect(try await stranger.signIn().status == 429)
      #expect(try await known.signIn().status == 200)
    }
  }

  @Test func `failed sign-ins from one network address are counted over all accounts`() async throws
  {
    try await SignInScene.with { scene in
      let attacker = scene.browser
      attacker.clientAddress = "2001:db8::1"
      for number in 0..<30 {
        let page = try await attacker.signIn(email: "u\(number)@example.org")
        #expect(page.status == 403)
      }
      attacker.clientAddress = "2001:db8::2"
      #expect(try await attacker.signIn().status == 429)
      attacker.clientAddress = "2001:db8:0:1::1"
      #expect(try await attacker.signIn().status == 200)
    }
  }

  @Test
  func `a browser session ends after half an hour without use, unless the user chose to stay`()
    async throws
  {
    try await SignInScene.with { scene in
      let short = scene.browser, kept = scene.browser
      _ = try await short.signIn()
      _ = try await kept.signIn(keep: true)
      for _ in 0..<3 {
        scene.clock.move(bySeconds: 29 * 60)
        #expect(try await short.get("/account").status == 200)
      }
      scene.clock.move(bySeconds: 31 * 60)
      #expect(try await short.get("/account").status == 303)
      scene.clock.move(bySeconds: 13 * 86_400)
      #expect(try await kept.get("/account").status == 200)
      scene.clock.move(bySeconds: 15 * 86_400)
      #expect(try await kept.get("/account").status == 303)
    }
  }

  @Test
  func `a browser session ends after its maximum duration, even if the user is active`()
    async throws
  {
    try await SignInScene.with { scene in
      let short = scene.browser, kept = scene.browser
      _ = try await short.signIn()
      for _ in 0..<24 {
        scene.clock.move(bySeconds: 29 * 60)
        #expect(try await short.get("/account").status == 200)
      }
      scene.clock.move(bySeconds: 29 * 60)
      #expect(try await short.get("/account").status == 303)
      _ = try await kept.signIn(keep: true)
      for _ in 0..<6 {
        scene.clock.move(bySeconds: 13 * 86_400)
        #expect(try await kept.get("/account").status == 200)
      }
      scene.clock.move(bySeconds: 13 * 86_400)
      #expect(try await kept.get("/account").status == 303)
    }
  }

  @Test func `a browser session ends immediately when the account is disabled`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      try await scene.server.manage("accounts/disable", ["email": "\(SignInScene.email)"])
      #expect(try await browser.get("/account").status == 303)
    }
  }

  @Test func `a sign-in and a new password replace the cookies of the browser`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let page = try await browser.get("/auth/sign-in")
      let before = try #require(browser.cookies["stratus-form"])
      _ = try await browser.submit(
        page, "/auth/sign-in",
        ["email": SignInScene.email, "password": SignInScene.password])
      let first = try #require(browser.cookies["stratus"])
      #expect(browser.cookies["stratus-form"] != before)
      let again = scene.browser
      again.fields = ["Cookie": "stratus=\(first)"]
      _ = try await browser.submit(
        try await browser.get("/account"), "/account/password",
        ["current": SignInScene.password, "password": "eight blue bicycles"])
      #expect(browser.cookies["stratus"] != first)
      #expect(try await again.get("/account").status == 303)
    }
  }
}
