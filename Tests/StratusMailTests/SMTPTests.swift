import NIOCore
import StratusDomain
import Testing

@testable import StratusMail

@Suite(.timeLimit(.minutes(2))) struct `A mail over SMTP` {
  private let mail = Mail(
    id: "0a1b", recipient: "anna@example.org", subject: "Hello", text: "First\n.second\n")

  /// The replies of a server that accepts everything.
  private static func polite(_ line: String) -> String {
    switch line.prefix(4) {
    case "EHLO": "250-mail.example.org\r\n250-AUTH LOGIN PLAIN\r\n250 8BITMIME\r\n"
    case "AUTH": "235 ok\r\n"
    case "DATA": "354 go on\r\n"
    case "QUIT": "221 bye\r\n"
    default: "250 ok\r\n"
    }
  }

  private func send(
    to server: ScriptedServer, security: SMTPServer.Security = .none, user: String? = nil,
    host: String = "127.0.0.1", trustFile: String? = nil,
    times: SMTPConnection.Times = SMTPConnection.Times()
  ) async throws {
    let mailer = try SMTPMailer(
      server: SMTPServer(
        host: host, port: server.port, security: security, user: user,
        password: user.map { _ in "secret" }, trustFile: trustFile),
      sender: "Stratus <noreply@cloud.example.org>", times: times, now: { 0 })
    try await mailer.send(mail)
  }

  @Test func `a submission server gets all lines of a mail, with an escaped leading period`()
    async throws
  {
    let server = try await ScriptedServer.start(Self.polite)
    try await send(to: server, user: "stratus")
    let lines = server.lines
    // RFC 4616: a NUL, the user name, another NUL, and the password.
    #expect(
      lines.prefix(5) == [
        "EHLO cloud.example.org", "AUTH PLAIN AHN0cmF0dXMAc2VjcmV0",
        "MAIL FROM:<noreply@cloud.example.org>", "RCPT TO:<anna@example.org>", "DATA",
      ])
    #expect(lines.contains("Subject: Hello"))
    let end = try #require(lines.firstIndex(of: "."))
    // RFC 5321 §4.5.2: a line that begins with a period gets another period.
    #expect(lines[(end - 2)...end] == ["First", "..second", "."])
    await server.stop()
  }

  @Test func `a server that offers only AUTH LOGIN gets user name and password separately`()
    async throws
  {
    let server = try await ScriptedServer.start { line in
      switch line {
      case "AUTH LOGIN": "334 VXNlcm5hbWU6\r\n"
      case "c3RyYXR1cw==": "334 UGFzc3dvcmQ6\r\n"
      case "c2VjcmV0": "235 ok\r\n"
      case let line where line.hasPrefix("EHLO"): "250-mail\r\n250 AUTH LOGIN\r\n"
      default: Self.polite(line)
      }
    }
    try await send(to: server, user: "stratus")
    #expect(server.lines.contains("c2VjcmV0"))
    await server.stop()
  }

  @Test(arguments: [
    ("RCPT", "550 no such user\r\n", true), ("RCPT", "451 later\r\n", false),
    ("AUTH", "535 wrong\r\n", false), ("MAIL", "550 not you\r\n", false),
    ("DATA", "451 later\r\n", false), ("EHLO", "rubbish\r\n", false), (".", "554 spam\r\n", true),
    (".", "452 full\r\n", false), ("EHLO", "250-" + String(repeating: "x", count: 9_000), false),
  ])
  func `an SMTP refusal is permanent only if it concerns the recipient or the mail`(
    step: String, reply: String, isPermanent: Bool
  ) async throws {
    let server = try await ScriptedServer.start { line in
      line.hasPrefix(step) && (step != "." || line == ".") ? reply : Self.polite(line)
    }
    let failure = await #expect(throws: MailFailure.self) {
      try await send(to: server, user: "stratus")
    }
    #expect(failure?.isPermanent == isPermanent, "\(failure?.description ?? "")")
    #expect(failure?.description.contains("c2VjcmV0") == false)
    await server.stop()
  }

  @Test(arguments: [SMTPServer.Security.tls, .starttls])
  func `a mail is sent over an encrypted connection whose certificate is trusted`(
    security: SMTPServer.Security
  ) async throws {
    let certificate = try Certificate()
    defer { certificate.remove() }
    let server = try await ScriptedServer.start(
      encryption: try certificate.context(), isEncrypted: security == .tls
    ) { line in
      switch line {
      case "STARTTLS": "220 go\r\n"
      case let line where line.hasPrefix("EHLO"):
        "250-mail\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n"
      default: Self.polite(line)
      }
    }
    try await send(
      to: server, security: security, user: "stratus", host: "localhost",
      trustFile: certificate.path)
    #expect(server.lines.contains("."))
    if security == .starttls {
      // RFC 3207 §4.2: after the encryption begins, the client sends EHLO again.
      #expect(server.lines.prefix(3).map { $0.prefix(4) } == ["EHLO", "STAR", "EHLO"])
    }
    await #expect(throws: MailFailure.self) {
      try await send(to: server, security: security, user: "stratus", host: "localhost")
    }
    await server.stop()
  }

  @Test func `a mail fails temporarily if the mail server does not reply in time`() async throws {
    let server = try await ScriptedServer.start { $0.hasPrefix("MAIL") ? nil : Self.polite($0) }
    var times = SMTPConnection.Times()
    times.step = .milliseconds(200)
    let failure = await #expect(throws: MailFailure.self) {
      try await send(to: server, times: times)
    }
    #expect(failure?.isPermanent == false)
    #expect(failure?.description == "the mail server does not answer in time")
    await server.stop()
  }

  @Test func `a mail fails if the mail server does not begin the encryption in time`() async throws
  {
    let certificate = try Certificate()
    defer { certificate.remove() }
    let server = try await ScriptedServer.start { line in
      switch line.prefix(4) {
      case "EHLO": "250-mail.example.org\r\n250 STARTTLS\r\n"
      case "STAR": "220 go\r\n"
      default: nil
      }
    }
    var times = SMTPConnection.Times()
    times.step = .milliseconds(200)
    let failure = await #expect(throws: MailFailure.self) {
      try await send(
        to: server, security: .starttls, host: "localhost", trustFile: certificate.path,
        times: times)
    }
    #expect(failure?.description == "the mail server does not answer in time")
    await server.stop()
  }

  @Test func `a mail fails if its sending takes too long in total`() async throws {
    let server = try await ScriptedServer.start { $0 == "." ? nil : Self.polite($0) }
    var times = SMTPConnection.Times()
    times.mail = .milliseconds(300)
    let failure = await #expect(throws: MailFailure.self) {
      try await send(to: server, times: times)
    }
    #expect(failure?.description == "the mail server closed the connection")
    await server.stop()
  }

  @Test func `a cancelled task stops waiting for the mail server`() async throws {
    let (lines, arrived) = AsyncStream<Void>.makeStream()
    let server = try await ScriptedServer.start { line in
      guard line == "." else { return Self.polite(line) }
      arrived.yield()
      return nil
    }
    let sending = Task { try await send(to: server) }
    for await _ in lines { break }
    sending.cancel()
    await #expect(throws: MailFailure.self) { try await sending.value }
    await server.stop()
  }

  @Test func `no SMTP password is sent to another machine without encryption`() {
    #expect(throws: MailFailure.self) {
      try SMTPMailer(
        server: SMTPServer(
          host: "mail.example.org", port: 587, security: .none, user: "u", password: "p"),
        sender: "noreply@example.org", now: { 0 })
    }
  }

  @Test func `a missing file of SMTP certificates is reported before the first mail`() {
    #expect(throws: MailFailure.self) {
      try SMTPMailer(
        server: SMTPServer(
          host: "mail.example.org", port: 465, security: .tls, trustFile: "/missing.crt"),
        sender: "noreply@example.org", now: { 0 })
    }
  }

  /// If the argument is nil, the server does not offer STARTTLS. The other argument is a reply with
  /// text that an attacker could have added before the encryption (CVE-2011-0411).
  @Test(arguments: [nil, "220 go\r\n250 injected\r\n"] as [String?])
  func `nothing secret is sent if STARTTLS is missing or text precedes the encryption`(
    reply: String?
  ) async throws {
    let server = try await ScriptedServer.start { line in
      switch line.prefix(4) {
      case "EHLO":
        reply == nil ? "250 mail.example.org\r\n" : "250-mail.example.org\r\n250 STARTTLS\r\n"
      case "STAR": reply
      default: Self.polite(line)
      }
    }
    let failure = await #expect(throws: MailFailure.self) {
      try await send(to: server, security: .starttls, user: "stratus")
    }
    let text = failure?.description ?? ""
    #expect(text.contains("STARTTLS") || text.contains("before the encryption"), "\(text)")
    #expect(server.lines.allSatisfy { !$0.hasPrefix("AUTH") && !$0.hasPrefix("MAIL") })
    await server.stop()
  }
}
