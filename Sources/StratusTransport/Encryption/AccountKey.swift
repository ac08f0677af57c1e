import Crypto
public import StratusWire

/// The secret of an account's encrypted values: whoever has it reads them all.
///
/// It never leaves the user's devices but as a recovery key, in the user's hands.
public struct AccountKey: Sendable, Hashable {
  /// Bytes of the secret.
  public static let length = 32

  let secret: [UInt8]

  /// - Parameter secret: ``length`` bytes nobody can guess; nil is answered for another length.
  public init?(secret: [UInt8]) {
    guard secret.count == Self.length else { return nil }
    self.secret = secret
  }

  /// A new key.
  ///
  /// - Parameter randomness: draws so many bytes nobody can guess.
  /// - Throws: ``KeyFailure/unusable(_:)`` if it draws too few.
  public init(drawnFrom randomness: (Int) -> [UInt8]) throws(KeyFailure) {
    guard let key = AccountKey(secret: randomness(Self.length)) else {
      throw .unusable("no account key could be drawn")
    }
    self = key
  }

  /// The public key the account has in a container, which tells nothing of that in another.
  ///
  /// - Throws: ``KeyFailure/unusable(_:)``.
  public func publicKey(
    of user: String, container: String, environment: ContainerEnvironment
  ) throws(KeyFailure) -> [UInt8] {
    try pair(of: user, container: container, environment: environment).publicBytes
  }

  func pair(
    of user: String, container: String, environment: ContainerEnvironment
  ) throws(KeyFailure) -> UserKeyPair {
    let info = Binding("stratus user key 1", container, environment.rawValue, user)
    let seed = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), info: info.bytes, outputByteCount: 32)
    do {
      return UserKeyPair(
        privateKey: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: seed.rawBytes))
    } catch {
      throw .unusable("the account key makes no key pair")
    }
  }
}

/// An account's key pair in one container and environment.
struct UserKeyPair: Sendable {
  let privateKey: Curve25519.KeyAgreement.PrivateKey

  var publicBytes: [UInt8] { Array(privateKey.publicKey.rawRepresentation) }
}

/// Why keys could not be had.
public enum KeyFailure: Error, Sendable {
  /// The server could not be asked, or refused.
  case transport(TransportFailure)
  /// The account's values are sealed for a key that this device has not.
  case missing
  /// Nothing is encrypted in that database; the sentence says why.
  case notHere(String)
  /// The device's own keys cannot be read or kept; the sentence says why.
  case unusable(String)
}

/// Words that stand for a place, such that no two places have the same bytes.
struct Binding: Sendable, Hashable {
  let bytes: [UInt8]

  /// Each part with its length in front, four bytes, the highest first.
  init(_ parts: String...) {
    bytes = parts.flatMap { part in
      withUnsafeBytes(of: UInt32(clamping: part.utf8.count).bigEndian, Array.init) + part.utf8
    }
  }
}

extension SymmetricKey {
  var rawBytes: [UInt8] { withUnsafeBytes(Array.init) }
}
