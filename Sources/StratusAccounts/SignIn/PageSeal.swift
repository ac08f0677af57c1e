import Crypto
import Foundation
import StratusDomain

/// Signs texts that a browser keeps for the server. The browser can read these texts, but cannot
/// change them.
struct PageSeal: Sendable {
  /// The purpose of a sealed text. A text that was sealed for one purpose is not valid for another.
  enum Use: String {
    case signInRequest = "sign-in request"
    case form = "form"
    case browser = "browser"
  }

  private static let codeCount = 32
  /// A length that exceeds the longest text that the server seals.
  private static let lengthMax = 3_000

  private let key: SymmetricKey

  init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

  /// Returns the text and its signature, encoded with the base64 alphabet for URLs.
  func seal(_ text: String, for use: Use) -> String {
    Self.encode(Array(text.utf8) + code(text, use))
  }

  /// Returns the text that was sealed for this purpose, or nil if the signature is wrong.
  func open(_ sealed: String, for use: Use) -> String? {
    guard sealed.utf8.count <= Self.lengthMax, let bytes = Self.decode(sealed),
      bytes.count >= Self.codeCount,
      let text = String(validating: bytes.dropLast(Self.codeCount), as: UTF8.self),
      HMAC<SHA256>.isValidAuthenticationCode(
        bytes.suffix(Self.codeCount), authenticating: Self.message(text, use), using: key)
    else { return nil }
    return text
  }

  /// Returns the token that a form contains in a browser with this cookie.
  func formToken(_ cookie: String) -> String { Self.encode(code(cookie, .form)) }

  private func code(_ text: String, _ use: Use) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Self.message(text, use), using: key))
  }

  private static func message(_ text: String, _ use: Use) -> Data {
    Data((use.rawValue + "\u{0}" + text).utf8)
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  private static func decode(_ text: String) -> [UInt8]? {
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base64 + padding) else { return nil }
    let bytes = Array(data)
    // NB: the last base64 digit can have unused bits, so several texts can encode the same bytes.
    // Only one of these texts is accepted.
    return encode(bytes) == text ? bytes : nil
  }
}
