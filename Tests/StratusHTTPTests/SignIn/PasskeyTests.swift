import Crypto
import CryptoExtras
import Foundation
import StratusDomain
import StratusTesting
import Testing

@testable import StratusAccounts

/// An account with a passkey.
private struct PasskeyScene {
  let scene: SignInScene
  var authenticator: TestAuthenticator

  /// - Parameter key: the key of the passkey.
  static func with(
    _ key: TestAuthenticator.Key = .p256(P256.Signing.PrivateKey()),
    _ body: (PasskeyScene, Browser) async throws -> Void
  ) async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      var authenticator = TestAuthenticator(key: key)
      let page = try await add(&authenticator, browser)
      #expect(page.text.contains("My phone"))
      try await body(PasskeyScene(scene: scene, authenticator: authenticator), browser)
    }
  }

  /// Adds a passkey on the account page of a signed-in user.
  static func add(
    _ authenticator: inout TestAuthenticator, _ browser: Browser,
    password: String? = SignInScene.password, name: String = "My phone"
  ) async throws -> Browser.Page {
    let page = try await browser.get("/account/passkeys")
    let asked = try await browser.submit(
      page, "/account/passkeys/new", ["current": password, "name": name])
    let options = try asked.passkeyOptions()
    authenticator.userHandle = Base64URL.decode(options["user"]["id"].string ?? "")
    return try await browser.submit(
      asked, "/account/passkeys/add", authenticator.creation(try asked.challenge()))
  }

  func signIn(
    _ browser: Browser, _ authenticator: TestAuthenticator? = nil,
    _ changes: [String: String] = [:], target: String = "/auth/sign-in"
  ) async throws -> Browser.Page {
    let page = try await browser.open(target)
    let fields = try (authenticator ?? self.authenticator).signIn(try page.challenge())
    return try await browser.submit(
      page, "/auth/passkey", fields.merging(changes) { $1 })
  }
}

@Suite struct `A passkey` {
  private static let keys: [@Sendable () throws -> TestAuthenticator.Key] = [
    { .p256(P256.Signing.PrivateKey()) }, { .ed25519(Curve25519.Signing.PrivateKey()) },
    { .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)) },
  ]

  @Test(arguments: 0..<3)
  func `with each offered algorithm, a passkey opens the account`(
    number: Int
  ) async throws {
    try await PasskeyScene.with(try Self.keys[number]()) { passkey, _ in
      let browser = passkey.scene.browser
      let account = try await passkey.signIn(browser)
      #expect(account.status == 200)
      #expect(account.text.contains(SignInScene.email))
      #expect(try await browser.get("/account").status == 200)
    }
  }

  @Test func `a sign-in with a passkey leads back to the app`() async throws {
    try await PasskeyScene.with { passkey, _ in
      let target = try await passkey.scene.signInTarget()
      let consent = try await passkey.signIn(passkey.scene.browser, target: target)
      #expect(consent.text.contains("Continue?"))
      #expect(consent.text.contains(SignInScene.container))
    }
  }

  @Test func `the options for a new passkey ask for a discoverable one and a verified user`()
    async throws
  {
    try await PasskeyScene.with { passkey, browser in
      let page = try await browser.submit(
        try await browser.get("/account/passkeys"), "/account/passkeys/new",
        ["current": SignInScene.password, "name": "Second"])
      let options = try page.passkeyOptions()
      #expect(options["rp"]["id"].string == "localhost")
      #expect(options["user"]["name"].string == SignInScene.email)
      #expect(Base64URL.decode(options["user"]["id"].string ?? "")?.count == 64)
      #expect(options["attestation"].string == "none")
      #expect(options["authenticatorSelection"]["residentKey"].string == "required")
      #expect(options["authenticatorSelection"]["userVerification"].string == "required")
      #expect(
        options["pubKeyCredParams"].array?.compactMap(\.["alg"].integer) == [-7, -8, -257])
      #expect(
        options["excludeCredentials"][0]["id"].string
          == Base64URL.encode(passkey.authenticator.credentialID))
      // The options for a sign-in name neither an account nor a passkey.
      let signIn = try await passkey.scene.browser.get("/auth/sign-in").passkeyOptions()
      #expect(signIn.keys == ["challenge", "timeout", "rpId", "userVerification"])
      #expect(signIn["userVerification"].string == "required")
    }
  }

  private static let faults: [(String, @Sendable (inout TestAuthenticator) -> Void)] = [
    ("another origin", { $0.origin = "https://localhost" }),
    ("another port", { $0.origin = "http://localhost:81" }),
    ("another type", { $0.type = "webauthn.other" }),
    ("another challenge", { $0.challenge = [1, 2, 3] }),
    ("a frame of another site", { $0.isCrossOrigin = true }),
    ("a top origin", { $0.topOrigin = "https://evil.example" }),
    ("another server", { $0.serverID = "evil.example" }),
    ("no user", { $0.flags = 0x04 }),
    ("an unverified user", { $0.flags = 0x01 }),
    ("a backup that is impossible", { $0.flags = 0x15 }),
    ("surplus bytes", { $0.surplus = [0] }),
    ("an extension that is missing", { $0.flags = 0x85 }),
  ]

  @Test func `a sign-in with a wrong answer of the authenticator is refused`() async throws {
    try await PasskeyScene.with { passkey, _ in
      let more: [(String, @Sendable (inout TestAuthenticator) -> Void)] = [
        ("another user", { $0.userHandle = Array(repeating: 1, count: 64) }),
        ("no user handle", { $0.userHandle = nil }),
        ("another key", { $0.key = .p256(P256.Signing.PrivateKey()) }),
        ("an unknown passkey", { $0.credentialID = [1] }),
        ("a passkey that can be copied now", { $0.flags = 0x0D }),
      ]
      for (name, change) in Self.faults + more {
        var authenticator = passkey.authenticator
        change(&authenticator)
        let browser = passkey.scene.browser
        let page = try await passkey.signIn(browser, authenticator)
        #expect(page.status == 403, "\(name)")
        #expect(try await browser.get("/account").status == 303, "\(name)")
      }
      for (field, text) in [
        ("signature", "AAAA"), ("client_data", "AAAA"), ("authenticator_data", ""),
        ("credential", "!"), ("challenge", "AAAA"),
      ] {
        let page = try await passkey.signIn(passkey.scene.browser, nil, [field: text])
        #expect(page.status == 403, "\(field)")
      }
    }
  }

  @Test func `a new passkey is refused if the authenticator's answer is wrong`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      for (name, change) in Self.faults {
        var authenticator = TestAuthenticator()
        change(&authenticator)
        let page = try await PasskeyScene.add(&authenticator, browser)
        #expect(page.status == 403, "\(name)")
      }
      let page = try await browser.get("/account/passkeys")
      #expect(page.form("/account/passkeys/change") == nil)
    }
  }

  @Test func `a passkey challenge works once, in one browser, for five minutes`() async throws {
    try await PasskeyScene.with { passkey, _ in
      let browser = passkey.scene.browser
      let page = try await browser.get("/auth/sign-in")
      let fields = try passkey.authenticator.signIn(try page.challenge())
      let other = passkey.scene.browser
      let otherPage = try await other.get("/auth/sign-in")
      var stolen = fields
      stolen["challenge"] = page.form("/auth/passkey")?["challenge"]
      #expect(try await other.submit(otherPage, "/auth/passkey", stolen).status == 403)
      // The sign-in replaces the form cookie, but the copied cookies still contain the old one.
      let copy = passkey.scene.browser.copying(browser)
      #expect(try await browser.submit(page, "/auth/passkey", fields).status == 200)
      let again = try await copy.submit(page, "/auth/passkey", fields)
      #expect(again.status == 403)
      #expect(again.text.contains("open for too long"))
      let late = passkey.scene.browser
      let latePage = try await late.get("/auth/sign-in")
      let lateFields = try passkey.authenticator.signIn(try latePage.challenge())
      passkey.scene.clock.move(bySeconds: 301)
      #expect(try await late.submit(latePage, "/auth/passkey", lateFields).status == 403)
    }
  }

  @Test func `a sign-in challenge creates no passkey, and a creation challenge opens no account`()
    async throws
  {
    try await PasskeyScene.with { passkey, browser in
      let asked = try await browser.submit(
        try await browser.get("/account/passkeys"), "/account/passkeys/new",
        ["current": SignInScene.password, "name": "Second"])
      let other = passkey.scene.browser
      let signIn = try await other.get("/auth/sign-in")
      var fields = TestAuthenticator().creation(try signIn.challenge())
      fields["challenge"] = signIn.form("/auth/passkey")?["challenge"]
      #expect(try await browser.submit(asked, "/account/passkeys/add", fields).status == 403)
      var reverse = try passkey.authenticator.signIn(try asked.challenge())
      reverse["challenge"] = asked.form("/account/passkeys/add")?["challenge"]
      #expect(try await other.submit(signIn, "/auth/passkey", reverse).status == 403)
    }
  }

  @Test func `a passkey whose signature count does not grow is shown as possibly copied`()
    async throws
  {
    try await PasskeyScene.with { passkey, browser in
      var authenticator = passkey.authenticator
      for (count, isCopied) in [(5, false), (6, false), (6, true)] {
        authenticator.signCount = UInt32(count)
        #expect(try await passkey.signIn(passkey.scene.browser, authenticator).status == 200)
        let page = try await browser.get("/account/passkeys")
        #expect(page.text.contains("may have been copied") == isCopied)
      }
      #expect(passkey.scene.log.text.contains("may have been copied"))
    }
  }

  @Test func `adding, renaming and removing a passkey needs the password`() async throws {
    try await PasskeyScene.with { passkey, browser in
      let id = Base64URL.encode(passkey.authenticator.credentialID)
      let page = try await browser.get("/account/passkeys")
      let wrong = try await browser.submit(
        page, "/account/passkeys/new", ["current": "wrong password", "name": "x"])
      #expect(wrong.status == 403)
      for action in ["rename", "remove"] {
        let refused = try await browser.submit(
          page, "/account/passkeys/change",
          ["id": id, "action": action, "name": "Stolen", "current": "wrong password"])
        #expect(refused.status == 403)
        #expect(refused.text.contains("My phone"))
      }
      let renamed = try await browser.submit(
        page, "/account/passkeys/change",
        [
          "id": id, "action": "rename", "name": "<b>\u{202E}Phone</b>",
          "current": SignInScene.password,
        ])
      #expect(renamed.text.contains("&lt;b&gt;\u{FFFD}Phone&lt;/b&gt;"))
      let removed = try await browser.submit(
        renamed, "/account/passkeys/change",
        ["id": id, "action": "remove", "current": SignInScene.password])
      #expect(removed.form("/account/passkeys/change") == nil)
      #expect(try await passkey.signIn(passkey.scene.browser).status == 403)
    }
  }

  @Test func `a passkey belongs to one account`() async throws {
    try await PasskeyScene.with { passkey, browser in
      try await passkey.scene.server.manage(
        "accounts/create", ["email": "bob@example.org", "password": "\(SignInScene.password)"])
      let other = passkey.scene.browser
      _ = try await other.signIn(email: "bob@example.org")
      var copy = passkey.authenticator
      #expect(try await PasskeyScene.add(&copy, other).status == 409)
      let id = Base64URL.encode(passkey.authenticator.credentialID)
      var own = TestAuthenticator()
      let page = try await PasskeyScene.add(&own, other)
      _ = try await other.submit(
        page, "/account/passkeys/change",
        ["id": id, "action": "remove", "current": SignInScene.password])
      #expect(try await passkey.signIn(passkey.scene.browser).status == 200)
    }
  }

  @Test func `a passkey can replace the password, and then the last passkey cannot be removed`()
    async throws
  {
    try await PasskeyScene.with { passkey, browser in
      let id = Base64URL.encode(passkey.authenticator.credentialID)
      let page = try await browser.get("/account/passkeys")
      let only = try await browser.submit(
        page, "/account/passkeys/only", ["current": SignInScene.password])
      #expect(only.status == 200)
      #expect(try await passkey.scene.browser.signIn().status == 403)
      let last = try await browser.submit(
        only, "/account/passkeys/change", ["id": id, "action": "remove"])
      #expect(last.status == 409)
      let account = try await browser.get("/account")
      #expect(account.text.contains("no password"))
      #expect(account.form("/account/password") == nil)
      // Without a password, a change needs a recent sign-in.
      passkey.scene.clock.move(bySeconds: 601)
      let late = try await browser.submit(
        try await browser.get("/account/passkeys"), "/account/passkeys/new", ["name": "x"])
      #expect(late.status == 403)
      let fresh = passkey.scene.browser
      _ = try await passkey.signIn(fresh)
      var second = TestAuthenticator()
      let added = try await PasskeyScene.add(&second, fresh, password: nil, name: "Key two")
      #expect(added.text.contains("Key two"))
    }
  }

  @Test func `a disabled account cannot sign in with a passkey`() async throws {
    try await PasskeyScene.with { passkey, _ in
      try await passkey.scene.server.manage(
        "accounts/disable", ["email": "\(SignInScene.email)"])
      #expect(try await passkey.signIn(passkey.scene.browser).status == 403)
    }
  }

  @Test func `a server under an IP address offers no passkeys`() async throws {
    try await SignInScene.with { scene in
      for (host, hasPasskeys) in [
        ("127.0.0.1:8080", false), ("[::1]:8080", false), ("notes.localhost:8080", true),
      ] {
        let browser = scene.browser
        browser.host = host
        let page = try await browser.get("/auth/sign-in")
        #expect(page.status == 200)
        #expect((page.form("/auth/passkey") != nil) == hasPasskeys, "\(host)")
      }
      let site = try #require(PasskeySite(serverURL: "https://Cloud.Example.org:8443"))
      #expect(site.id == "cloud.example.org")
      #expect(site.origin == "https://cloud.example.org:8443")
    }
  }
}
