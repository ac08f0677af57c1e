import Crypto
import Foundation
import StratusDomain
import Synchronization

/// Seals texts that a browser keeps for the server. The browser can read them, but cannot change
/// them.
final class PageSeal: Sendable {
  /// The use for which a text is sealed. The text is not valid for any other use.
  enum Use: String {
    case signInRequest = "sign-in request"
    case form = "form"
    case browser = "browser"
    case pendingSignIn = "pending sign-in"
    case factorSetup = "factor setup"
    case passkeyChallenge = "passkey challenge"
    case providerState = "provider state"
    case providerNonce = "provider nonce"
    case providerVerifier = "provider verifier"
    case exportCursor = "export cursor"
    case importSession = "import session"
  }

  private static let codeCount = 32
  /// The maximum length of a sealed text. All texts that the server seals are shorter.
  private static let lengthMax = 3_000

  private let secrets: Mutex<[[UInt8]]>

  /// - Parameter secrets: the secrets, the newest one first. Only the newest secret seals texts. A
  ///   text opens with the secret that sealed it.
  init(secrets: [[UInt8]]) { self.secrets = Mutex(secrets) }

  func replace(by secrets: [[UInt8]]) { self.secrets.withLock { $0 = secrets } }

  private var newest: SymmetricKey { keys.first ?? SymmetricKey(size: .bits256) }

  private var keys: [SymmetricKey] {
    secrets.withLock { $0 }.map { SymmetricKey(data: $0) }
  }

  /// Returns the text and its signature, encoded with the base64 alphabet for URLs.
  func seal(_ text: String, for use: Use) -> String {
    Base64URL.encode(Array(text.utf8) + code(text, use, newest))
  }

  /// Returns the text that was sealed for this use, or nil if the signature is wrong.
  func open(_ sealed: String, for use: Use) -> String? {
    guard sealed.utf8.count <= Self.lengthMax, let bytes = Base64URL.decode(sealed),
      bytes.count >= Self.codeCount,
      let text = String(validating: bytes.dropLast(Self.codeCount), as: UTF8.self),
      keys.contains(where: { key in
        HMAC<SHA256>.isValidAuthenticationCode(
          bytes.suffix(Self.codeCount), authenticating: Self.message(text, use), using: key)
      })
    else { return nil }
    return text
  }

  /// Returns a secret that belongs to a sealed text. Only the server can compute it.
  func derived(from sealed: String, for use: Use) -> String {
    Base64URL.encode(code(sealed, use, newest))
  }

  /// The token of a form in a browser with this cookie.
  func formToken(_ cookie: String) -> String { Base64URL.encode(code(cookie, .form, newest)) }

  /// Whether a text is the token of a form in a browser with this cookie.
  func isFormToken(_ token: String, _ cookie: String) -> Bool {
    guard let code = Base64URL.decode(token) else { return false }
    return keys.contains { key in
      HMAC<SHA256>.isValidAuthenticationCode(
        code, authenticating: Self.message(cookie, .form), using: key)
    }
  }

  private func code(_ text: String, _ use: Use, _ key: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Self.message(text, use), using: key))
  }

  private static func message(_ text: String, _ use: Use) -> Data {
    Data((use.rawValue + "\u{0}" + text).utf8)
  }
}
