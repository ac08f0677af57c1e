/// Signs what the server hands out and wants to know again.
public protocol TicketSigner: Sendable {
  /// 32 bytes that nobody else can make.
  func signature(of bytes: [UInt8]) -> [UInt8]

  /// Whether a signature is that of these bytes; takes as long for a near miss as for a far one.
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool
}
