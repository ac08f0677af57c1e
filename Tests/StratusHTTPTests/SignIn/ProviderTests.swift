import Crypto
import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusAccounts

/// A server with an identity provider.
private struct ProviderScene {
  let scene: SignInScene
  let issuer: TestIssuer

  static func with(
    secret: String? = "a secret/+", domains: Set<String> = ["example.org"],
    policy: SignUpPolicy = .closed, trustsPhones: Bool = false,
    _ body: (ProviderScene) async throws -> Void
  ) async throws {
    let clock = MovedClock()
    let issuer = TestIssuer(now: { clock.now })
    let client = ProviderClient(
      [
        IdentityProvider(
          id: "work", name: "Work", issuer: "https://id.example", clientID: "client",
          clientSecret: secret, algorithm: .es256, trustedDomains: domains,
          isTrustedForPhones: trustsPhones)
      ], requests: issuer)
    let mail = MailSettings(serverURL: nil, policy: policy, isAvailable: true)
    try await SignInScene.with(mail: mail, providers: client, clock: clock) { scene in
      try await body(ProviderScene(scene: scene, issuer: issuer))
    }
  }

  /// Signs in at the provider. Returns the page of the server to which the browser comes back.
  func signIn(
    _ browser: Browser, _ changes: [String: String?] = [:], target: String = "/auth/sign-in"
  ) async throws -> Browser.Page {
    let url = try await begin(browser, target: target)
    return try await browser.open(try issuer.authorize(url, changes))
  }

  /// Opens the link to the provider on the sign-in page, and returns the provider's URL.
  func begin(_ browser: Browser, target: String = "/auth/sign-in") async throws -> String {
    let page = try await browser.open(target)
    let links = page.text.split(separator: "href=\"").dropFirst().map {
      String($0.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
    }
    let link = try #require(links.first { $0.hasPrefix("/auth/provider") }, "\(page.text)")
    let answer = try await browser.get(link)
    #expect(answer.status == 303)
    return try #require(answer.location)
  }

  /// Links the user of the provider to a signed-in account.
  func link(
    _ browser: Browser, password: String = SignInScene.password
  ) async throws -> Browser.Page {
    let page = try await browser.submit(
      try await browser.get("/account/providers"), "/account/providers/link",
      ["provider": "work", "current": password])
    guard let begin = page.text.range(of: "href=\"https://id.example") else { return page }
    let rest = page.text[begin.lowerBound...].dropFirst("href=\"".count)
    let url = String(rest.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
    return try await browser.open(try issuer.authorize(url))
  }
}

/// OpenID Connect Core 1.0, the authorization code flow.
@Suite struct `A sign-in at an identity provider` {
  @Test func `a user whose account is linked signs in at the provider and returns to the app`()
    async throws
  {
    try await ProviderScene.with { provider in
      let owner = provider.scene.browser
      _ = try await owner.signIn()
      let linked = try await provider.link(owner)
      #expect(linked.status == 200)
      #expect(linked.text.contains("carol@example.org"))
      let target = try await provider.scene.signInTarget()
      let consent = try await provider.signIn(provider.scene.browser, target: target)
      #expect(consent.text.contains("Continue?"))
      #expect(consent.text.contains(SignInScene.email))
    }
  }

  /// The telephone numbers that the profile page shows.
  private func shownPhones(_ browser: Browser) async throws -> [String] {
    try await browser.get("/account/profile").text.matches(of: /<li>(\+[0-9]+)<\/li>/).map {
      String($0.output.1)
    }
  }

  @Test func `a telephone number is kept only if a trusted provider calls it verified`()
    async throws
  {
    for trusts in [false, true] {
      try await ProviderScene.with(policy: .open, trustsPhones: trusts) { provider in
        func state(_ number: JSON, _ isVerified: JSON) {
          provider.issuer.set { settings in
            settings.scope = trusts ? "openid email phone" : "openid email"
            settings.change = {
              $0["phone_number"] = number
              $0["phone_number_verified"] = isVerified
            }
          }
        }
        for (number, isVerified, shown) in [
          ("+49 (30) 123-4567", false, nil), ("+49 (30) 123-4567", true, "+49301234567"),
          ("030 1234567", true, nil), ("+1 650 555 0100", "true", "+16505550100"),
          ("+1 650 555 0100", nil, nil),
        ] as [(JSON, JSON, String?)] {
          state(number, isVerified)
          let browser = provider.scene.browser
          _ = try await provider.signIn(browser)
          let expected = trusts ? [shown].compactMap { $0 } : []
          #expect(try await shownPhones(browser) == expected, "\(number) \(isVerified)")
        }
      }
    }
  }

  @Test func `the server sends its secret and the code's verifier to the provider`() async throws {
    for (methods, isBasic) in [
      (nil, true), (["client_secret_post"], false),
      (["client_secret_post", "client_secret_basic"], true),
    ] as [([String]?, Bool)] {
      try await ProviderScene.with { provider in
        provider.issuer.set { $0.tokenMethods = methods }
        _ = try await provider.signIn(provider.scene.browser)
        let sent = try #require(provider.issuer.requests.first { $0.form != nil })
        // RFC 6749 §2.3.1: the ID and the secret are encoded like a form.
        let expected = OutgoingRequest.Credentials(user: "client", password: "a%20secret%2F%2B")
        #expect(sent.credentials == (isBasic ? expected : nil))
        #expect(sent.form?["client_secret"] == (isBasic ? nil : "a secret/+"))
        #expect(sent.form?["redirect_uri"] == "http://localhost/auth/callback/work")
        // RFC 7636 §4.1: a verifier has 43 to 128 characters.
        #expect((43...128).contains(sent.form?["code_verifier"]?.utf8.count ?? 0))
      }
    }
  }

  private typealias Change = @Sendable (inout TestIssuer.Settings) -> Void

  private static func claim(_ name: String, _ value: JSON) -> Change {
    { settings in settings.change = { $0[name] = value } }
  }

  /// Wrong answers of a provider, and answers that are forged.
  private static let faults: [(String, Change)] = [
    ("another issuer", claim("iss", "https://evil.example")),
    ("an issuer with a slash", claim("iss", "https://id.example/")),
    ("another audience", claim("aud", "other")), ("no audience", claim("aud", [])),
    ("several audiences without a party", claim("aud", ["client", "other"])),
    ("another party", claim("azp", "other")), ("another nonce", claim("nonce", "other")),
    ("no nonce", claim("nonce", nil)), ("an expired token", claim("exp", 1_767_225_400)),
    ("no time of expiry", claim("exp", nil)), ("a text as a time", claim("exp", "soon")),
    ("an old token", claim("iat", 1_767_220_000)),
    ("a token of the future", claim("iat", 1_767_225_900)),
    ("a token that is not valid yet", claim("nbf", 1_767_225_900)),
    ("no subject", claim("sub", nil)), ("an empty subject", claim("sub", "")),
    ("a long subject", claim("sub", .string(String(repeating: "a", count: 256)))),
    ("another algorithm", { $0.algorithm = "RS256" }),
    ("an unknown key", { $0.headerKeyID = "unknown" }),
    ("another key of the set", { $0.keyIDs = ["first", "second"] }),
    (
      "no signature",
      { settings in
        settings.algorithm = "none"
        settings.forge = { "\($0).\($1)." }
      }
    ),
    ("an empty signature", { $0.forge = { "\($0).\($1)." } }),
    ("no third part", { $0.forge = { "\($0).\($1)" } }),
    ("a text", { $0.forge = { _, _ in "x" } }),
    ("another issuer in the description", { $0.describedIssuer = "https://evil.example" }),
    ("a token URL without HTTPS", { $0.tokenURL = "http://id.example/token" }),
    ("a failing provider", { $0.status = 500 }), ("a redirect", { $0.status = 302 }),
  ]

  @Test func `a wrong answer of the provider opens no account`() async throws {
    for (name, change) in Self.faults {
      try await ProviderScene.with { provider in
        try await provider.scene.server.manage(
          "accounts/create", ["email": "carol@example.org"])
        provider.issuer.set(change)
        let browser = provider.scene.browser
        let page = try await browser.open("/auth/sign-in")
        let answer = try await browser.get("/auth/provider?id=work")
        if let url = answer.location {
          let back = try await browser.open(try provider.issuer.authorize(url))
          #expect(back.status == 403, "\(name)")
        } else {
          #expect(answer.status == 503, "\(name)")
        }
        #expect(page.status == 200)
        #expect(try await browser.get("/account").status == 303, "\(name)")
        // The same sign-in without the fault opens the account.
        provider.issuer.reset()
        provider.scene.clock.move(bySeconds: 3_601)
        #expect(try await provider.signIn(browser).status == 200, "\(name)")
      }
    }
  }

  @Test func `a token that is signed with the public key as a secret is refused`() async throws {
    try await ProviderScene.with { provider in
      let secret = provider.issuer.publicKeyBytes
      provider.issuer.set { settings in
        settings.algorithm = "HS256"
        settings.forge = { head, body in
          let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(head).\(body)".utf8), using: SymmetricKey(data: secret))
          return "\(head).\(body).\(Base64URL.encode(Array(code)))"
        }
      }
      let answer = try await provider.signIn(provider.scene.browser)
      #expect(answer.status == 403)
      #expect(provider.scene.log.text.contains("the algorithm of the ID token"))
    }
  }

  @Test func `the state parameter works once, for 15 minutes, in one browser and for one provider`()
    async throws
  {
    try await ProviderScene.with { provider in
      try await provider.scene.server.manage("accounts/create", ["email": "carol@example.org"])
      let browser = provider.scene.browser
      let url = try await provider.begin(browser)
      let back = try provider.issuer.authorize(url)
      // The URL is opened in another browser, such as a victim's browser.
      #expect(try await provider.scene.browser.get(back).status == 403)
      let copy = provider.scene.browser.copying(browser)
      #expect(try await browser.open(back).status == 200)
      _ = try provider.issuer.authorize(url)
      #expect(try await copy.get(back).status == 403)
      for wrong in ["", "x", "AAAA"] {
        let page = try await provider.signIn(provider.scene.browser, ["state": wrong])
        #expect(page.status == 403)
      }
      let late = provider.scene.browser
      let lateBack = try provider.issuer.authorize(try await provider.begin(late))
      provider.scene.clock.move(bySeconds: 901)
      #expect(try await late.get(lateBack).status == 403)
      let other = lateBack.replacing("/auth/callback/work", with: "/auth/callback/other")
      #expect(try await late.get(other).status == 404)
    }
  }

  /// RFC 9207.
  @Test func `an answer with a wrong issuer, or without a promised issuer, is refused`()
    async throws
  {
    for (namesIssuer, issuer, isGood) in [
      (true, "https://id.example", true), (true, nil, false), (true, "https://evil.example", false),
      (false, nil, true), (false, "https://id.example", true),
      (false, "https://evil.example", false),
    ] as [(Bool, String?, Bool)] {
      try await ProviderScene.with { provider in
        try await provider.scene.server.manage("accounts/create", ["email": "carol@example.org"])
        provider.issuer.set { $0.namesIssuer = namesIssuer }
        let page = try await provider.signIn(provider.scene.browser, ["iss": issuer])
        #expect((page.status == 200) == isGood, "\(namesIssuer) \(issuer ?? "-")")
      }
    }
  }

  /// OWASP ASVS 7.6.2: many providers sign in a known user without a question.
  @Test func `another site cannot begin a sign-in at a provider`() async throws {
    try await ProviderScene.with { provider in
      let browser = provider.scene.browser
      for (site, status) in [
        ("cross-site", 200), ("same-site", 200), ("none", 303), ("same-origin", 303),
      ] {
        browser.fields = ["Sec-Fetch-Site": site]
        let answer = try await browser.get("/auth/provider?id=work")
        #expect(answer.status == status, "\(site)")
        #expect((answer.form("/auth/sign-in") != nil) == (status == 200), "\(site)")
      }
    }
  }

  @Test func `a user who cancels at the provider is not signed in`() async throws {
    try await ProviderScene.with { provider in
      for changes in [["error": "access_denied", "code": nil], ["code": nil], ["code": ""]]
        as [[String: String?]]
      {
        let page = try await provider.signIn(provider.scene.browser, changes)
        #expect(page.status == 403)
        #expect(page.text.contains("The sign-in with Work failed"))
      }
      #expect(provider.issuer.requests.allSatisfy { $0.form == nil })
    }
  }

  @Test func `the server fetches a provider's new keys, but at most once a minute`() async throws {
    try await ProviderScene.with { provider in
      try await provider.scene.server.manage("accounts/create", ["email": "carol@example.org"])
      func fetches() -> Int {
        provider.issuer.requests.count { $0.url == "https://id.example/keys" }
      }
      #expect(try await provider.signIn(provider.scene.browser).status == 200)
      #expect(fetches() == 1)
      provider.issuer.set {
        $0.keyIDs = ["first", "second"]
        $0.headerKeyID = "second"
      }
      #expect(try await provider.signIn(provider.scene.browser).status == 403)
      #expect(fetches() == 1)
      provider.scene.clock.move(bySeconds: 61)
      #expect(try await provider.signIn(provider.scene.browser).status == 200)
      #expect(try await provider.signIn(provider.scene.browser).status == 200)
      #expect(fetches() == 2)
    }
  }

  @Test func `a verified address links an account only if the provider is trusted for its domain`()
    async throws
  {
    for (domains, isVerified, isGood) in [
      (["example.org"], true, true), (["*"], "true", true), ([], true, false),
      (["example.com"], true, false), (["example.org"], false, false),
      (["example.org"], nil, false), (["org"], true, false),
    ] as [(Set<String>, JSON, Bool)] {
      try await ProviderScene.with(domains: domains) { provider in
        try await provider.scene.server.manage("accounts/create", ["email": "carol@example.org"])
        provider.issuer.set { $0.isEmailVerified = isVerified }
        let browser = provider.scene.browser
        let page = try await provider.signIn(browser)
        #expect((page.status == 200) == isGood, "\(domains) \(isVerified)")
        let account = try await browser.get("/account")
        #expect((account.status == 200) == isGood)
        if !isGood { #expect(page.text.contains("No account belongs to this user")) }
      }
    }
  }

  @Test func `the issuer and the subject identify a provider's user, and the address does not`()
    async throws
  {
    try await ProviderScene.with { provider in
      try await provider.scene.server.manage("accounts/create", ["email": "carol@example.org"])
      _ = try await provider.signIn(provider.scene.browser)
      provider.issuer.set { $0.email = SignInScene.email }
      let same = try await provider.signIn(provider.scene.browser)
      #expect(same.text.contains("carol@example.org"))
      #expect(!same.text.contains(SignInScene.email))
    }
  }

  @Test func `a sign-in at a provider creates an account only if everyone may sign up`()
    async throws
  {
    for policy in SignUpPolicy.allCases {
      try await ProviderScene.with(policy: policy) { provider in
        let page = try await provider.signIn(provider.scene.browser)
        #expect((page.status == 200) == (policy == .open), "\(policy)")
      }
    }
  }

  @Test func `a sign-in at a provider does not replace the second factor`() async throws {
    try await ProviderScene.with { provider in
      let owner = provider.scene.browser
      _ = try await owner.signIn()
      _ = try await provider.link(owner)
      let page = try await owner.get("/account/factor")
      let text = page.text.split(separator: "<code>").dropFirst().first.map {
        String($0.prefix { $0 != "<" }).replacing(" ", with: "")
      }
      let secret = try #require(Self.bytes(ofBase32: text ?? ""))
      func code() -> String {
        TimeCode.code(secret: secret, step: TimeCode.step(at: provider.scene.clock.now))
      }
      _ = try await owner.submit(
        page, "/account/factor", ["current": SignInScene.password, "code": code()])
      provider.scene.clock.move(bySeconds: 30)
      let browser = provider.scene.browser
      let step = try await provider.signIn(browser)
      #expect(step.form("/auth/second-step") != nil)
      #expect(try await browser.get("/account").status == 303)
      let account = try await browser.submit(step, "/auth/second-step", ["factor": code()])
      #expect(account.status == 200)
    }
  }

  private static func bytes(ofBase32 text: String) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    for character in text {
      guard let digit = alphabet.firstIndex(of: character) else { return nil }
      bits = (bits << 5 | digit) & 0xFFFF
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 255))
      }
    }
    return bytes
  }

  @Test func `a link to a provider needs the password, and a removed link opens no account`()
    async throws
  {
    try await ProviderScene.with { provider in
      let owner = provider.scene.browser
      _ = try await owner.signIn()
      #expect(try await provider.link(owner, password: "wrong password").status == 403)
      _ = try await provider.link(owner)
      // The provider's user is already linked to an account.
      #expect(try await provider.link(owner).status == 409)
      let page = try await owner.get("/account/providers")
      let id = try #require(page.form("/account/providers/remove")?["id"])
      let removed = try await owner.submit(
        page, "/account/providers/remove", ["id": id, "current": SignInScene.password])
      #expect(removed.form("/account/providers/remove") == nil)
      #expect(try await provider.signIn(provider.scene.browser).status == 403)
    }
  }

  @Test func `a disabled account cannot sign in at a provider`() async throws {
    try await ProviderScene.with { provider in
      let owner = provider.scene.browser
      _ = try await owner.signIn()
      _ = try await provider.link(owner)
      try await provider.scene.server.manage(
        "accounts/disable", ["email": "\(SignInScene.email)"])
      #expect(try await provider.signIn(provider.scene.browser).status == 403)
    }
  }

  @Test(arguments: [
    ("https://id.example", true), ("http://localhost:5556/dex", true), ("http://id.example", false),
    ("ftp://id.example", false), ("https://id.example@evil.example", false), ("", false),
    ("https://id.example/a b", false), ("file:///etc/passwd", false),
    ("http://127.0.0.1.evil.example", false),
  ])
  func `a provider's URL must use HTTPS or lead to the same machine`(url: String, isGood: Bool) {
    #expect(IdentityProvider.isPermitted(url) == isGood)
  }
}

@Suite struct `The ID tokens of a provider` {
  private static let seed: UInt64 = 43

  /// Changes, cuts and extends a token.
  @Test func `a damaged ID token never crashes the process`() throws {
    print("the seed of the reader of tokens is \(Self.seed)")
    var chance = SeededChance(seed: Self.seed)
    let head = Base64URL.encode(Array(#"{"alg":"ES256","kid":"a"}"#.utf8))
    let body = Base64URL.encode(
      Array(#"{"iss":"i","sub":"s","aud":["c"],"exp":9,"iat":1,"nonce":"n"}"#.utf8))
    let token = Array("\(head).\(body).AAAA".utf8)
    #expect((try? IDTokenCheck.SignedToken(String(decoding: token, as: UTF8.self))) != nil)
    var refused = 0
    for _ in 0..<20_000 {
      var changed = token
      for _ in 0..<Int.random(in: 1...3, using: &chance) {
        let index = Int.random(in: 0..<changed.count, using: &chance)
        switch Int.random(in: 0..<3, using: &chance) {
        case 0: changed[index] = UInt8.random(in: 0...255, using: &chance)
        case 1 where changed.count > 1: changed.removeLast(min(index, changed.count - 1))
        default: changed.insert(UInt8.random(in: 33...126, using: &chance), at: index)
        }
      }
      do { _ = try IDTokenCheck.SignedToken(String(decoding: changed, as: UTF8.self)) } catch {
        refused += 1
      }
    }
    #expect(refused > 10_000)
  }

  /// RFC 8037, appendix A.4, and RFC 7515, appendices A.2 and A.3.
  @Test func `the signature examples of RFC 8037 and RFC 7515 are valid`() throws {
    let coordinate = try #require(
      Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    let point = try #require(PublicKey.ed25519(coordinate))
    let message = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
    let signature = try #require(
      Base64URL.decode(
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"))
    #expect(point.isTokenSignature(signature, of: message, .edDSA))
    #expect(!point.isTokenSignature(signature, of: message + [0], .edDSA))
    #expect(!point.isTokenSignature(signature, of: message, .es256))
    let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
    let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    let curve = try #require(PublicKey.p256(x: x, y: y))
    let claims =
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
      + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    let second = try #require(
      Base64URL.decode(
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA"
          + "pmWQxfKTUJqPP3-Kg6NU1Q"))
    let text = Array("eyJhbGciOiJFUzI1NiJ9.\(claims)".utf8)
    #expect(curve.isTokenSignature(second, of: text, .es256))
    #expect(!curve.isTokenSignature(second.reversed(), of: text, .es256))
  }
}
