import Crypto
import CryptoExtras
import Foundation
import StratusDomain
import StratusWire

/// The checks of an ID token (OpenID Connect Core 1.0 §3.1.3.7, RFC 8725).
enum IDTokenCheck {
  /// The reason why an ID token is refused. The reason is written into the log.
  enum Fault: String, Error, Sendable, CaseIterable {
    case unreadable = "the ID token cannot be read"
    case wrongAlgorithm = "the algorithm of the ID token is not the configured one"
    case unknownKey = "the ID token names an unknown key"
    case wrongSignature = "the signature of the ID token is wrong"
    case wrongIssuer = "the ID token belongs to another issuer"
    case wrongAudience = "the ID token is not for this server"
    case wrongNonce = "the ID token belongs to another sign-in"
    case expired = "the ID token has expired"
    case notYetValid = "the ID token is not valid yet"
    case wrongSubject = "the ID token names no user"
  }

  /// The maximum length of a token. The tokens of large providers have fewer than 3,000 bytes.
  static let lengthMax = 16_384
  /// The maximum difference between the clocks of this server and of the provider, in seconds.
  static let skewSeconds: Int64 = 120
  /// The maximum age of a token, in seconds. A token is fetched right after the sign-in.
  static let ageSecondsMax: Int64 = 3_600

  /// A token whose parts were decoded.
  struct SignedToken: Sendable {
    let header: SignedTokenHeader
    let claims: IDTokenClaims
    let message: [UInt8]
    let signature: [UInt8]

    init(_ text: String) throws(Fault) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard text.utf8.count <= IDTokenCheck.lengthMax, parts.count == 3,
        let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
        let signature = Base64URL.decode(parts[2]),
        let header = try? SignedTokenHeader(jsonBytes: head), !header.isExtended,
        let claims = try? IDTokenClaims(jsonBytes: body)
      else { throw .unreadable }
      self.header = header
      self.claims = claims
      self.signature = signature
      message = Array("\(parts[0]).\(parts[1])".utf8)
    }
  }

  /// Returns the key that must have signed a token.
  ///
  /// - Throws: ``Fault/wrongAlgorithm``; ``Fault/unknownKey`` unless exactly one key fits.
  static func key(
    of token: SignedToken, in keys: [WebKey], _ algorithm: IdentityProvider.SignatureAlgorithm
  ) throws(Fault) -> PublicKey {
    // NB: the operator's setting determines the algorithm, and the token never does. Otherwise a
    // token could select no signature, or an HMAC whose secret is the public key.
    guard token.header.algorithm == algorithm.rawValue else { throw .wrongAlgorithm }
    let suited = keys.filter { key in
      key.use ?? "sig" == "sig" && key.algorithm ?? algorithm.rawValue == algorithm.rawValue
        && (token.header.keyID == nil || key.id == token.header.keyID)
    }.compactMap { $0.publicKey(for: algorithm) }
    guard suited.count == 1, let key = suited.first else { throw .unknownKey }
    return key
  }

  /// Checks the signature and the claims of a token.
  ///
  /// - Parameters:
  ///   - nonce: the nonce of the sign-in.
  ///   - now: the present time, in milliseconds since 1970 UTC.
  static func check(
    _ token: SignedToken, signedBy key: PublicKey, of provider: IdentityProvider, nonce: String,
    now: Int64
  ) throws(Fault) {
    guard key.isTokenSignature(token.signature, of: token.message, provider.algorithm) else {
      throw .wrongSignature
    }
    let claims = token.claims
    guard claims.issuer == provider.issuer else { throw .wrongIssuer }
    guard claims.audience.contains(provider.clientID),
      claims.authorizedParty ?? provider.clientID == provider.clientID,
      claims.audience.count == 1 || claims.authorizedParty != nil
    else { throw .wrongAudience }
    guard claims.nonce == nonce else { throw .wrongNonce }
    let seconds = now / 1_000
    guard claims.expiresAt > seconds - skewSeconds,
      claims.issuedAt >= seconds - ageSecondsMax
    else { throw .expired }
    guard claims.issuedAt <= seconds + skewSeconds,
      claims.notBefore ?? seconds <= seconds + skewSeconds
    else { throw .notYetValid }
    // OpenID Connect Core §2: a subject has at most 255 ASCII characters.
    guard (1...255).contains(claims.subject.utf8.count),
      claims.subject.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
    else { throw .wrongSubject }
  }
}

extension WebKey {
  /// Returns the public key, or nil if it cannot check signatures of the algorithm.
  func publicKey(for algorithm: IdentityProvider.SignatureAlgorithm) -> PublicKey? {
    func bytes(_ text: String?) -> [UInt8]? { text.flatMap(Base64URL.decode) }
    switch algorithm {
    case .rs256, .ps256:
      guard type == "RSA", let modulus = bytes(modulus), let exponent = bytes(exponent) else {
        return nil
      }
      return .rsa(modulus: modulus, exponent: exponent)
    case .es256:
      guard type == "EC", curve == "P-256", let x = bytes(x), let y = bytes(y) else { return nil }
      return .p256(x: x, y: y)
    case .edDSA:
      guard type == "OKP", curve == "Ed25519", let x = bytes(x) else { return nil }
      return .ed25519(x)
    }
  }
}

extension PublicKey {
  /// Whether a signature of a message, in the format of RFC 7518, was made with this key.
  func isTokenSignature(
    _ signature: [UInt8], of message: [UInt8], _ algorithm: IdentityProvider.SignatureAlgorithm
  ) -> Bool {
    switch (self, algorithm) {
    case (.p256(let key), .es256):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: Data(signature))
      else { return false }
      return key.isValidSignature(signature, for: Data(message))
    case (.ed25519(let key), .edDSA):
      return key.isValidSignature(Data(signature), for: Data(message))
    case (.rsa(let key), .rs256), (.rsa(let key), .ps256):
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: Data(signature)), for: Data(message),
        padding: algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5)
    default: return false
    }
  }
}
