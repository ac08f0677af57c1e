import CloudKit

/// That somebody is in a channel: a record which is renewed while they are, and counts for nothing
/// once it has not been for a while.
///
/// Time is the server's, as records carry it: no two machines need agree on it.
struct Presence: Sendable {
  static let recordType = "Presence"
  /// How often it is renewed.
  static let renewalSeconds = 10.0
  /// How long it holds: two renewals may get lost.
  static let validSeconds = 30.0

  let record: CKRecord

  init(of name: String, in channel: Channel) {
    record = CKRecord(recordType: Self.recordType)
    record["channel"] = channel.reference
    record["name"] = name
  }

  init(record: CKRecord) { self.record = record }

  var id: CKRecord.ID { record.recordID }
  var name: String { (record["name"] as? String ?? "somebody").printable }

  /// The name that somebody goes by.
  ///
  /// - Throws: `UsageError` for what is no name.
  static func name(_ text: String) throws -> String {
    let name = text.printable.trimmingCharacters(in: .whitespaces)
    guard (1...20).contains(name.count) else {
      throw UsageError("Your name has 1 to 20 characters.")
    }
    return name
  }
}
