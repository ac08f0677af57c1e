import Crypto
public import StratusWire

/// The secret with which a device can decrypt all encrypted values of an account.
///
/// The secret leaves the user's devices only as a recovery key, which the user keeps.
public struct AccountKey: Sendable, Hashable {
  /// The length of the secret in bytes.
  public static let length = 32

  let secret: [UInt8]

  /// - Parameter secret: ``length`` cryptographically random bytes. With another length, the result
  ///   is nil.
  public init?(secret: [UInt8]) {
    guard secret.count == Self.length else { return nil }
    self.secret = secret
  }

  /// Creates a new key.
  ///
  /// - Parameter randomness: returns the given number of cryptographically random bytes.
  /// - Throws: ``KeyFailure/unusable(_:)`` if `randomness` returns a wrong number of bytes.
  public init(drawnFrom randomness: (Int) -> [UInt8]) throws(KeyFailure) {
    guard let key = AccountKey(secret: randomness(Self.length)) else {
      throw .unusable("no account key could be created")
    }
    self = key
  }

  /// Returns the account's public key in a container. The public key reveals nothing about the
  /// account's public keys in other containers.
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
      throw .unusable("no key pair can be derived from the account key")
    }
  }
}

/// An account's key pair in one container and environment.
struct UserKeyPair: Sendable {
  let privateKey: Curve25519.KeyAgreement.PrivateKey

  var publicBytes: [UInt8] { Array(privateKey.publicKey.rawRepresentation) }
}

/// The reason why keys are not available.
public enum KeyFailure: Error, Sendable {
  /// The server could not be reached, or refused the request.
  case transport(TransportFailure)
  /// The account's values are encrypted with a key that this device does not have.
  case missing
  /// Values cannot be encrypted in this database or zone. The text says why.
  case notHere(String)
  /// The device's own keys cannot be read or saved, an operation with a key failed, or the server's
  /// answer about keys is wrong. The text says why.
  case unusable(String)
}

/// The bytes of a list of texts. Different lists have different bytes.
struct Binding: Sendable, Hashable {
  let bytes: [UInt8]

  /// Writes each text, preceded by its length as four bytes in big-endian order.
  init(_ parts: String...) { self.init(parts) }

  init(_ parts: [String]) {
    bytes = parts.flatMap { part in
      withUnsafeBytes(of: UInt32(clamping: part.utf8.count).bigEndian, Array.init) + part.utf8
    }
  }
}

extension SymmetricKey {
  var rawBytes: [UInt8] { withUnsafeBytes(Array.init) }
}
