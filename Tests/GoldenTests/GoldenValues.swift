import Foundation
import StratusFoundation
import Testing

@testable import StratusKit

/// The values of the golden records. Tests/GoldenMaker contains the same values.
enum GoldenValues {
  static func date(_ milliseconds: Int) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  /// Compares a location with the golden location of this number. A server does not store the
  /// accuracies of course and speed, so the accuracies are compared only if `isWhole` is true.
  static func expect(
    _ value: CLLocation?, is number: Int, isWhole: Bool,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(value?.coordinate.latitude == 52.5 + Double(number), sourceLocation: location)
    #expect(value?.coordinate.longitude == 13.25 - Double(number), sourceLocation: location)
    #expect(value?.altitude == 34.5, sourceLocation: location)
    #expect(value?.horizontalAccuracy == 5, sourceLocation: location)
    #expect(value?.verticalAccuracy == 3, sourceLocation: location)
    #expect(value?.course == 90, sourceLocation: location)
    #expect(value?.speed == 1.5, sourceLocation: location)
    #expect(value?.timestamp == date(1_700_000_000_000), sourceLocation: location)
    guard isWhole else { return }
    #expect(value?.courseAccuracy == 2, sourceLocation: location)
    #expect(value?.speedAccuracy == 0.5, sourceLocation: location)
  }

  /// Checks every field except assets.
  static func expectFields(
    of record: CKRecord, isWhole: Bool, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(record["text"] as? String == "Käse & \u{1F9C0}\u{0}end", sourceLocation: location)
    #expect(record["empty"] as? String == "", sourceLocation: location)
    #expect(record["whole"] as? Int64 == 9_007_199_254_740_993, sourceLocation: location)
    #expect(record["smallest"] as? Int64 == Int64.min, sourceLocation: location)
    #expect(record["fraction"] as? Double == 2.5, sourceLocation: location)
    #expect(record["negativeZero"] as? Double == 0, sourceLocation: location)
    #expect(record["truth"] as? Int == 1, sourceLocation: location)
    #expect(record["date"] as? Date == date(1_700_000_000_123), sourceLocation: location)
    #expect(record["bytes"] as? Data == Data([0, 1, 254, 255]), sourceLocation: location)
    expect(record["place"] as? CLLocation, is: 0, isWhole: isWhole, location)
    let folder = CKRecord.Reference(recordID: GoldenFiles.id("folder-1"), action: .none)
    #expect(record["pointer"] as? CKRecord.Reference == folder, sourceLocation: location)
    #expect(record["texts"] as? [String] == ["a", "", "ß"], sourceLocation: location)
    #expect(record["wholes"] as? [Int] == [1, -2, 3], sourceLocation: location)
    #expect(record["fractions"] as? [Double] == [0.5, -1.25], sourceLocation: location)
    #expect(record["dates"] as? [Date] == [date(0), date(-1_000)], sourceLocation: location)
    #expect(record["blobs"] as? [Data] == [Data(), Data([7])], sourceLocation: location)
    let places = record["places"] as? [CLLocation] ?? []
    #expect(places.count == 2, sourceLocation: location)
    for (index, place) in places.enumerated() {
      expect(place, is: index + 1, isWhole: isWhole, location)
    }
    #expect(record["pointers"] as? [CKRecord.Reference] == [folder], sourceLocation: location)
  }

  static func expectSecrets(
    of record: CKRecord, text: String = "geheim", isWhole: Bool,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let secrets = record.encryptedValues
    #expect(secrets["secretText"] as? String == text, sourceLocation: location)
    #expect(secrets["secretWhole"] as? Int64 == -42, sourceLocation: location)
    #expect(secrets["secretFraction"] as? Double == 0.125, sourceLocation: location)
    #expect(secrets["secretDate"] as? Date == date(1_600_000_000_000), sourceLocation: location)
    #expect(secrets["secretBytes"] as? Data == Data([9, 8, 7]), sourceLocation: location)
    expect(secrets["secretPlace"] as? CLLocation, is: 3, isWhole: isWhole, location)
    #expect(secrets["secretTexts"] as? [String] == ["eins", "zwei"], sourceLocation: location)
    #expect(record.unreadableEncryptedKeys == [], sourceLocation: location)
  }

  static let fieldNames: Set<String> = [
    "text", "empty", "whole", "smallest", "fraction", "negativeZero", "truth", "date", "bytes",
    "place", "pointer", "texts", "wholes", "fractions", "dates", "blobs", "places", "pointers",
    "photo", "photos",
  ]

  static let secretNames: Set<String> = [
    "secretText", "secretWhole", "secretFraction", "secretDate", "secretBytes", "secretPlace",
    "secretTexts",
  ]
}
