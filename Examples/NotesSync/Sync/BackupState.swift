import CloudKit

/// The device's knowledge of the server, stored from one run to the next.
///
/// The state does not list unsent changes: they are the differences between the folder and this
/// state. So no change can be forgotten, no matter when the app ends or which program changes the
/// files.
struct BackupState: Codable, Sendable {
  /// A note as the server has it.
  struct Known: Codable, Sendable {
    /// The record's system fields with its change tag; nil: the record may not exist yet.
    var record: Data?
    var text: String?
    /// The text that was sent and not confirmed.
    var sent: String?
  }

  enum Zone: String, Codable, Sendable {
    case unmade, made
    /// The server has reported that the note does not exist.
    case doubted
  }

  var isOn = true
  /// The reason why the backup is off, unless the user switched it off.
  var reasonForOff: String?
  /// Whether the user wants to delete everything, and the server has not deleted the backup yet.
  var isDeleting = false
  /// Whether the notes are moved aside, or are being moved, because another account is in use.
  var isAside = false
  /// The record name of the user who owns the notes; nil: no user has been signed in yet.
  var user: String?
  var zone = Zone.unmade
  var isSubscribed = false
  var databaseToken: Data?
  var zoneToken: Data?
  var notes: [String: Known] = [:]
  /// While the zone is fetched without a token: the known notes that have not been returned yet.
  /// Notes that are left at the end no longer exist, because such a fetch returns no deletions.
  var unconfirmed: Set<String>?

  /// Removes the change tokens, so that everything is fetched again.
  mutating func startOver() {
    databaseToken = nil
    zoneToken = nil
    unconfirmed = Set(notes.keys)
  }

  /// Forgets the server's notes: the server has none of the notes here.
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

  /// The stored token; nil if there is none or it cannot be read. The history is then fetched
  /// without a token.
  static func unarchived(_ data: Data?) -> CKServerChangeToken? {
    data.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: Self.self, from: $0) }
  }
}

extension BackupState.Known {
  /// Notes the server's present state of a note.
  init(_ record: CKRecord, sent: String? = nil) {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    self.init(record: archiver.encodedData, text: Note.text(of: record), sent: sent)
  }

  /// A record to save: the server's, or a new one.
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
