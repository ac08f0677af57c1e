import Foundation
import HTTPTypes
import StratusTesting
import Testing

/// The sign-in of a user for an app (docs/internals/signin.md).
@Suite struct `A sign-in for an app` {
  @Test
  func `a sign-in for an app gives the web auth token to the page that started it`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget())
      #expect(consent.status == 200)
      for text in [SignInScene.origin, SignInScene.container, SignInScene.email] {
        #expect(consent.text.contains(text), "\(text)")
      }
      let result = try await browser.submit(consent, "/auth/continue")
      #expect(result.data("origin") == SignInScene.origin)
      let token = try #require(result.data("token"))
      #expect(token.wholeMatch(of: /[A-Za-z0-9+\/=_]{100,}/) != nil)
      #expect(result.text.contains("<script src=\"/auth/callback.js\"></script>"))
      let caller = try await scene.client(token).get("users/caller")
      #expect(caller.status == 200)
      let script = try await browser.get("/auth/callback.js")
      #expect(script.header("Content-Type") == "text/javascript; charset=utf-8")
      for text in ["ckWebAuthToken", "ckSession", "errorMessage", "window.close()"] {
        #expect(script.text.contains(text))
      }
    }
  }

  @Test func `a sign-in for an app asks a signed-in user only to continue`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      let before = try await scene.appSessionCount()
      let consent = try await browser.open(try await scene.signInTarget())
      #expect(consent.form("/auth/continue") != nil)
      #expect(consent.form("/auth/sign-in") == nil)
      // No token exists before the user continues.
      #expect(try await scene.appSessionCount() == before)
      _ = try await browser.submit(consent, "/auth/continue")
      #expect(try await scene.appSessionCount() == before + 1)
    }
  }

  /// OWASP ASVS 10.7.2.
  @Test(arguments: [(nil, "half an hour"), ("yes", "two weeks")] as [(String?, String)])
  func `the page before a sign-in says how long the app stays signed in`(
    keep: String?, time: String
  ) async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let form = try await browser.open(try await scene.signInTarget())
      let consent = try await browser.submit(
        form, "/auth/sign-in",
        ["email": SignInScene.email, "password": SignInScene.password, "keep": keep])
      #expect(consent.text.contains("not used for \(time), for 90 days at most"))
    }
  }

  @Test func `an app gets an error if the user cancels the sign-in`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget())
      let result = try await browser.submit(consent, "/auth/cancel")
      #expect(result.data("error") == "accessError")
      #expect(result.data("token") == "")
      #expect(result.data("origin") == SignInScene.origin)
    }
  }

  @Test(arguments: [
    ("myapp://signed-in", "myapp://signed-in?", "form-action 'self' myapp:;"),
    (
      "https://app.example.org/done?a=1", "https://app.example.org/done?a=1&",
      "form-action 'self' https://app.example.org;"
    ),
  ])
  func `a sign-in for an app leads to the callback URL of the API token`(
    url: String, beginning: String, policy: String
  ) async throws {
    try await SignInScene.with(token: ["callbackURL": "\(url)"]) { scene in
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget(origin: nil))
      #expect(consent.header("Content-Security-Policy")?.contains(policy) == true)
      let result = try await browser.submit(consent, "/auth/continue")
      #expect(result.status == 303)
      let location = try #require(result.location)
      #expect(location.hasPrefix(beginning + "ckWebAuthToken="))
      let parts = location.dropFirst(beginning.count).split(separator: "&")
      let tokens = parts.compactMap { $0.split(separator: "=").last.map(String.init) }
      #expect(parts.map { $0.prefix { $0 != "=" } } == ["ckWebAuthToken", "ckSession"])
      #expect(tokens.first == tokens.last)
      let token = try #require(tokens.first?.removingPercentEncoding)
      #expect(try await scene.client(token).get("users/caller").status == 200)
    }
  }

  @Test
  func `a sign-in for an app lasts half an hour, or two weeks if the user stays signed in`()
    async throws
  {
    try await SignInScene.with { scene in
      for (keep, days) in [(false, 0), (true, 13)] {
        let browser = scene.browser
        let consent = try await browser.signIn(try await scene.signInTarget(), keep: keep)
        let result = try await browser.submit(consent, "/auth/continue")
        let token: String = try #require(result.data("token"))
        let client = scene.client(token)
        scene.clock.move(bySeconds: Int64(days) * 86_400 + 29 * 60)
        #expect(try await client.get("users/caller").status == 200)
        scene.clock.move(bySeconds: 86_400)
        #expect(try await client.get("users/caller").status == 421)
      }
    }
  }

  @Test func `a sign-in for an app with an altered or an old request is refused`() async throws {
    try await SignInScene.with { scene in
      let target = try await scene.signInTarget()
      let browser = scene.browser
      for wrong in [
        String(target.dropLast()), target + "A", "/auth/sign-in?request=",
        "/auth/sign-in?request=%00",
      ] {
        let page = try await browser.get(wrong)
        #expect(page.status == 400)
        #expect(page.text.contains("This sign-in has expired"))
      }
      scene.clock.move(bySeconds: 3_500)
      #expect(try await browser.get(target).status == 200)
      scene.clock.move(bySeconds: 200)
      #expect(try await browser.get(target).status == 400)
    }
  }

  @Test
  func `a sign-in for an app is refused if the API token is revoked or forbids the origin`()
    async throws
  {
    try await SignInScene.with(token: ["allowedOrigins": ["\(SignInScene.origin)"]]) { scene in
      let target = try await scene.signInTarget()
      let other = try await scene.signInTarget(origin: nil)
      let browser = scene.browser
      #expect(try await browser.get(target).status == 200)
      // Without an origin, no page may get the token.
      #expect(try await browser.get(other).status == 400)
      let list = try await scene.server.manage("api-tokens/list", [:])["apiTokens"]
      let id = try #require(
        list.array?.first { $0["containerID"].string == SignInScene.container }?["id"].string)
      try await scene.server.manage("api-tokens/revoke", ["id": "\(id)"])
      #expect(try await browser.get(target).status == 400)
    }
  }

  @Test func `a sign-in for an app works for a page of the server's own origin`() async throws {
    try await SignInScene.with { scene in
      let target = try await scene.signInTarget(
        origin: nil, fields: ["Sec-Fetch-Site": "same-origin"])
      let browser = scene.browser
      let consent = try await browser.signIn(target)
      let result = try await browser.submit(consent, "/auth/continue")
      #expect(result.data("origin") == "http://stratus.test")
    }
  }

  @Test func `an app whose session has ended gets the URL of a new sign-in`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget())
      let result = try await browser.submit(consent, "/auth/continue")
      let token: String = try #require(result.data("token"))
      let client = scene.client(token)
      scene.clock.move(bySeconds: 86_400)
      let answer = try await client.send(
        .get, client.target("users/caller"), headers: ["Origin": SignInScene.origin])
      #expect(answer.status == 421)
      #expect(answer.json["redirectURL"].string?.contains("/auth/sign-in?request=") == true)
    }
  }
}
