import CloudKit

/// The device's knowledge of the server, which is stored between runs.
///
/// The state contains no list of unsent changes, because these are the differences between the
/// folder and this state. No change can be lost, even if the app ends or another program changes
/// the files.
struct BackupState: Codable, Sendable {
  /// The server's version of a note, as far as this device knows it.
  struct Known: Codable, Sendable {
    /// The record's system fields with its change tag, or nil if the record may not exist yet.
    var record: Data?
    var text: String?
    /// The text that was sent but not confirmed.
    var sent: String?
  }

  enum Zone: String, Codable, Sendable {
    case unmade, made
    /// A request failed because the zone does not exist, so the app must check whether it exists.
    case doubted
  }

  var isOn = true
  /// The reason why the backup is off, or nil if the user has switched it off.
  var reasonForOff: String?
  /// Whether the user wants to delete everything, but the server has not deleted the backup yet.
  var isDeleting = false
  /// Whether the notes are moved aside, or are being moved, because another account is signed in.
  var isAside = false
  /// The record name of the user who owns the notes, or nil if no user has signed in yet.
  var user: String?
  var zone = Zone.unmade
  var isSubscribed = false
  var databaseToken: Data?
  var zoneToken: Data?
  var notes: [String: Known] = [:]
  /// The known notes that a fetch without a token has not returned yet. A note that is still in
  /// this set at the end of the fetch was deleted, because such a fetch reports no deletions.
  var unconfirmed: Set<String>?

  /// Removes the change tokens, so that everything is fetched again.
  mutating func startOver() {
    databaseToken = nil
    zoneToken = nil
    unconfirmed = Set(notes.keys)
  }

  /// Forgets the zone, the change tokens and the server's copies of the notes. It is called when
  /// the server has none of the notes.
  mutating func forgetServer() {
    zone = .unmade
    databaseToken = nil
    zoneToken = nil
    notes = [:]
    unconfirmed = nil
  }
}

extension CKServerChangeToken {
  func archived() throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
  }

  /// Returns the stored token, or nil if there is none or it cannot be read. If the result is nil,
  /// all changes are fetched.
  static func unarchived(_ data: Data?) -> CKServerChangeToken? {
    data.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: Self.self, from: $0) }
  }
}

extension BackupState.Known {
  /// Creates the stored version of a note from the server's record.
  init(_ record: CKRecord, sent: String? = nil) {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    self.init(record: archiver.encodedData, text: Note.text(of: record), sent: sent)
  }

  /// Returns the record that saves a text: the known record of the server, or a new record.
  static func record(of known: Self?, named name: String, text: String) -> CKRecord {
    var record: CKRecord?
    if let data = known?.record, let coder = try? NSKeyedUnarchiver(forReadingFrom: data) {
      record = CKRecord(coder: coder)
      coder.finishDecoding()
    }
    let known = record ?? CKRecord(recordType: Note.recordType, recordID: Note.recordID(name))
    known["text"] = text
    return known
  }
}
