import StratusDomain
import StratusTesting
import Synchronization
import Testing

/// Collects the lines that the server logs about failed mails.
private final class FailureReport: Sendable {
  private let all = Mutex<[String]>([])

  var lines: [String] { all.withLock { $0 } }

  func add(_ line: String) { all.withLock { $0.append(line) } }
}

@Suite struct `The limits on mails` {
  @Test func `one mailbox gets at most three mails in an hour, even at addresses with a suffix`()
    async throws
  {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      for email in ["bea@example.org", "bea+1@example.org", "BEA+2@example.org"] {
        _ = try await mail.ask(browser, "/auth/sign-up", email)
      }
      let fourth = try await mail.ask(browser, "/auth/sign-up", "bea+3@example.org")
      #expect(fourth.status == 200)
      #expect(try await mail.mails().count == 3)
      mail.scene.clock.move(bySeconds: 3_601)
      _ = try await mail.ask(browser, "/auth/sign-up", "bea@example.org")
      #expect(try await mail.mails().count == 1)
    }
  }

  @Test func `one mailbox gets at most ten mails in a day`() async throws {
    try await MailScene.with { mail in
      var count = 0
      for _ in 0..<14 {
        _ = try await mail.ask(mail.scene.browser, "/auth/reset", SignInScene.email)
        count += try await mail.mails().count
        mail.scene.clock.move(bySeconds: 3_600)
      }
      #expect(count == 10)
    }
  }

  @Test func `a request for a mail beyond the limit leaves the last mailed link valid`()
    async throws
  {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      for _ in 0..<4 {
        _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
        mail.scene.clock.move(bySeconds: 1)
      }
      let mails = try await mail.mails()
      try #require(mails.count == 3)
      var statuses: [Int] = []
      for mail in mails {
        statuses.append(try await browser.get(try MailScene.link(in: mail)).status)
      }
      #expect(statuses == [400, 400, 200])
    }
  }

  @Test func `one client address causes at most ten mails in an hour`() async throws {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      for number in 0..<10 {
        let page = try await mail.ask(browser, "/auth/sign-up", "u\(number)@example.org")
        #expect(page.status == 200)
      }
      let page = try await mail.ask(browser, "/auth/sign-up", "u10@example.org")
      #expect(page.status == 429)
      #expect(page.header("Retry-After") == "3600")
      let other = mail.scene.browser
      other.clientAddress = "192.0.2.8"
      #expect(try await mail.ask(other, "/auth/sign-up", "u11@example.org").status == 200)
      mail.scene.clock.move(bySeconds: 3_601)
      #expect(try await mail.ask(browser, "/auth/sign-up", "u12@example.org").status == 200)
    }
  }

  @Test func `visitors cause no more mails in an hour than --mails-per-hour allows`() async throws {
    try await MailScene.with(mailsPerHour: 2) { mail in
      var statuses: [Int] = []
      for number in 0..<3 {
        let browser = mail.scene.browser
        browser.clientAddress = "192.0.2.\(number)"
        let page = try await mail.ask(browser, "/auth/sign-up", "u\(number)@example.org")
        statuses.append(page.status)
      }
      #expect(statuses == [200, 200, 429])
      #expect(try await mail.mails().count == 2)
    }
  }

  @Test func `a failed mail is sent later, unless the failure is permanent`() async throws {
    try await MailScene.with { mail in
      let browser = mail.scene.browser
      mail.mailbox.failure.withLock { $0 = MailFailure("later") }
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      for _ in 0..<2 { #expect(try await mail.mails().isEmpty) }
      #expect(mail.mailbox.attemptCount.withLock { $0 } == 1)
      mail.mailbox.failure.withLock { $0 = nil }
      mail.scene.clock.move(bySeconds: 60)
      #expect(try await mail.mails().count == 1)
      mail.mailbox.failure.withLock { $0 = MailFailure("never", isPermanent: true) }
      _ = try await mail.ask(browser, "/auth/reset", SignInScene.email)
      #expect(try await mail.mails().isEmpty)
      mail.mailbox.failure.withLock { $0 = nil }
      mail.scene.clock.move(bySeconds: 86_400)
      #expect(try await mail.mails().isEmpty)
    }
  }

  @Test func `an invitation with temporary failures is tried seven times in about a day`()
    async throws
  {
    try await MailScene.with { mail in
      mail.mailbox.failure.withLock { $0 = MailFailure("later") }
      try await mail.invite("cid@example.org")
      for _ in 0..<60 {
        #expect(try await mail.mails().isEmpty)
        mail.scene.clock.move(bySeconds: 1_800)
      }
      #expect(mail.mailbox.attemptCount.withLock { $0 } == 7)
    }
  }

  /// A registry that is restored from a backup can contain old mails.
  @Test func `a mail that is older than two days is not sent`() async throws {
    try await MailScene.with { mail in
      try await mail.invite("cid@example.org")
      mail.scene.clock.move(bySeconds: 2 * 86_400 + 1)
      #expect(try await mail.mails().isEmpty)
      #expect(mail.mailbox.attemptCount.withLock { $0 } == 0)
    }
  }

  @Test func `a mail is not sent after the code in it has expired`() async throws {
    try await MailScene.with { mail in
      mail.mailbox.failure.withLock { $0 = MailFailure("later") }
      _ = try await mail.ask(mail.scene.browser, "/auth/reset", SignInScene.email)
      #expect(try await mail.mails().isEmpty)
      mail.mailbox.failure.withLock { $0 = nil }
      mail.scene.clock.move(bySeconds: 601)
      #expect(try await mail.mails().isEmpty)
      #expect(mail.mailbox.attemptCount.withLock { $0 } == 1)
    }
  }

  @Test func `notices to users have their own limit, apart from the mails of visitors`()
    async throws
  {
    try await MailScene.with(mailsPerHour: 2) { mail in
      for number in 0..<12 {
        _ = try await mail.server.manage(
          "accounts/configure",
          ["email": "\(SignInScene.email)", "password": "\(MailScene.newPassword) \(number)"])
      }
      #expect(try await mail.mails().count == 10)
      _ = try await mail.ask(mail.scene.browser, "/auth/sign-up", "bea@example.org")
      #expect(try await mail.mails().map(\.recipient) == ["bea@example.org"])
    }
  }

  @Test(arguments: [SignInScene.email, SignInScene.email.uppercased()])
  func `the log line of a failed mail contains neither the recipient nor the link`(
    _ named: String
  ) async throws {
    try await MailScene.with { mail in
      _ = try await mail.ask(mail.scene.browser, "/auth/reset", SignInScene.email)
      mail.mailbox.failure.withLock {
        $0 = MailFailure("550 <\(named)> is unknown", isPermanent: true)
      }
      let report = FailureReport()
      try await mail.server.sendMails(by: mail.mailbox) { report.add($0) }
      let lines = report.lines
      #expect(lines.count == 1)
      let names = lines.map { $0.lowercased() }
      #expect(names.allSatisfy { !$0.contains(SignInScene.email) && !$0.contains("code=") })
    }
  }
}
