import CloudKit

/// A record that shows that a user is in a channel. The program renews it while the user is there.
/// If it is not renewed for some time, it expires.
///
/// The program compares only times of the server's clock, so the clocks of two machines need not
/// agree.
struct Presence: Sendable {
  static let recordType = "Presence"
  /// The number of seconds between two renewals.
  static let renewalSeconds = 10.0
  /// The number of seconds until a presence expires. It is long enough that two renewals may be
  /// lost.
  static let validSeconds = 30.0

  let record: CKRecord

  init(of name: String, in channel: Channel) {
    record = channel.newRecord(Self.recordType)
    record["name"] = name
  }

  init(record: CKRecord) { self.record = record }

  var id: CKRecord.ID { record.recordID }
  var name: String { (record["name"] as? String ?? "somebody").printable }

  /// Checks a user's name for the chat, and returns it without control characters.
  ///
  /// - Throws: `UsageError` if the text is not a valid name.
  static func name(_ text: String) throws -> String {
    let name = text.printable.trimmingCharacters(in: .whitespaces)
    guard (1...20).contains(name.count) else {
      throw UsageError("Your name has 1 to 20 characters.")
    }
    return name
  }
}
