import StratusAccounts
import StratusDomain
import StratusTesting
import Testing

/// Sign-up, invitations and forgotten passwords.
@Suite struct `An address that a mail verifies` {
  @Test func `if the server is open to sign-ups, a visitor creates an account by a mailed link`()
    async throws
  {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      #expect(try await browser.get("/auth/sign-in").text.contains("href=\"/auth/sign-up\""))
      let page = try await mail.ask(browser, "/auth/sign-up", " Bea@Example.org ")
      #expect(page.status == 200)
      let mails = try await mail.mails()
      #expect(mails.map(\.recipient) == ["bea@example.org"])
      let link = try MailScene.link(in: try #require(mails.first))
      let form = try await browser.get(link)
      #expect(form.text.contains("bea@example.org"))
      let weak = try await browser.submit(form, "/auth/code", ["password": "password1"])
      #expect(weak.status == 422)
      let account = try await browser.submit(
        weak, "/auth/code", ["password": MailScene.newPassword])
      #expect(account.status == 200)
      #expect(account.text.contains("bea@example.org"))
      let later = try await mail.scene.browser.signIn(
        email: "bea@example.org", password: MailScene.newPassword)
      #expect(later.status == 200)
      // The link works once.
      #expect(try await browser.get(link).status == 400)
    }
  }

  @Test func `a password reset by mail signs out other browsers, and a second mail reports it`()
    async throws
  {
    try await MailScene.with(.closed) { mail in
      let scene = mail.scene
      let browser = scene.browser, other = scene.browser
      _ = try await other.signIn()
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      let form = try await browser.get(try await mail.link())
      _ = try await browser.submit(form, "/auth/code", ["password": MailScene.newPassword])
      #expect(try await other.get("/account").status == 303)
      #expect(try await scene.browser.signIn().status == 403)
      #expect(try await scene.browser.signIn(password: MailScene.newPassword).status == 200)
      #expect(try await mail.mails().map(\.subject) == ["Your password was changed"])
    }
  }

  @Test func `a new password on the account page is announced by a mail`() async throws {
    try await MailScene.with(.closed) { mail in
      let browser = mail.scene.browser
      let page = try await browser.signIn()
      for (current, subjects) in [
        ("wrong", []), (SignInScene.password, ["Your password was changed"]),
      ] as [(String, [String])] {
        _ = try await browser.submit(
          page, "/account/password", ["current": current, "password": MailScene.newPassword])
        #expect(try await mail.mails().map(\.subject) == subjects)
      }
    }
  }

  @Test func `the sign-up and reset pages do not show whether an address has an account`()
    async throws
  {
    try await MailScene.with { mail in
      for path in ["/auth/reset", "/auth/sign-up"] {
        var pages: Set<String> = []
        for email in [SignInScene.email, "none@example.org"] {
          let page = try await mail.ask(mail.scene.browser, path, email)
          pages.insert("\(page.status)" + page.text.replacing(email, with: ""))
          let mails = try await mail.mails()
          try #require(mails.count == 1)
          let hasLink = mails[0].text.contains("/auth/code?code=")
          #expect(hasLink == ((path == "/auth/reset") == (email == SignInScene.email)))
        }
        #expect(pages.count == 1)
      }
    }
  }

  @Test func `a mailed link is valid for ten minutes, and only in the browser that asked for it`()
    async throws
  {
    try await MailScene.with { mail in
      let browser = mail.scene.browser, other = mail.scene.browser
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      let path = try await mail.link()
      _ = try await other.get("/auth/sign-in")
      #expect(try await other.get(path).status == 400)
      mail.scene.clock.move(bySeconds: 600)
      #expect(try await browser.get(path).status == 200)
      for wrong in ["/auth/code", "/auth/code?code=", path.dropLast() + "x", path + "0"] {
        #expect(try await browser.get(String(wrong)).status == 400)
      }
      mail.scene.clock.move(bySeconds: 1)
      #expect(try await browser.get(path).status == 400)
    }
  }

  @Test func `a second mail makes the link of the first mail invalid`() async throws {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      let first = try await mail.link()
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      let second = try await mail.link()
      #expect(try await browser.get(first).status == 400)
      #expect(try await browser.get(second).status == 200)
    }
  }

  @Test func `a request in another browser leaves the link of the first browser valid`()
    async throws
  {
    try await MailScene.with { mail in
      let browser = mail.scene.browser, other = mail.scene.browser
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      let link = try await mail.link()
      _ = try await mail.ask(other, "/auth/reset", SignInScene.email)
      #expect(try await browser.get(link).status == 200)
    }
  }

  @Test func `a changed password makes an earlier reset link invalid`() async throws {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      let link = try await mail.link()
      _ = try await mail.server.manage(
        "accounts/configure",
        ["email": "\(SignInScene.email)", "password": "\(MailScene.newPassword)"])
      #expect(try await browser.get(link).status == 400)
    }
  }

  @Test func `the reset link of a disabled account changes nothing`() async throws {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      let form = try await browser.get(try await mail.link())
      try await mail.server.manage("accounts/disable", ["email": "\(SignInScene.email)"])
      let answer = try await browser.submit(
        form, "/auth/code", ["password": MailScene.newPassword])
      #expect(answer.status == 400)
      try await mail.server.manage("accounts/enable", ["email": "\(SignInScene.email)"])
      #expect(try await mail.scene.browser.signIn().status == 200)
    }
  }

  @Test func `an invited person creates an account within a week, in any browser`() async throws {
    try await MailScene.with(.invited) { mail in
      let browser = mail.scene.browser
      #expect(try await browser.get("/auth/sign-up").status == 404)
      let answer = try await mail.server.manage(
        "accounts/invite", ["email": "Cid@example.org", "mailed": true])
      #expect(answer["url"].isNull)
      let link = try await mail.link()
      mail.scene.clock.move(bySeconds: 7 * 86_400)
      let form = try await browser.get(link)
      let account = try await browser.submit(
        form, "/auth/code", ["password": MailScene.newPassword])
      #expect(account.text.contains("cid@example.org"))
      let again = try await mail.server.managementAnswer(
        "accounts/invite", ["email": "cid@example.org", "mailed": false])
      #expect(again.status == 400)
    }
  }

  @Test func `a server without mail can print invitations, and a closed server refuses them`()
    async throws
  {
    try await MailScene.with(.invited, isAvailable: false) { mail in
      let printed = try await mail.server.manage(
        "accounts/invite", ["email": "dan@example.org", "mailed": false])
      let url = try #require(printed["url"].string)
      #expect(url.hasPrefix(MailScene.url + "/auth/code?code="))
      let page = try await mail.scene.browser.get(String(url.dropFirst(MailScene.url.count)))
      #expect(page.status == 200)
      let mailed = try await mail.server.managementAnswer(
        "accounts/invite", ["email": "dan@example.org", "mailed": true])
      #expect(mailed.status == 400)
    }
    try await MailScene.with(.closed) { mail in
      let refused = try await mail.server.managementAnswer(
        "accounts/invite", ["email": "dan@example.org", "mailed": false])
      #expect(refused.status == 400)
    }
  }

  @Test(arguments: ["anna", "a@b@c", "a b@example.org", "anna@example.org\r\nBcc: b@c", ""])
  func `a text that is not an address gets no mail`(email: String) async throws {
    try await MailScene.with { mail in
      let page = try await mail.ask(mail.scene.browser, "/auth/sign-up", email)
      #expect(page.status == 422)
      #expect(try await mail.mails().isEmpty)
    }
  }

  @Test func `a closed server without mails has no pages for sign-up and reset`() async throws {
    try await MailScene.with(.closed, isAvailable: false) { mail in
      let browser = mail.scene.browser
      for path in ["/auth/sign-up", "/auth/reset"] {
        #expect(try await browser.get(path).status == 404)
      }
      let signIn = try await browser.get("/auth/sign-in")
      #expect(!signIn.text.contains("/auth/reset"))
    }
  }

  @Test func `the sign-up and reset pages of an app's sign-in lead back to the app`() async throws {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      let target = try await mail.scene.signInTarget()
      let request = String(target.drop { $0 != "?" })
      let signIn = try await browser.get(target)
      #expect(signIn.text.contains("href=\"/auth/reset\(request)\""))
      let reset = try await browser.get("/auth/reset" + request)
      let sent = try await browser.submit(
        reset, "/auth/reset", ["email": SignInScene.email])
      #expect(sent.text.contains("href=\"\(target)\""))
      #expect(sent.header("Cross-Origin-Opener-Policy") == nil)
      let forged = try await browser.get("/auth/reset?request=%22%3E%3Cscript%3E")
      #expect(!forged.text.contains("script>"))
    }
  }
}
