import CloudKit

/// The notes that other users share with this user. They stay in the notebooks of their owners, and
/// this device keeps no copy of them.
struct SharedNotes {
  let container = CKContainer.default()
  private var database: CKDatabase { container.sharedCloudDatabase }

  /// Joins the share with this URL.
  ///
  /// - Returns: the title of the shared note.
  func join(_ text: String) async throws -> String {
    guard let url = URL(string: text.trimmingCharacters(in: .whitespaces)), url.scheme != nil
    else { throw UsageError("Write the URL of a shared note to standard input.") }
    let share = try await container.accept(container.shareMetadata(for: url))
    return share[CKShare.SystemFieldKey.title] as? String ?? "a note"
  }

  /// Returns all shared notes, newest first. Each zone of the shared database contains the notes of
  /// one owner.
  func all() async throws -> [Note] {
    var notes: [Note] = []
    for zone in try await database.allRecordZones() {
      var token: CKServerChangeToken?
      var moreComing = true
      while moreComing {
        let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
        for result in changes.modificationResultsByID.values {
          let record = try result.get().record
          if record.recordType == Note.recordType { notes.append(Note(record: record)) }
        }
        token = changes.changeToken
        moreComing = changes.moreComing
      }
    }
    return notes.sorted { $0.edited > $1.edited }
  }

  /// Replaces the text of a shared note.
  ///
  /// - Parameter prefix: the beginning of the note's name.
  func edit(_ prefix: String, text: String) async throws -> Note {
    let matches = try await all().filter {
      !prefix.isEmpty && $0.name.lowercased().hasPrefix(prefix.lowercased())
    }
    guard let note = matches.first else { throw UsageError("No note starts with '\(prefix)'.") }
    guard matches.count == 1 else {
      throw UsageError("More than one note starts with '\(prefix)'.")
    }
    note.text = text
    note.edited = Date()
    return Note(record: try await database.save(note.record))
  }
}
