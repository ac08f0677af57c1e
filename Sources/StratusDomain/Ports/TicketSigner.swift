/// Signs or encrypts the texts that the server issues and that clients bring back.
public protocol TicketSigner: Sendable {
  /// A signature of 32 bytes that only this server can make.
  func signature(of bytes: [UInt8]) -> [UInt8]

  /// Whether a signature belongs to these bytes. The check takes the same time whether few or many
  /// of the signature's bytes are right.
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool

  /// Encrypts bytes, so that only this server can read or change them. The same bytes give another
  /// result each time.
  func encrypted(_ bytes: [UInt8]) -> [UInt8]

  /// The bytes given to ``encrypted(_:)``; nil: this server did not encrypt them.
  func decrypted(_ bytes: [UInt8]) -> [UInt8]?
}
