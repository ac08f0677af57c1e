import Crypto
import Foundation
import StratusDomain

/// The token of a signed-in user's client. It contains the session, the time of issue, the
/// lifetime, and an HMAC of these values.
///
/// Its text is 108 characters of base64, because clients expect at least 100.
struct WebAuthToken: Sendable, Hashable {
  /// The ID of the session, which is 64 hex digits.
  var sessionID: String
  /// The time of issue, in milliseconds since 1970 UTC.
  var issuedAt: Int64
  /// The lifetime in seconds.
  var lifetimeSeconds: UInt32

  /// The earlier format version, whose tokens have no key number. These tokens stay valid as long
  /// as their key.
  private static let withoutKey: UInt8 = 1
  private static let version: UInt8 = 2
  private static let sealCount = 32
  private static let contentsCount = 32 + 8 + 4

  func text(sealedWith key: SigningKey) -> String {
    var bytes: [UInt8] = [Self.version]
    withUnsafeBytes(of: key.id.bigEndian) { bytes += $0 }
    bytes += Self.bytes(hex: sessionID) ?? []
    withUnsafeBytes(of: issuedAt.bigEndian) { bytes += $0 }
    withUnsafeBytes(of: lifetimeSeconds.bigEndian) { bytes += $0 }
    let seal = HMAC<SHA256>.authenticationCode(
      for: Data(bytes), using: SymmetricKey(data: key.bytes))
    return Data(bytes + Array(seal)).base64EncodedString()
  }

  /// - Returns: nil if the text was not signed with one of the keys.
  init?(text: String, sealedWith keys: [SigningKey]) {
    // NB: the last base64 digit can have unused bits, so several texts can encode the same bytes.
    // Only one of these texts is accepted.
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text,
      let version = data.first
    else { return nil }
    let start: Int
    switch version {
    case Self.withoutKey: start = 1
    case Self.version: start = 5
    default: return nil
    }
    guard data.count == start + Self.contentsCount + Self.sealCount else { return nil }
    let sealed = data.prefix(start + Self.contentsCount)
    let keyID = sealed[1..<start].reduce(0) { $0 << 8 | UInt32($1) }
    let isSealed = keys.contains { key in
      (start == 1 || key.id == keyID)
        && HMAC<SHA256>.isValidAuthenticationCode(
          data.suffix(Self.sealCount), authenticating: sealed,
          using: SymmetricKey(data: key.bytes))
    }
    guard isSealed else { return nil }
    let contents = sealed.dropFirst(start)
    sessionID = Array(contents.prefix(32)).hex
    issuedAt = contents.dropFirst(32).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    lifetimeSeconds = contents.dropFirst(40).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Whether the token has expired.
  func isOver(at now: Int64) -> Bool { now > issuedAt + Int64(lifetimeSeconds) * 1_000 }

  init(sessionID: String, issuedAt: Int64, lifetimeSeconds: UInt32) {
    self.sessionID = sessionID
    self.issuedAt = issuedAt
    self.lifetimeSeconds = lifetimeSeconds
  }

  private static func bytes(hex: String) -> [UInt8]? {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, digits.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
