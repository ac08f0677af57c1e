import CloudKit

/// A record that shows that a user is in a channel. The program renews it while the user is there,
/// and it expires if it is not renewed for a while.
///
/// All times come from the server's clock, as the records have them. So the clocks of two machines
/// need not agree.
struct Presence: Sendable {
  static let recordType = "Presence"
  /// Seconds between two renewals.
  static let renewalSeconds = 10.0
  /// Seconds until a presence expires. It is long enough that two renewals may get lost.
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

  /// The user's name in the chat.
  ///
  /// - Throws: `UsageError` if the text is no valid name.
  static func name(_ text: String) throws -> String {
    let name = text.printable.trimmingCharacters(in: .whitespaces)
    guard (1...20).contains(name.count) else {
      throw UsageError("Your name has 1 to 20 characters.")
    }
    return name
  }
}
