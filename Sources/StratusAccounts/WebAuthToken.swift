import Crypto
import Foundation

/// The token a signed-in user's client carries: which session, since when, for how long, and a
/// seal.
///
/// 104 characters of base64, because clients expect a hundred at least from that alphabet
/// (web-auth §3).
struct WebAuthToken: Sendable, Hashable {
  /// 64 hex digits.
  var sessionID: String
  /// Milliseconds since 1970 UTC.
  var issuedAt: Int64
  /// Seconds.
  var lifetimeSeconds: UInt32

  private static let version: UInt8 = 1
  private static let sealedCount = 1 + 32 + 8 + 4

  func text(sealedWith key: SymmetricKey) -> String {
    var bytes: [UInt8] = [Self.version]
    bytes += Self.bytes(hex: sessionID) ?? []
    withUnsafeBytes(of: issuedAt.bigEndian) { bytes += $0 }
    withUnsafeBytes(of: lifetimeSeconds.bigEndian) { bytes += $0 }
    let seal = HMAC<SHA256>.authenticationCode(for: Data(bytes), using: key)
    return Data(bytes + Array(seal)).base64EncodedString()
  }

  /// nil unless the text was sealed with that key.
  init?(text: String, sealedWith key: SymmetricKey) {
    // NB: base64 has bits to spare at its end, so several texts stand for the same bytes.
    guard let data = Data(base64Encoded: text), data.count == Self.sealedCount + 32,
      data[0] == Self.version, data.base64EncodedString() == text
    else { return nil }
    let sealed = data.prefix(Self.sealedCount)
    guard
      HMAC<SHA256>.isValidAuthenticationCode(
        data.suffix(32), authenticating: sealed, using: key)
    else { return nil }
    sessionID = Array(sealed[1..<33]).hex
    issuedAt = sealed[33..<41].reduce(0) { $0 << 8 | Int64($1) }
    lifetimeSeconds = sealed[41..<45].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Whether it is past its time.
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
