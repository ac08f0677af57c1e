/// Signs the texts that the server issues, so that it can recognize them later.
public protocol TicketSigner: Sendable {
  /// A signature of 32 bytes that only this server can make.
  func signature(of bytes: [UInt8]) -> [UInt8]

  /// Whether a signature belongs to these bytes. The check takes the same time whether few or many
  /// of the signature's bytes are right.
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool
}
