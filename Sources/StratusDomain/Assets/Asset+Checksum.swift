import Foundation
public import StratusWire

extension Asset {
  /// The 32 bytes of the checksum, or nil if ``fileChecksum`` is not a valid checksum.
  public var checksumBytes: [UInt8]? {
    guard let data = Data(base64Encoded: fileChecksum), data.count == 32 else { return nil }
    return Array(data)
  }
}
