import CloudKit

/// A note as the app uses it.
struct Note {
  static let recordType = "CloudNote"
  /// The fields that a list needs. The text stays on the server until the user reads the note.
  static let listKeys = ["title", "edited"]

  let record: CKRecord

  init(title: String, text: String, in zoneID: CKRecordZone.ID, at date: Date) {
    record = CKRecord(recordType: Self.recordType, recordID: CKRecord.ID(zoneID: zoneID))
    self.title = title
    self.text = text
    edited = date
  }

  init(record: CKRecord) { self.record = record }

  var name: String { record.recordID.recordName }

  var title: String {
    get { record["title"] as? String ?? "(no title)" }
    nonmutating set { record["title"] = newValue }
  }

  var text: String {
    get { record["text"] as? String ?? "" }
    nonmutating set { record["text"] = newValue }
  }

  var edited: Date {
    get { record["edited"] as? Date ?? .distantPast }
    nonmutating set { record["edited"] = newValue }
  }

  /// The note as one line of a list.
  var line: String {
    let style = Date.ISO8601FormatStyle().year().month().day()
    let date = edited.formatted(style.time(includingFractionalSeconds: false))
    return "\(name.prefix(8))  \(date)  \(title)"
  }
}
