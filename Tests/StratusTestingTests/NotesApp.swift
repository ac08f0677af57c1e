import CloudKit

/// A small app that keeps notes and syncs them with CKSyncEngine. The app contains no code for
/// tests.
actor NotesApp: CKSyncEngineDelegate {
  private struct Note {
    var text: String
    /// The record as the server has it, or nil if the note is not on the server yet.
    var record: CKRecord?
  }

  static let containerID = "iCloud.com.example.Notes"
  static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  private let database: CKDatabase
  private var notes: [String: Note] = [:]
  private var engine: CKSyncEngine?
  private(set) var state: CKSyncEngine.State.Serialization?
  /// The messages that the app would show to its user.
  private(set) var messages: [String] = []

  init(container: CKContainer) { database = container.privateCloudDatabase }

  var texts: [String: String] { notes.mapValues(\.text) }

  /// The number of changes that have not been sent yet.
  var pendingCount: Int { engine?.state.pendingRecordZoneChanges.count ?? 0 }

  func start() {
    engine = CKSyncEngine(
      CKSyncEngine.Configuration(database: database, stateSerialization: state, delegate: self))
  }

  func stop() { engine = nil }

  func write(_ text: String, as name: String) {
    notes[name, default: Note(text: text)].text = text
    engine?.state.add(pendingRecordZoneChanges: [.saveRecord(Self.recordID(name))])
  }

  func remove(_ name: String) {
    notes[name] = nil
    engine?.state.add(pendingRecordZoneChanges: [.deleteRecord(Self.recordID(name))])
  }

  private static func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  // CKSyncEngineDelegate.

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .stateUpdate(let update): state = update.stateSerialization
    case .accountChange(let change): handle(change, syncEngine)
    case .fetchedDatabaseChanges(let changes):
      for deletion in changes.deletions where deletion.zoneID == Self.zoneID {
        switch deletion.reason {
        case .encryptedDataReset: sendAll(syncEngine)
        case .deleted, .purged: notes = [:]
        }
        messages.append("zone \(deletion.reason)")
      }
    case .fetchedRecordZoneChanges(let changes):
      for change in changes.modifications { take(change.record, syncEngine) }
      for deletion in changes.deletions { notes[deletion.recordID.recordName] = nil }
    case .sentRecordZoneChanges(let sent): handle(sent, syncEngine)
    case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges,
      .didFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges:
      break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let changes = syncEngine.state.pendingRecordZoneChanges.filter {
      context.options.scope.contains($0)
    }
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      await self.record(for: recordID, syncEngine)
    }
  }

  private func record(for recordID: CKRecord.ID, _ engine: CKSyncEngine) -> CKRecord? {
    guard let note = notes[recordID.recordName] else {
      engine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
      return nil
    }
    let record = note.record ?? CKRecord(recordType: "Note", recordID: recordID)
    record["text"] = note.text
    return record
  }

  /// Stores a fetched record. If the note has unsent changes, merges both texts.
  private func take(_ record: CKRecord, _ engine: CKSyncEngine) {
    let name = record.recordID.recordName
    if engine.state.pendingRecordZoneChanges.contains(.saveRecord(record.recordID)) {
      merge(record, name)
    } else {
      notes[name] = Note(text: record["text"] as? String ?? "", record: record)
    }
  }

  private func handle(_ change: CKSyncEngine.Event.AccountChange, _ engine: CKSyncEngine) {
    switch change.changeType {
    case .signIn: sendAll(engine)
    case .signOut:
      notes = [:]
      messages.append("signed out")
    case .switchAccounts:
      notes = [:]
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
      messages.append("another account")
    }
  }

  /// Sends all notes. They are not in the server's zone, because the zone is new or was reset.
  private func sendAll(_ engine: CKSyncEngine) {
    for name in notes.keys { notes[name]?.record = nil }
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
    engine.state.add(
      pendingRecordZoneChanges: notes.keys.sorted().map { .saveRecord(Self.recordID($0)) })
  }

  private func handle(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
    for record in sent.savedRecords { notes[record.recordID.recordName]?.record = record }
    for failure in sent.failedRecordSaves {
      let recordID = failure.record.recordID
      switch failure.error.code {
      case .serverRecordChanged:
        guard let theirs = failure.error.serverRecord else { continue }
        merge(theirs, recordID.recordName)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
      case .zoneNotFound, .userDeletedZone:
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
        notes[recordID.recordName]?.record = nil
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
      case .unknownItem:
        notes[recordID.recordName]?.record = nil
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
      case .quotaExceeded: messages.append("storage is full")
      case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable,
        .notAuthenticated, .operationCancelled, .requestRateLimited, .serverResponseLost,
        .accountTemporarilyUnavailable:
        break  // The engine will send the change again.
      default: messages.append("\(failure.error.code)")
      }
    }
  }

  /// Joins the two texts if they differ.
  private func merge(_ theirs: CKRecord, _ name: String) {
    let text = theirs["text"] as? String ?? ""
    let mine = notes[name]?.text ?? ""
    notes[name] = Note(
      text: text == mine ? mine : [text, mine].sorted().joined(separator: " + "), record: theirs)
  }
}
