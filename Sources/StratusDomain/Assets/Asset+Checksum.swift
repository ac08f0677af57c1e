import Foundation
public import StratusWire

extension Asset {
  /// The 32 bytes of the checksum; nil if the text is not a checksum.
  public var checksumBytes: [UInt8]? {
    guard let data = Data(base64Encoded: fileChecksum), data.count == 32 else { return nil }
    return Array(data)
  }
}
