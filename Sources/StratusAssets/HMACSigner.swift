import Crypto
import Foundation
public import StratusDomain
import Synchronization

/// Signs with HMAC-SHA256 and encrypts with AES-GCM. Each secret of the server gives a key for
/// signatures and a key for encryption.
///
/// After a rotation, only the newest secret signs and encrypts. Texts that were made with an older
/// secret are still accepted.
public final class HMACSigner: TicketSigner {
  private struct Keys {
    let signing: SymmetricKey
    let encryption: SymmetricKey

    init(secret: [UInt8]) {
      signing = SymmetricKey(data: secret)
      encryption = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: signing, info: Data("encryption of tickets".utf8), outputByteCount: 32)
    }
  }

  private let keys: Mutex<[Keys]>

  /// - Parameter secrets: at least one secret of 32 unpredictable bytes, the newest first.
  public init(secrets: [[UInt8]]) {
    keys = Mutex(secrets.map(Keys.init))
  }

  /// - Parameter secret: 32 unpredictable bytes.
  public convenience init(secret: [UInt8]) { self.init(secrets: [secret]) }

  /// Replaces the secrets after a rotation.
  public func replace(by secrets: [[UInt8]]) {
    let new = secrets.map(Keys.init)
    keys.withLock { $0 = new }
  }

  public func signature(of bytes: [UInt8]) -> [UInt8] {
    guard let key = keys.withLock(\.first?.signing) else { return [] }
    return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }

  public func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    keys.withLock { $0 }.contains { keys in
      HMAC<SHA256>.isValidAuthenticationCode(
        signature, authenticating: bytes, using: keys.signing)
    }
  }

  /// NB: with a random nonce and a key of 32 bytes, the encryption cannot fail.
  public func encrypted(_ bytes: [UInt8]) -> [UInt8] {
    guard let key = keys.withLock(\.first?.encryption),
      let box = try? AES.GCM.seal(bytes, using: key), let combined = box.combined
    else { return [] }
    return Array(combined)
  }

  public func decrypted(_ bytes: [UInt8]) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
    for keys in keys.withLock({ $0 }) {
      if let opened = try? AES.GCM.open(box, using: keys.encryption) { return Array(opened) }
    }
    return nil
  }
}
