import Foundation
import StratusDomain
import Testing

@testable import StratusMail

/// The expected texts follow RFC 5322, RFC 2045 and RFC 2047.
@Suite struct `The text of a mail` {
  private func mail(_ subject: String = "Hello", _ text: String = "Hello\n") -> Mail {
    Mail(id: "0a1b", recipient: "anna@example.org", subject: subject, text: text)
  }

  @Test func `a message has the header fields that RFC 5322 requires`() throws {
    let text = try MailText.message(
      mail(), from: "Stratus <noreply@cloud.example.org>", at: 1_767_225_600_000)
    let lines = text.components(separatedBy: "\r\n")
    #expect(
      lines.prefix(5) == [
        "From: Stratus <noreply@cloud.example.org>", "To: anna@example.org", "Subject: Hello",
        "Date: Thu, 01 Jan 2026 00:00:00 +0000", "Message-ID: <0a1b@cloud.example.org>",
      ])
    #expect(text.hasSuffix("\r\n\r\nHello\r\n"))
  }

  @Test(arguments: [
    "anna@example.org\r\nBcc: x@example.org", "anna", "a@b@c", "@example.org", "anna@",
    "anna@example.org, bea@example.org", "<anna@example.org", "an na@example.org", "",
    "anna@example.org>\r\nDATA", "-f@example.org", "anna@-example.org", "\u{202E}a@example.org",
    "anna@example.org.", "anna@example..org", "anna@.example.org",
  ])
  func `a mail to a text that is not an address is refused`(recipient: String) {
    var mail = mail()
    mail.recipient = recipient
    #expect(throws: MailFailure.self) {
      try MailText.message(mail, from: "noreply@example.org", at: 0)
    }
    #expect(!MailAddress.isValid(recipient))
  }

  @Test(arguments: [
    ("Stratus", "Stratus"), ("Example, Inc.", "=?utf-8?B?RXhhbXBsZSwgSW5jLg==?="),
    ("\"My Cloud\"", "My Cloud"), ("Grüße", "=?utf-8?B?R3LDvMOfZQ==?="),
  ])
  func `a sender's name with punctuation or non-ASCII letters is encoded`(
    name: String, expected: String
  ) throws {
    let text = try MailText.message(mail(), from: "\(name) <noreply@example.org>", at: 0)
    #expect(text.hasPrefix("From: \(expected) <noreply@example.org>\r\n"))
  }

  @Test func `a mail to an address with non-ASCII letters fails permanently`() {
    var mail = mail()
    mail.recipient = "grüße@example.org"
    let failure = #expect(throws: MailFailure.self) {
      try MailText.message(mail, from: "noreply@example.org", at: 0)
    }
    #expect(failure?.isPermanent == true)
  }

  @Test(arguments: [
    ("anna+1@Example.org", "anna@example.org"), ("anna@example.org", "anna@example.org"),
    ("anna+1+2@example.org", "anna@example.org"), ("+1@example.org", "+1@example.org"),
  ])
  func `addresses with a suffix belong to one mailbox`(address: String, mailbox: String) {
    #expect(MailAddress.isValid(address))
    #expect(MailAddress.mailbox(of: address) == mailbox)
  }

  @Test func `a non-ASCII subject becomes encoded words of at most 75 characters`() {
    #expect(MailText.encodedWords("Hello") == "Hello")
    #expect(MailText.encodedWords("Grüße") == "=?utf-8?B?R3LDvMOfZQ==?=")
    let long = MailText.encodedWords(String(repeating: "ü☕️", count: 40) + "\r\nBcc: x")
    #expect(!long.contains("Bcc"))
    var decoded: [UInt8] = []
    for line in long.components(separatedBy: "\r\n ") {
      #expect(line.utf8.count <= 75)
      let word = line.dropFirst("=?utf-8?B?".count).dropLast(2)
      decoded += Data(base64Encoded: String(word)).map { Array($0) } ?? []
    }
    #expect(
      String(decoding: decoded, as: UTF8.self) == String(repeating: "ü☕️", count: 40) + "\r\nBcc: x")
  }

  @Test func `the body of a mail is quoted-printable, with lines of at most 76 characters`() {
    #expect(
      MailText.quotedPrintable("a=b ü\n.\n end \n") == "a=3Db =C3=BC\r\n.\r\n end=20\r\n")
    let body = MailText.quotedPrintable(String(repeating: "ü", count: 100))
    for line in body.components(separatedBy: "\r\n") { #expect(line.utf8.count <= 76) }
    #expect(body.replacing("=\r\n", with: "") == String(repeating: "=C3=BC", count: 100))
  }

  @Test func `a mail folder gets one file for each mail, and only the owner may open the file`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-mail-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let mailer = try MailFolder(folder: folder, sender: "noreply@example.org", now: { 5 })
    try await mailer.send(mail())
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names == ["5-0a1b.eml"])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    #expect(throws: MailFailure.self) {
      try MailFolder(folder: folder, sender: "nobody", now: { 5 })
    }
  }
}
