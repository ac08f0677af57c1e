/// Signs or encrypts the texts that the server issues and that clients send back.
public protocol TicketSigner: Sendable {
  /// Returns a signature of 32 bytes that only this server can make.
  func signature(of bytes: [UInt8]) -> [UInt8]

  /// Whether a signature belongs to these bytes. The check takes the same time, whether few or many
  /// bytes of the signature are right.
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool

  /// Encrypts bytes, so that only this server can read or change them. The result is different each
  /// time, even for the same bytes.
  func encrypted(_ bytes: [UInt8]) -> [UInt8]

  /// Returns the bytes given to ``encrypted(_:)``, or nil if this server did not encrypt them.
  func decrypted(_ bytes: [UInt8]) -> [UInt8]?
}
