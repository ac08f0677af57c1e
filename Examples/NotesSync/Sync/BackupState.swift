import CloudKit

/// What the device remembers of the server from one run to the next.
///
/// What is still to be sent does not stand here: it is what differs between the folder and this. So
/// nothing can be forgotten, whenever the app ends, and whoever changes the files.
struct BackupState: Codable, Sendable {
  /// A note as the server has it.
  struct Known: Codable, Sendable {
    /// The record's system fields, its change tag among them; nil: it may not be there yet.
    var record: Data?
    var text: String?
    /// What was sent and not confirmed.
    var sent: String?
  }

  enum Zone: String, Codable, Sendable {
    case unmade, made
    /// The server has said that it is not there.
    case doubted
  }

  var isOn = true
  /// Why it is off, if that was not the user's doing.
  var reasonForOff: String?
  /// Whether the user wants everything deleted, and the server has not done it yet.
  var isDeleting = false
  /// Whether the notes lie aside, or on their way there, because another account is used.
  var isAside = false
  /// The record name of the user whose notes these are; nil: nobody has been signed in yet.
  var user: String?
  var zone = Zone.unmade
  var isSubscribed = false
  var databaseToken: Data?
  var zoneToken: Data?
  var notes: [String: Known] = [:]
  /// While the zone is read from its beginning: notes that have not come yet. Those left in the end
  /// are not there any more, since a history that begins anew tells of no deletions.
  var unconfirmed: Set<String>?

  /// Reads the histories from their beginning.
  mutating func startOver() {
    databaseToken = nil
    zoneToken = nil
    unconfirmed = Set(notes.keys)
  }

  /// What is here is all there is: the server has nothing of it.
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

  /// nil where there is none, or it cannot be read: then the history is read from its beginning.
  static func unarchived(_ data: Data?) -> CKServerChangeToken? {
    data.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: Self.self, from: $0) }
  }
}

extension BackupState.Known {
  /// As the server has it now.
  init(_ record: CKRecord, sent: String? = nil) {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    self.init(record: archiver.encodedData, text: Note.text(of: record), sent: sent)
  }

  /// A record to save: the one the server has, or a new one.
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
