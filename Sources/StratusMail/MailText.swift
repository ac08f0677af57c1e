import Foundation
import StratusDomain

/// Writes a mail as the text of a message (RFC 5322, RFC 2045 and RFC 2047).
enum MailText {
  /// - Parameters:
  ///   - sender: an address, or a name followed by an address in angle brackets.
  ///   - milliseconds: the date, in milliseconds since 1970 UTC.
  /// - Returns: lines that end with CR LF.
  /// - Throws: ``MailFailure`` if an address is not allowed in a header field.
  static func message(
    _ mail: Mail, from sender: String, at milliseconds: Int64
  ) throws(MailFailure) -> String {
    let address = try address(of: sender)
    let name = sender.prefix { $0 != "<" }.trimmingCharacters(
      in: CharacterSet(charactersIn: " \""))
    let from = sender.contains("<") && !name.isEmpty ? "\(phrase(name)) <\(address)>" : address
    let fields = [
      "From: \(from)", "To: \(try Self.address(of: mail.recipient))",
      "Subject: \(encodedWords(mail.subject))", "Date: \(date(milliseconds))",
      "Message-ID: <\(plainID(mail.id))@\(domain(of: address))>",
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable",
    ]
    return fields.joined(separator: "\r\n") + "\r\n\r\n" + quotedPrintable(mail.text)
  }

  /// Returns the address in a text. The text is an address, or has the form `Name <address>`.
  ///
  /// - Throws: ``MailFailure`` if the address is not valid or not in ASCII. So no text can add a
  ///   header field or a command.
  static func address(of text: String) throws(MailFailure) -> String {
    var address = text[...]
    if let open = text.firstIndex(of: "<"), text.hasSuffix(">") {
      address = text[text.index(after: open)...].dropLast()
    }
    guard MailAddress.isValid(String(address)) else {
      let shown = text.prefix(80).filter { $0.isASCII && !$0.isNewline }
      throw MailFailure("'\(shown)' is not an e-mail address", isPermanent: true)
    }
    // NB: other letters need an extension of SMTP that many servers lack (RFC 6531).
    guard address.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw MailFailure("an address has letters that are not in ASCII", isPermanent: true)
    }
    return String(address)
  }

  /// Returns the part of an address after the at sign.
  static func domain(of address: String) -> String {
    address.split(separator: "@").last.map(String.init) ?? "localhost"
  }

  /// Returns the letters and digits of an ID.
  static func plainID(_ id: String) -> String {
    id.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// Returns a name as it is written before an address. A name with punctuation is written as
  /// encoded words, because commas and periods have a meaning there (RFC 5322 §3.2.3).
  static func phrase(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
    }
    return isPlain && name.utf8.count <= 70 ? name : words(name)
  }

  /// Returns the text of a header field. A text that is long or not plain ASCII is written
  /// as encoded words.
  static func encodedWords(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) }
    return isPlain && text.utf8.count <= 70 && !text.contains("=?") ? text : words(text)
  }

  private static func words(_ text: String) -> String {
    var words: [String] = []
    var word: [UInt8] = []
    // NB: an encoded word has at most 75 characters, and never ends inside a character.
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if word.count + bytes.count > 42 {
        words.append(Data(word).base64EncodedString())
        word = []
      }
      word += bytes
    }
    words.append(Data(word).base64EncodedString())
    return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
  }

  /// Returns a body in lines of at most 76 characters (RFC 2045 §6.7).
  static func quotedPrintable(_ text: String) -> String {
    var lines: [String] = []
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let bytes = line.filter { $0 != UInt8(ascii: "\r") }
      var current = ""
      for (index, byte) in bytes.enumerated() {
        let isLast = index == bytes.count - 1
        let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        let isPlain =
          ((33...126).contains(byte) && byte != UInt8(ascii: "=")) || (isSpace && !isLast)
        let piece = isPlain ? String(UnicodeScalar(byte)) : escape(byte)
        if current.utf8.count + piece.utf8.count > 75 {
          lines.append(current + "=")
          current = ""
        }
        current += piece
      }
      lines.append(current)
    }
    return lines.joined(separator: "\r\n")
  }

  private static func escape(_ byte: UInt8) -> String {
    "=" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func date(_ milliseconds: Int64) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
    return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
  }
}
