import Crypto
import Foundation

/// Codes that an app computes from a secret and the time (RFC 6238), with SHA-1, steps of 30
/// seconds and six digits. All authenticator apps support these parameters.
enum TimeCode {
  /// The number of bytes of a secret (RFC 4226 §4).
  static let secretCount = 20
  static let digitCount = 6
  private static let stepMilliseconds: Int64 = 30_000
  /// The number of steps by which the clock of the user's device may differ from the server's.
  private static let stepsOff: Int64 = 1

  /// Returns the number of the time step at a time in milliseconds since 1970 UTC.
  static func step(at now: Int64) -> Int64 { now / stepMilliseconds }

  /// Computes the code of a time step (RFC 4226 §5.3).
  static func code(secret: [UInt8], step: Int64, digits: Int = digitCount) -> String {
    let message = withUnsafeBytes(of: step.bigEndian) { Data($0) }
    let hash = Array(
      HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
    let offset = Int(hash[hash.count - 1] & 0x0F)
    let number = hash[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let modulus = (0..<digits).reduce(UInt64(1)) { power, _ in power * 10 }
    let text = String(UInt64(number) % modulus)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// Returns the time step to which a code belongs, or nil if the code is wrong or too old. The
  /// comparison takes the same time for every code.
  static func step(of code: String, secret: [UInt8], now: Int64) -> Int64? {
    let typed = Array(code.utf8)
    guard typed.count == digitCount else { return nil }
    let current = step(at: now)
    var found: Int64?
    for step in (current - stepsOff)...(current + stepsOff) {
      let expected = Array(self.code(secret: secret, step: step).utf8)
      if zip(typed, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 { found = step }
    }
    return found
  }

  /// Returns the URL that adds the secret to an authenticator app on the same device.
  ///
  /// - Parameters:
  ///   - email: the account's address.
  ///   - issuer: the host of the server.
  static func url(secret: [UInt8], email: String, issuer: String) -> String {
    let label = "\(encode(issuer)):\(encode(email))"
    return "otpauth://totp/\(label)?secret=\(Base32.encode(secret))&issuer=\(encode(issuer))"
  }

  private static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}
