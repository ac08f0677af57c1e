import Crypto
import Foundation
public import StratusDomain

/// Signs with HMAC-SHA256 and a secret of the server.
public struct HMACSigner: TicketSigner {
  private let key: SymmetricKey

  /// - Parameter secret: 32 unpredictable bytes.
  public init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

  public func signature(of bytes: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }

  public func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
  }
}
