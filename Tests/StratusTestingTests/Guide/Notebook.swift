import CloudKit

/// An app that stores notes under names.
struct Notebook {
  private let database: CKDatabase

  init(container: CKContainer = .default()) { database = container.privateCloudDatabase }

  func open(_ name: String) async throws -> CKRecord {
    try await database.record(for: CKRecord.ID(recordName: name))
  }

  func add(_ text: String, as name: String) async throws {
    let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
    note["text"] = text
    try await database.save(note)
  }

  /// Saves a note. If another device has changed the note, keeps both texts.
  func save(_ note: CKRecord) async throws {
    do {
      try await database.save(note)
    } catch let error as CKError where error.code == .serverRecordChanged {
      guard let theirs = error.serverRecord else { throw error }
      let texts = [theirs, note].compactMap { $0["text"] as? String }
      theirs["text"] = texts.joined(separator: " + ")
      try await database.save(theirs)
    }
  }
}
