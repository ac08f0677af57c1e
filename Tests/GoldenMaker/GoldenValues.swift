import Foundation
import StratusFoundation

@testable import StratusKit

/// The values of the golden records. Tests/GoldenTests contains the same values.
enum GoldenValues {
  static let notes = CKRecordZone.ID(zoneName: "Notes")

  static func id(_ name: String, in zone: CKRecordZone.ID = notes) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zone)
  }

  static func date(_ milliseconds: Int) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  static func place(_ number: Int) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(
        latitude: 52.5 + Double(number), longitude: 13.25 - Double(number)),
      altitude: 34.5, horizontalAccuracy: 5, verticalAccuracy: 3, course: 90, courseAccuracy: 2,
      speed: 1.5, speedAccuracy: 0.5, timestamp: date(1_700_000_000_000))
  }

  /// Sets a value of every type except assets.
  static func fill(_ record: CKRecord) {
    record["text"] = "Käse & \u{1F9C0}\u{0}end"
    record["empty"] = ""
    record["whole"] = Int64(9_007_199_254_740_993)
    record["smallest"] = Int64.min
    record["fraction"] = 2.5
    record["negativeZero"] = -0.0
    record["truth"] = true
    record["date"] = date(1_700_000_000_123)
    record["bytes"] = Data([0, 1, 254, 255])
    record["place"] = place(0)
    record["pointer"] = CKRecord.Reference(
      recordID: id("folder-1", in: record.recordID.zoneID), action: .none)
    record["texts"] = ["a", "", "ß"]
    record["wholes"] = [1, -2, 3]
    record["fractions"] = [0.5, -1.25]
    record["dates"] = [date(0), date(-1_000)]
    record["blobs"] = [Data(), Data([7])]
    record["places"] = [place(1), place(2)]
    record["pointers"] = [
      CKRecord.Reference(recordID: id("folder-1", in: record.recordID.zoneID), action: .none)
    ]
  }

  /// Sets an encrypted value of every type that can be encrypted.
  static func fillSecrets(_ record: CKRecord) {
    record.encryptedValues["secretText"] = "geheim"
    record.encryptedValues["secretWhole"] = Int64(-42)
    record.encryptedValues["secretFraction"] = 0.125
    record.encryptedValues["secretDate"] = date(1_600_000_000_000)
    record.encryptedValues["secretBytes"] = Data([9, 8, 7])
    record.encryptedValues["secretPlace"] = place(3)
    record.encryptedValues["secretTexts"] = ["eins", "zwei"]
  }
}
