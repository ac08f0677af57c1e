import Foundation
import StratusServer
import StratusWire
import Testing

@testable import stratus

@Suite struct `The options for mail` {
  private func settings(_ text: String) throws -> Settings {
    try ConfigFile(path: "stratus.yaml", text: text).command(with: []).settings()
  }

  /// The error message for a configuration, as the operator reads it.
  private func fault(_ text: String) -> String {
    do {
      _ = try settings(text)
      return ""
    } catch { return "\(error)" }
  }

  private static let url = "public-url: https://cloud.example.org\n"

  @Test func `a configuration file sets the submission server and the sign-up policy`() throws {
    let mail = try #require(
      try settings(
        Self.url
          + """
          sign-up: open
          smtp-host: smtp.example.org
          smtp-security: tls
          smtp-ca: /etc/ca.pem
          mail-from: Example <noreply@example.org>
          mails-per-hour: 7
          """
      ).mail)
    #expect(mail.signUp == "open")
    #expect(mail.sender == "Example <noreply@example.org>")
    #expect(mail.mailsPerHour == 7)
    guard case .smtp(let smtp) = mail.route else {
      Issue.record("mails are not sent over SMTP")
      return
    }
    #expect(smtp.host == "smtp.example.org")
    #expect(smtp.port == 465)
    #expect(smtp.security == "tls")
    #expect(smtp.trustFile == "/etc/ca.pem")
    #expect(smtp.user == nil)
  }

  @Test func `without mail options, a server has no mail and no sign-up`() throws {
    #expect(try settings("port: 1\n").mail == nil)
    let invited = try #require(try settings(Self.url + "sign-up: invited\n").mail)
    #expect(invited.route == nil)
  }

  @Test func `the SMTP password comes from a file, without the file's last line break`() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-password-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(" pass word \n".utf8).write(to: file)
    let mail = try settings(
      Self.url
        + """
        smtp-host: smtp.example.org
        smtp-user: noreply
        smtp-password-file: \(file.path)
        mail-from: noreply@example.org
        """
    ).mail
    guard case .smtp(let smtp) = mail?.route else {
      Issue.record("mails are not sent over SMTP")
      return
    }
    #expect(smtp.port == 587)
    #expect(smtp.password == " pass word ")
  }

  @Test(arguments: [
    ("sign-up: everyone", "sign-up"), ("sign-up: open", "--public-url"),
    (url + "sign-up: open", "--smtp-host"), (url + "smtp-host: a", "--mail-from"),
    (url + "smtp-user: a", "--smtp-host"), (url + "smtp-password-file: a", "--smtp-host"),
    ("smtp-host: a\nmail-from: a@b", "--public-url"), ("mail-folder: a", "--public-url"),
    (url + "smtp-host: a\nmail-folder: b\nmail-from: a@b", "--mail-folder"),
    (url + "smtp-host: a\nmail-from: a@b\nsmtp-port: 0", "--smtp-port"),
    (url + "smtp-host: a\nmail-from: a@b\nsmtp-security: ssl", "smtp-security"),
    (url + "smtp-host: a\nmail-from: a@b\nsmtp-user: u\nsmtp-password-file: /missing", "/missing"),
    (url + "mails-per-hour: 0", "--mails-per-hour"),
  ])
  func `incomplete or invalid settings for mail are refused with the name of an option`(
    text: String, name: String
  ) {
    #expect(fault(text).contains(name), "\(fault(text))")
  }

  @Test func `the check of a configuration's files finds a sender that is not an address`() throws {
    let settings = try settings(Self.url + "mail-folder: mails\nmail-from: nobody\n")
    #expect(throws: (any Error).self) { try settings.checkFiles() }
    try self.settings(Self.url + "mail-folder: mails\n").checkFiles()
  }

  @Test(
    arguments: [
      ("0", .bytes(0)), ("500MB", .bytes(500_000_000)), ("2 kb", .bytes(2_000)),
      ("1TB", .bytes(1_000_000_000_000)), ("unlimited", .unlimited), ("standard", .standard),
      ("-1", nil), ("1MiB", nil), ("1.5GB", nil), ("", nil), ("999999999999999TB", nil),
    ] as [(String, SetQuota.Limit?)])
  func `the argument of quota set is a number with a unit, or a word`(
    text: String, limit: SetQuota.Limit?
  ) {
    #expect(ByteCount(argument: text)?.limit == limit)
  }
}
