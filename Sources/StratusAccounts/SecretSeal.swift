import Crypto
import Foundation
import StratusDomain

/// Encrypts secrets that the registry stores. A person who steals the registry cannot read the
/// secrets without the server's key file.
struct SecretSeal: Sendable {
  private static let version: UInt8 = 1
  /// The number of random bytes that each sealed secret needs.
  static let nonceCount = 12

  private let keys: [SigningKey]

  /// - Parameter keys: the newest one first. Only the newest one seals secrets.
  init(keys: [SigningKey]) { self.keys = keys }

  /// Encrypts a secret with AES-GCM.
  ///
  /// - Parameters:
  ///   - place: the use and the owner of the secret. A sealed secret cannot be opened for another
  ///     place.
  ///   - nonce: ``nonceCount`` random bytes.
  /// - Returns: the version, the number of the key, the nonce, the ciphertext and the tag.
  /// - Throws: `INTERNAL_ERROR`.
  func seal(
    _ secret: [UInt8], at place: String, nonce: [UInt8]
  ) throws(ServerError) -> [UInt8] {
    guard let key = keys.first else { throw .fault("there is no key for stored secrets") }
    do {
      let box = try AES.GCM.seal(
        Data(secret), using: SymmetricKey(data: key.bytes),
        nonce: AES.GCM.Nonce(data: Data(nonce)), authenticating: Data(place.utf8))
      let number = withUnsafeBytes(of: key.id.bigEndian) { Array($0) }
      return [Self.version] + number + nonce + Array(box.ciphertext) + Array(box.tag)
    } catch {
      throw .fault("a secret cannot be sealed", facts: ["error": "\(error)"])
    }
  }

  /// Decrypts a secret.
  ///
  /// - Returns: nil if the bytes were not sealed with one of the keys for this place.
  func open(_ sealed: [UInt8], at place: String) -> [UInt8]? {
    guard sealed.first == Self.version, sealed.count >= 5 + Self.nonceCount + 16 else {
      return nil
    }
    let number = sealed[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
    guard let key = keys.first(where: { $0.id == number }),
      let box = try? AES.GCM.SealedBox(combined: Data(sealed.dropFirst(5))),
      let secret = try? AES.GCM.open(
        box, using: SymmetricKey(data: key.bytes), authenticating: Data(place.utf8))
    else { return nil }
    return Array(secret)
  }
}
