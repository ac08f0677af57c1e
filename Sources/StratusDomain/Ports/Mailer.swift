/// A mail to one person, in plain text.
public struct Mail: Sendable, Hashable {
  /// The unique ID of the mail. If a mail is sent twice, both copies have the same ID.
  public var id: String
  /// The address of the recipient.
  public var recipient: String
  public var subject: String
  /// The lines of the mail. Each line ends with a newline.
  public var text: String

  public init(id: String, recipient: String, subject: String, text: String) {
    self.id = id
    self.recipient = recipient
    self.subject = subject
    self.text = text
  }
}

/// The reason why a mail could not be sent.
public struct MailFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence for the operator. It contains no password.
  public let description: String
  /// Whether a later attempt must fail too, because the mail server has refused this mail.
  public let isPermanent: Bool

  public init(_ description: String, isPermanent: Bool = false) {
    self.description = description
    self.isPermanent = isPermanent
  }
}

/// Sends mails.
public protocol Mailer: Sendable {
  /// Sends a mail. Returns when another system, such as a mail server, has accepted it.
  func send(_ mail: Mail) async throws(MailFailure)
}

/// The rules for the text of an e-mail address.
public enum MailAddress {
  /// The maximum number of bytes of an address (RFC 5321 §4.5.3.1).
  public static let lengthMax = 320

  /// Whether a text is one address that can stand in a header field and in an SMTP command.
  ///
  /// NB: the rules are stricter than those of RFC 5321. An address with a quoted part, a space, a
  /// line break or a bracket could add a header field, a command or a second recipient.
  public static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !parts[0].hasPrefix("-"),
      !parts[1].hasPrefix("-"), text.utf8.count <= lengthMax,
      // An empty label, as in `example.org.`, would be another name for the same mailbox.
      !parts[1].split(separator: ".", omittingEmptySubsequences: false).contains("")
    else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      scalar.value > 0x20 && scalar.value != 0x7F && !refused.contains(scalar)
        && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        && scalar.properties.generalCategory != .format
    }
  }

  private static let refused: Set<Unicode.Scalar> = [
    "<", ">", "(", ")", "[", "]", "\\", ",", ";", ":", "\"",
  ]

  /// Returns the mailbox of an address, for limits. Many mail servers deliver `anna+1@example.org`
  /// to the mailbox of `anna@example.org`, so these addresses count as one mailbox.
  public static func mailbox(of address: String) -> String {
    let lower = address.lowercased()
    guard let at = lower.lastIndex(of: "@") else { return lower }
    let name = lower[..<at]
    let end = name.firstIndex(of: "+") ?? at
    return end == lower.startIndex ? lower : String(lower[..<end]) + String(lower[at...])
  }
}
