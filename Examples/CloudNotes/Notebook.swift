import CloudKit

/// The user's notes. The server has the complete notes. In the device's memory, fetched notes have
/// no text, but notes that this device has saved have their text.
struct Notebook {
  /// A zone that only this app uses, so that the app does not see the records of other apps.
  static let zoneID = CKRecordZone.ID(zoneName: "CloudNotes")

  let database = CKContainer.default().privateCloudDatabase
  var memory: DeviceMemory

  /// Creates the zone if it does not exist, and fetches the changes since the last fetch.
  ///
  /// - Returns: the number of records that changed or were deleted, including shares.
  mutating func sync() async throws -> Int {
    var count = 0
    var moreComing = true
    while moreComing {
      do {
        let changes = try await database.recordZoneChanges(
          inZoneWith: Self.zoneID, since: memory.token, desiredKeys: Note.listKeys)
        for (id, result) in changes.modificationResultsByID {
          // The zone also contains the records of shares.
          let record = try result.get().record
          if record.recordType == Note.recordType { memory.notes[id.recordName] = record }
        }
        for deletion in changes.deletions {
          memory.notes[deletion.recordID.recordName] = nil
        }
        count += changes.modificationResultsByID.count + changes.deletions.count
        memory.token = changes.changeToken
        moreComing = changes.moreComing
      } catch let error as CKError where error.code == .zoneNotFound {
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        memory.forget()
      } catch let error as CKError where error.code == .changeTokenExpired {
        memory.forget()
      }
    }
    try memory.save()
    return count
  }

  /// The notes, newest first. Their texts may be missing.
  var list: [Note] {
    memory.notes.values.map(Note.init).sorted { $0.edited > $1.edited }
  }

  /// Saves a new note. If the zone was deleted, this method creates it again.
  mutating func add(title: String, text: String) async throws -> Note {
    let note = Note(title: title, text: text, in: Self.zoneID, at: Date())
    do {
      return try await keep(database.save(note.record))
    } catch let error as CKError where error.code == .zoneNotFound {
      // Another device has deleted the zone, so its notes are also removed from this device.
      _ = try await sync()
      return try await keep(database.save(note.record))
    }
  }

  /// Returns the complete note, including its text.
  func show(_ prefix: String) async throws -> Note {
    Note(record: try await database.record(for: try id(prefix)))
  }

  /// Replaces the text of a note. The save contains the change tag of the version that this device
  /// knows.
  ///
  /// - Returns: the saved note, and whether another device had changed the note before.
  mutating func edit(_ prefix: String, text: String) async throws -> (Note, merged: Bool) {
    let id = try id(prefix)
    guard let known = memory.notes[id.recordName] else { throw CKError(.unknownItem) }
    let mine = Note(record: known)
    mine.text = text
    mine.edited = Date()
    do {
      return (try await keep(database.save(mine.record)), false)
    } catch let error as CKError where error.code == .serverRecordChanged {
      guard let record = error.serverRecord else { throw error }
      // Only the server's record has the change tag for the next save, so the merged text is
      // written into the server's record.
      let theirs = Note(record: record)
      theirs.text = "\(text)\n--- and from another device ---\n\(theirs.text)"
      theirs.edited = mine.edited
      return (try await keep(database.save(theirs.record)), true)
    }
  }

  mutating func delete(_ prefix: String) async throws {
    let id = try id(prefix)
    try await database.deleteRecord(withID: id)
    memory.notes[id.recordName] = nil
    try memory.save()
  }

  /// Shares a note with all users who have the URL. If the note is shared already, returns the URL
  /// of its share.
  mutating func share(_ prefix: String) async throws -> URL {
    let record = try await database.record(for: try id(prefix))
    if let known = record.share {
      guard let share = try await database.record(for: known.recordID) as? CKShare,
        let url = share.url
      else { throw CKError(.unknownItem) }
      return url
    }
    let share = CKShare(rootRecord: record)
    share[CKShare.SystemFieldKey.title] = Note(record: record).title
    share.publicPermission = .readWrite
    let (results, _) = try await database.modifyRecords(saving: [record, share], deleting: [])
    for result in results.values { _ = try result.get() }
    memory.notes[record.recordID.recordName] = record
    try memory.save()
    guard let url = share.url else { throw CKError(.internalError) }
    return url
  }

  /// Ends the sharing of a note. The owner keeps the note, and other users can no longer see it.
  func unshare(_ prefix: String) async throws {
    let record = try await database.record(for: try id(prefix))
    guard let share = record.share else { throw UsageError("The note is not shared.") }
    try await database.deleteRecord(withID: share.recordID)
  }

  private mutating func keep(_ record: CKRecord) throws -> Note {
    memory.notes[record.recordID.recordName] = record
    try memory.save()
    return Note(record: record)
  }

  /// Returns the record ID of the note whose name begins with this text.
  private func id(_ prefix: String) throws -> CKRecord.ID {
    if prefix.isEmpty { throw UsageError("Say which note, as 'list' shows it.") }
    let matches = memory.notes.values.map(\.recordID).filter {
      $0.recordName.lowercased().hasPrefix(prefix.lowercased())
    }
    guard let id = matches.first else { throw UsageError("No note starts with '\(prefix)'.") }
    guard matches.count == 1 else {
      throw UsageError("More than one note starts with '\(prefix)'.")
    }
    return id
  }
}

/// A sentence for the user about wrong input.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
