import CloudKit
import CoreLocation

/// A party as the app uses it.
struct Party {
  static let recordType = "Party"
  /// The fields that a list needs. The photo stays on the server until the user opens the party.
  static let listKeys = ["name", "summary", "location", "radius"]

  let record: CKRecord

  init(name: String, summary: String, location: CLLocation, radius: Double) {
    record = CKRecord(recordType: Self.recordType)
    record["name"] = name
    record["summary"] = summary
    record["location"] = location
    record["radius"] = radius
  }

  init(record: CKRecord) { self.record = record }

  var id: String { record.recordID.recordName }
  var name: String { record["name"] as? String ?? "(no name)" }
  var summary: String { record["summary"] as? String ?? "" }
  var location: CLLocation? { record["location"] as? CLLocation }
  /// The radius in metres within which the party can be heard.
  var radius: Double { record["radius"] as? Double ?? 0 }

  /// The file with the photo. Nil if the party has no photo, or was fetched without it.
  var photo: URL? {
    get { (record["photo"] as? CKAsset)?.fileURL }
    nonmutating set { record["photo"] = newValue.map { CKAsset(fileURL: $0) } }
  }

  /// Returns the party as one line of a list.
  ///
  /// - Parameter here: a location or nil. The line shows the distance from this location.
  func line(from here: CLLocation? = nil) -> String {
    var line = "\(id.prefix(8))  \(name): \(summary)"
    if let here, let location {
      let kilometres = location.distance(from: here) / 1_000
      line += " (\(String(format: "%.1f", kilometres)) km away)"
    }
    return line
  }
}
