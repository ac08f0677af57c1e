import Foundation
import StratusTesting
import StratusWire
import Testing

/// The lines about security in the server's log (ASVS V16).
@Suite struct `The security log` {
  private static let email = SignInScene.email

  private func lines(_ scene: SignInScene, with text: String) -> [Substring] {
    scene.log.text.split(separator: "\n").filter { $0.contains(text) }
  }

  @Test
  func `The log names the outcome of each sign-in, but no password or unknown address`()
    async throws
  {
    try await SignInScene.with { scene in
      let browser = scene.browser
      browser.clientAddress = "2001:db8::1"
      let account = try await browser.signIn()
      _ = try await browser.submit(account, "/auth/sign-out")
      for line in [
        "the account '\(Self.email)' signed in, from 20010db800000000/64",
        "the account '\(Self.email)' signed out, from 20010db800000000/64",
      ] { #expect(lines(scene, with: line).count == 1, "\(scene.log.text)") }
      for _ in 0..<11 { _ = try await scene.browser.signIn(password: "typed-secret") }
      _ = try await scene.browser.signIn(email: "typed-secret@example.org")
      let failed = "a sign-in failed, for the account '\(Self.email)', from 192.0.2.7"
      #expect(lines(scene, with: failed).count == 10)
      let delayed = "a sign-in has to wait, for the account '\(Self.email)'"
      #expect(lines(scene, with: delayed).count == 1)
      let unknown = "a sign-in failed, for an unknown address, from 192.0.2.7"
      #expect(lines(scene, with: unknown).count == 1)
      #expect(!scene.log.text.contains("typed-secret"))
    }
  }

  @Test func `The log names the actions of a user on the pages`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget())
      _ = try await browser.submit(consent, "/auth/continue")
      var page = try await browser.get("/account")
      let change = ["current": "wrong", "password": "nine red bicycles"]
      page = try await browser.submit(page, "/account/password", change)
      page = try await browser.submit(page, "/account/end-app")
      page = try await browser.submit(
        page, "/account/password",
        ["current": SignInScene.password, "password": "nine red bicycles"])
      _ = try await browser.submit(page, "/account/end-all")
      for line in [
        "opened a session of \(SignInScene.origin) in '\(SignInScene.container)' (development)",
        "a change of the password failed, for the account '\(Self.email)'",
        "ended the session of an app", "changed its password", "ended all its other sessions",
      ] { #expect(lines(scene, with: line).count == 1, "\(line): \(scene.log.text)") }
      for secret in ["bicycles", "wrong", consent.form("/auth/continue")?["form"] ?? ""] {
        #expect(!scene.log.text.contains(secret))
      }
    }
  }

  @Test func `The log names the changes by the operator, without their secrets`() async throws {
    try await SignInScene.with { scene in
      let server = scene.server
      let place: JSON = ["containerID": "\(SignInScene.container)", "environment": "development"]
      let token = try await server.manage(
        "web-tokens/create", place.with("email", "\(Self.email)"))["token"].string
      try await server.manage(
        "accounts/configure", ["email": "\(Self.email)", "password": "nine red bicycles"])
      let program = try await SigningClient(
        server, clock: scene.clock, container: SignInScene.container)
      try await server.manage("server-keys/revoke", ["id": "\(program.id)"])
      try await server.manage("web-tokens/rotate-key", [:])
      try await server.manage("accounts/disable", ["email": "\(Self.email)"])
      try await server.manage("accounts/enable", ["email": "\(Self.email)"])
      let store = "'\(SignInScene.container)' (development)"
      for action in [
        "made the container '\(SignInScene.container)'", "made the account '\(Self.email)'",
        "made the API token ", "for \(store)",
        "made a web auth token of the account '\(Self.email)' for \(store)",
        "changed the password of the account '\(Self.email)'",
        "added the server-to-server key \(program.id) to \(store)",
        "revoked the server-to-server key \(program.id)", "made a new key for web auth tokens",
        "disabled the account '\(Self.email)'", "enabled the account '\(Self.email)'",
      ] { #expect(!lines(scene, with: action).isEmpty, "\(action): \(scene.log.text)") }
      for secret in [token, scene.apiToken, "bicycles"] {
        #expect(!scene.log.text.contains(try #require(secret)))
      }
    }
  }

  @Test func `The log names refused signatures of a known key`() async throws {
    try await SignInScene.with { scene in
      let program = try await SigningClient(
        scene.server, clock: scene.clock, container: SignInScene.container)
      _ = try await program.send("zones/list") { $0.path = "/other" }
      _ = try await program.send("zones/list", secondsFromNow: 10_000)
      _ = try await program.send("zones/list") { $0.keyID = String(repeating: "0a", count: 32) }
      try await scene.server.manage("server-keys/revoke", ["id": "\(program.id)"])
      _ = try await program.send("zones/list")
      let refused = lines(scene, with: "a request with the server-to-server key \(program.id)")
      #expect(refused.count == 3)
      for reason in ["signature is wrong", "date is too far", "key is revoked"] {
        #expect(refused.contains { $0.contains(reason) }, "\(reason)")
      }
    }
  }

  @Test func `callers without an account cannot fill the log`() async throws {
    try await SignInScene.with { scene in
      for number in 0..<80 {
        let browser = scene.browser
        browser.clientAddress = "198.51.100.\(number)"
        _ = try await browser.signIn(email: "u\(number)@example.org")
      }
      #expect(lines(scene, with: "a sign-in failed").count == 60)
      scene.clock.move(bySeconds: 60)
      _ = try await scene.browser.signIn(password: "wrong")
      #expect(lines(scene, with: "20 more refusals were not logged").count == 1)
      #expect(lines(scene, with: "a sign-in failed").count == 61)
    }
  }
}
