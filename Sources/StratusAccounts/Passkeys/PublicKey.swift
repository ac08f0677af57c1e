import Crypto
import CryptoExtras
import Foundation

/// The public key of a passkey or of an identity provider. It checks signatures.
enum PublicKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case ed25519(Curve25519.Signing.PublicKey)
  case rsa(_RSA.Signing.PublicKey)

  /// The minimum and maximum number of bits of an RSA key. Choice: larger keys would only make the
  /// check slow.
  private static let rsaBits = 2_048...4_096

  /// Creates an RSA key from its modulus and exponent, as big-endian bytes.
  ///
  /// - Returns: nil for a key that is too short or too long, and for an unusual exponent.
  static func rsa(modulus: [UInt8], exponent: [UInt8]) -> PublicKey? {
    let modulus = Array(modulus.drop { $0 == 0 })
    let exponent = Array(exponent.drop { $0 == 0 })
    guard let first = modulus.first, let last = modulus.last, last & 1 == 1,
      rsaBits.contains(modulus.count * 8 - first.leadingZeroBitCount),
      // All exponents in use are short and odd. 65537 is the usual one.
      (1...4).contains(exponent.count),
      exponent.reduce(UInt64(0), { $0 << 8 | UInt64($1) }) >= 3, (exponent.last ?? 0) & 1 == 1,
      let key = try? _RSA.Signing.PublicKey(n: Data(modulus), e: Data(exponent))
    else { return nil }
    return .rsa(key)
  }

  /// Creates a key on the curve P-256 from its two coordinates of 32 bytes.
  ///
  /// - Returns: nil if the point is not on the curve.
  static func p256(x: [UInt8], y: [UInt8]) -> PublicKey? {
    guard x.count == 32, y.count == 32,
      let key = try? P256.Signing.PublicKey(x963Representation: Data([4] + x + y))
    else { return nil }
    return .p256(key)
  }

  static func ed25519(_ bytes: [UInt8]) -> PublicKey? {
    guard bytes.count == 32,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Data(bytes))
    else { return nil }
    return .ed25519(key)
  }
}

/// The public key of a passkey, in the encoding COSE_Key (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4).
struct PasskeyKey: Sendable {
  /// The algorithms that the server offers, in the order of preference: ES256, Ed25519 and RS256.
  /// The numbers are those of COSE.
  static let algorithms: [Int64] = [-7, -8, -257]

  private let key: PublicKey

  /// Returns nil unless the key is complete, and its algorithm is one of ``algorithms``.
  init?(_ cose: CBOR) {
    let key: PublicKey?
    switch (cose[1]?.integer, cose[3]?.integer) {
    case (2, -7):
      guard cose[-1]?.integer == 1, let x = cose[-2]?.bytes, let y = cose[-3]?.bytes else {
        return nil
      }
      key = .p256(x: x, y: y)
    case (1, -8):
      guard cose[-1]?.integer == 6, let x = cose[-2]?.bytes else { return nil }
      key = .ed25519(x)
    case (3, -257):
      guard let modulus = cose[-1]?.bytes, let exponent = cose[-2]?.bytes else { return nil }
      key = .rsa(modulus: modulus, exponent: exponent)
    default: return nil
    }
    guard let key else { return nil }
    self.key = key
  }

  /// Reads a stored key.
  init?(bytes: [UInt8]) {
    guard let cose = try? CBOR(bytes) else { return nil }
    self.init(cose)
  }

  /// Whether a signature of a message was made with this key. ES256 signatures are encoded in DER
  /// (WebAuthn §6.5.6).
  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch key {
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: Data(signature))
      else { return false }
      return key.isValidSignature(signature, for: Data(message))
    case .ed25519(let key): return key.isValidSignature(Data(signature), for: Data(message))
    case .rsa(let key):
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: Data(signature)), for: Data(message),
        padding: .insecurePKCS1v1_5)
    }
  }
}
