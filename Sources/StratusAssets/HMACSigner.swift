import Crypto
import Foundation
public import StratusDomain
import Synchronization

/// Signs with HMAC-SHA256 and a secret of the server.
///
/// After a rotation the newest secret signs, and signatures of the others are still recognized.
public final class HMACSigner: TicketSigner {
  private let keys: Mutex<[SymmetricKey]>

  /// - Parameter secrets: 32 unpredictable bytes each, the newest first; at least one.
  public init(secrets: [[UInt8]]) {
    keys = Mutex(secrets.map { SymmetricKey(data: $0) })
  }

  /// - Parameter secret: 32 unpredictable bytes.
  public convenience init(secret: [UInt8]) { self.init(secrets: [secret]) }

  /// Replaces the secrets after a rotation.
  public func replace(by secrets: [[UInt8]]) {
    let new = secrets.map { SymmetricKey(data: $0) }
    keys.withLock { $0 = new }
  }

  public func signature(of bytes: [UInt8]) -> [UInt8] {
    guard let key = keys.withLock(\.first) else { return [] }
    return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }

  public func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    keys.withLock { $0 }.contains { key in
      HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
    }
  }
}
