import Foundation
import StratusFoundation
import StratusWire

extension CKRecord {
  /// An upper bound for the size in bytes of the fields that a save would send.
  ///
  /// NB: the size is computed without encoding the fields, because the save encodes them later.
  var sentSizeBytesMax: Int { withState { $0.sentSizeBytesMax } }
}

extension RecordState {
  fileprivate var sentSizeBytesMax: Int {
    var bytes = 2
    let isWhole = system.changeTag == nil
    for (key, value) in values where isWhole || changes[key] != nil {
      bytes += key.utf8.count + Self.frameBytesMax + Self.sizeBytesMax(value)
    }
    for key in changes.keys where values[key] == nil {
      bytes += key.utf8.count + Self.frameBytesMax
    }
    for (key, value) in encrypted.values where isWhole || encrypted.changes[key] != nil {
      // Encrypted values are additionally encoded in base64.
      let plain = Self.frameBytesMax + Self.sizeBytesMax(value)
      bytes += key.utf8.count + Self.frameBytesMax + plain * 4 / 3 + 128
    }
    return bytes
  }

  /// An upper bound for the bytes of `"…":{"value":…,"type":"…"},` around a value.
  private static let frameBytesMax = 64

  private static func sizeBytesMax(_ object: NSObject) -> Int {
    switch object {
    case let value as NSString: sizeBytesMax(String(describing: value))
    case is NSNumber, is NSDate: 32
    case let value as NSData: value.length * 4 / 3 + 8
    case is CLLocation: 320
    case let value as CKReference:
      160 + sizeBytesMax(value.recordID.recordName) + sizeBytesMax(value.recordID.zoneID.zoneName)
        + sizeBytesMax(value.recordID.zoneID.ownerName)
    case is CKAsset: 1_024
    case let value as NSArray:
      value.reduce(2) { bytes, element in
        bytes + 1 + (StoredValues.make(from: element).map { sizeBytesMax($0) } ?? 0)
      }
    default: 64
    }
  }

  /// An upper bound for the bytes of a text in JSON, with the quotation marks and escape sequences.
  private static func sizeBytesMax(_ text: String) -> Int {
    var text = text
    return text.withUTF8 { text in
      var bytes = 2
      for byte in text {
        if byte < 0x20 {
          bytes += 6
        } else {
          bytes += byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1
        }
      }
      return bytes
    }
  }
}
