import Foundation
import HTTPTypes
import StratusTesting
import StratusWire
import Testing

/// The web pages that may ask for a sign-in, and the names under which the user sees them.
@Suite struct `The origin of an app's page` {
  @Test(arguments: [
    "*", "null", "https://*", "https://bank.example@evil.example", "https://bank.example/path",
    "https://bank.example:443@evil.example", "https://bank.example?x", "https://bank.example#x",
    "https://", "https://[", "https://a:b:c", "javascript://evil.example",
    "https://\u{202E}elpmaxe.example",
  ])
  func `A text that is not a plain origin never receives a token`(
    origin: String
  ) async throws {
    try await SignInScene.with { scene in
      let page = try await scene.browser.signIn(try await scene.signInTarget())
      #expect(page.status == 200)
      let refused = try await scene.browser.get(try await scene.signInTarget(origin: origin))
      #expect(refused.status == 400)
      #expect(!refused.text.contains(origin))
    }
  }

  @Test(arguments: [
    "https://app.example.org", "http://localhost:3000", "https://my_app.example.org:8443",
    "http://[::1]:3000", "https://APP.example.org",
  ])
  func `In development, the user sees an app's origin, and that origin gets the token`(
    origin: String
  ) async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget(origin: origin))
      #expect(consent.text.contains("<strong>\(origin.lowercased())</strong>"))
      #expect(consent.text.contains("<strong>\(SignInScene.container)</strong> (development)"))
      let result = try await browser.submit(consent, "/auth/continue")
      #expect(result.data("origin") == origin.lowercased())
    }
  }

  @Test
  func `In production, an API token without origins gives no page a web auth token`() async throws {
    try await SignInScene.with(environment: "production") { scene in
      let before = try await scene.appSessionCount()
      let target = try await scene.signInTarget()
      let browser = scene.browser
      let page = try await browser.get(target)
      #expect(page.status == 403)
      #expect(page.text.contains("api-token create --origin"))
      let account = try await browser.signIn()
      let form = try #require(account.form("/auth/sign-out")?["form"])
      let request = String(target.dropFirst("/auth/sign-in?request=".count))
      for action in ["/auth/continue", "/auth/sign-in"] {
        let answer = try await browser.send(
          .post, action,
          [
            "form": form, "request": request, "email": SignInScene.email,
            "password": SignInScene.password,
          ])
        #expect(answer.status == 403, "\(action)")
      }
      #expect(try await scene.appSessionCount() == before)
    }
  }

  @Test(
    arguments: [
      ["allowedOrigins": ["\(SignInScene.origin)"]], ["callbackURL": "myapp://signed-in"],
      ["callbackURL": "https://app.example.org/done"],
    ] as [JSON])
  func `In production, a page or callback that the API token names gets the web auth token`(
    token: JSON
  ) async throws {
    try await SignInScene.with(token: token, environment: "production") { scene in
      let before = try await scene.appSessionCount()
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget())
      #expect(consent.text.contains("<strong>\(SignInScene.container)</strong> (production)"))
      _ = try await browser.submit(consent, "/auth/continue")
      #expect(try await scene.appSessionCount() == before + 1)
    }
  }

  @Test(
    arguments: [
      (["allowedOrigins": ["http://app.example.org"]], false),
      (["callbackURL": "http://app.example.org/done"], false),
      (["callbackURL": "HTTP://app.example.org/done"], false),
      (["allowedOrigins": ["http://localhost:3000"]], true),
      (["callbackURL": "http://127.0.0.1:3000/done"], true),
      (["callbackURL": "myapp://done"], true),
    ] as [(JSON, Bool)])
  func `In production, an API token cannot name a page without HTTPS`(
    token: JSON, isAccepted: Bool
  ) async throws {
    try await SignInScene.with { scene in
      for environment in ["development", "production"] {
        let request = token.with("containerID", .string(SignInScene.container))
          .with("environment", .string(environment))
        let answer = try await scene.server.managementAnswer("api-tokens/create", request)
        let expected = isAccepted || environment == "development" ? 200 : 400
        #expect(answer.status == expected, "\(environment)")
      }
    }
  }
}
