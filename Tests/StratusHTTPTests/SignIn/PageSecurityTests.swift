import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// Forms, cookies and header fields of the server's own pages.
@Suite struct `The server's own pages` {
  @Test func `a form of another site or another browser is refused`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let page = try await browser.get("/auth/sign-in")
      let good: [String: String?] = ["email": SignInScene.email, "password": SignInScene.password]
      let other = scene.browser
      let foreign = try #require(
        try await other.get("/auth/sign-in").form("/auth/sign-in")?["form"])
      for form in [nil, "", "x", foreign] as [String?] {
        let answer = try await browser.submit(
          page, "/auth/sign-in", good.merging(["form": form]) { $1 }, follows: false)
        #expect(answer.status == 403)
        #expect(answer.text.contains("This form has expired"))
      }
      for fields in [
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ["Origin": "https://evil.example"], ["Origin": "null"],
        ["Origin": "http://localhost.evil.example"],
      ] {
        browser.fields = fields
        #expect(
          try await browser.submit(page, "/auth/sign-in", good, follows: false).status == 403)
      }
      browser.fields = ["Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"]
      #expect(try await browser.submit(page, "/auth/sign-in", good).status == 200)
      browser.fields = [:]
      // The form from before the sign-in is refused if the browser does not send the form's cookie.
      browser.remove(cookie: "stratus-form")
      #expect(try await browser.submit(page, "/auth/sign-in", good).status == 403)
    }
  }

  @Test func `a GET request to a page of the server changes nothing`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      for path in [
        "/auth/sign-out", "/auth/continue", "/account/end-all", "/account/password",
        "/account/none", "/auth", "/auth/",
      ] {
        #expect(try await browser.get(path).status == 404, "\(path)")
      }
      #expect(try await browser.get("/account").status == 200)
    }
  }

  @Test
  func `sign-in pages protect cookies on HTTPS and need HTTPS except on localhost`() async throws {
    try await SignInScene.with { scene in
      var router = scene.server.router
      let plain = scene.browser
      for host in [
        "cloud.example.org", "localhost.example.org", "127.0.0.1.example.org", "10.0.0.1",
      ] {
        plain.host = host
        let page = try await plain.get("/auth/sign-in")
        #expect(page.status == 403, "\(host)")
        #expect(page.text.contains("needs HTTPS"))
        #expect(page.header("Set-Cookie") == nil)
      }
      for host in ["127.0.0.1:8080", "[::1]:8080", "notes.localhost"] {
        plain.host = host
        #expect(try await plain.get("/auth/sign-in").status == 200, "\(host)")
      }
      router.isEncrypted = true
      let head = HTTPRequest(
        method: .get, scheme: "https", authority: "cloud.example.org", path: "/auth/sign-in")
      let (answer, _) = await router.answer(head, body: WholeBody([]))
      let cookie = try #require(answer.headerFields[.setCookie])
      #expect(cookie.hasPrefix("__Host-stratus-form="))
      #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
    }
  }

  @Test
  func `the server's pages have no CORS fields, cannot be framed and run no foreign script`()
    async throws
  {
    try await SignInScene.with { scene in
      let browser = scene.browser
      browser.fields = ["Origin": SignInScene.origin]
      let target = try await scene.signInTarget()
      for (path, hasOpener) in [("/auth/sign-in", false), (target, true), ("/none", nil)] {
        let page = try await browser.get(path)
        guard let hasOpener else { continue }
        #expect(page.headers.allSatisfy { !$0.name.canonicalName.hasPrefix("access-control") })
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
        #expect(policy.contains("frame-ancestors 'none'; base-uri 'none'"))
        #expect(page.header("Referrer-Policy") == "same-origin")
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("X-Content-Type-Options") == "nosniff")
        // With this field, the app's page would get no message from the sign-in.
        #expect((page.header("Cross-Origin-Opener-Policy") == nil) == hasOpener)
        #expect(!page.text.contains("<script>") && !page.text.contains(" style="))
      }
    }
  }

  @Test func `refusals by the server's own pages have no CORS headers`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      browser.fields = ["Origin": SignInScene.origin, "Access-Control-Request-Method": "POST"]
      let large = ["a": String(repeating: "b", count: 20_000)]
      for (method, path, form, status) in [
        (.options, "/auth/sign-in", nil, 405), (.put, "/account", nil, 405),
        (.post, "/auth/sign-in", nil, 400), (.post, "/auth/sign-in", large, 413),
      ] as [(HTTPRequest.Method, String, [String: String]?, Int)] {
        let page = try await browser.send(method, path, form)
        #expect(page.status == status)
        #expect(page.headers.allSatisfy { !$0.name.canonicalName.hasPrefix("access-control") })
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("X-Content-Type-Options") == "nosniff")
        #expect(page.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
      }
    }
  }

  @Test
  func `after a sign-out in an app's sign-in window, the window shows the sign-in form again`()
    async throws
  {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let consent = try await browser.signIn(try await scene.signInTarget())
      let form = try await browser.submit(consent, "/auth/sign-out")
      #expect(form.form("/auth/sign-in")?["request"] != nil)
      #expect(form.header("Cross-Origin-Opener-Policy") == nil)
    }
  }

  @Test
  func `a server error does not cut off the sign-in window from the app's page`() async throws {
    var limits = LimitSettings.unpaced
    // With this number, scrypt needs too much memory and fails.
    limits.passwordLogRounds = 40
    try await withServer(limits: limits) { server in
      let browser = Browser(server)
      let page = try await browser.signIn(email: "nobody@example.org")
      #expect(page.status == 500)
      #expect(page.header("Cross-Origin-Opener-Policy") == nil)
    }
  }

  @Test func `the pages accept a limited number of forms from one address`() async throws {
    var limits = LimitSettings(anonymousRequestsPerAddress: .init(perSecond: 1, burst: 2))
    limits.passwordLogRounds = 4
    try await withServer(live: MovedClock().live, limits: limits) { server in
      let browser = Browser(server)
      var statuses: [Int] = []
      for _ in 0..<3 { statuses.append(try await browser.send(.post, "/auth/cancel", [:]).status) }
      browser.clientAddress = "192.0.2.8"
      statuses.append(try await browser.send(.post, "/auth/cancel", [:]).status)
      #expect(statuses == [403, 403, 429, 403])
    }
  }

  @Test func `the pages accept forms sealed with the previous key, but not with an older key`()
    async throws
  {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let page = try await browser.get("/auth/sign-in")
      let target = try await scene.signInTarget()
      let good: [String: String?] = ["email": SignInScene.email, "password": SignInScene.password]
      try await scene.server.manage("web-tokens/rotate-key", [:])
      #expect(try await browser.get(target).status == 200)
      #expect(
        try await browser.submit(page, "/auth/sign-in", good.merging(["password": "x"]) { $1 })
          .text.contains("do not belong together"))
      try await scene.server.manage("web-tokens/rotate-key", [:])
      #expect(try await browser.get(target).status == 400)
      #expect(try await browser.submit(page, "/auth/sign-in", good).status == 403)
    }
  }

  @Test func `the sign-in page escapes the text that a user has entered`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      let bad = "\"><script>alert(1)</script>&'"
      let page = try await browser.signIn(email: bad, password: "x")
      #expect(page.status == 403)
      #expect(!page.text.contains("<script>"))
      #expect(page.text.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;"))
    }
  }

  @Test
  func `the cookies of the server's pages do not authenticate requests of apps`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
      let client = scene.client(nil)
      let body = Array(#"{"apnsEnvironment":"development"}"#.utf8)
      for endpoint in ["users/caller", "changes/database", "tokens/create"] {
        let answer = try await client.send(
          .post, client.target(endpoint), headers: ["Cookie": cookies], body: body)
        #expect(answer.status == 421, "\(endpoint)")
      }
    }
  }

  @Test(arguments: [
    ("text/plain", "form=x", 400), ("application/x-www-form-urlencoded", "a=%zz", 400),
    ("application/x-www-form-urlencoded", "a=%ff%fe", 400),
    ("application/x-www-form-urlencoded", String(repeating: "a=b&", count: 100), 400),
    ("application/x-www-form-urlencoded", "a=" + String(repeating: "b", count: 20_000), 413),
    ("multipart/form-data; boundary=x", "--x--", 400),
  ])
  func `a malformed form of a sign-in is refused`(type: String, body: String, status: Int)
    async throws
  {
    try await SignInScene.with { scene in
      var head = HTTPRequest(
        method: .post, scheme: "http", authority: "localhost", path: "/auth/sign-in")
      head.headerFields[.contentType] = type
      let (answer, _) = await scene.server.router.answer(head, body: WholeBody(Array(body.utf8)))
      #expect(answer.status.code == status)
      head.method = .put
      let (other, _) = await scene.server.router.answer(head, body: WholeBody([]))
      #expect(other.status.code == 405)
    }
  }
}
