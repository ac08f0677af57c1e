import Foundation
import StratusFoundation
import StratusWire

@testable import StratusKit

extension ServerDataMaker {
  /// Archives the values that an app has fetched: tokens, cursors, records and the state of its
  /// sync engine.
  func remember(_ time: String) async throws {
    let container = scene.container(of: "alice")
    let database = container.privateCloudDatabase
    let changes = try await database.databaseChanges(since: nil)
    try keep(changes.changeToken, as: "database-token-\(time)")
    for zone in ["Notes", "Again", "Empty"] {
      let page = try await database.recordZoneChanges(
        inZoneWith: CKRecordZone.ID(zoneName: zone), since: nil)
      try keep(page.changeToken, as: "zone-token-\(zone)-\(time)")
    }
    let part = try await database.recordZoneChanges(
      inZoneWith: GoldenValues.notes, since: nil, resultsLimit: 2)
    try keep(part.changeToken, as: "zone-token-Notes-part-\(time)")
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "count > 0"))
    query.sortDescriptors = [NSSortDescriptor(key: "count", ascending: true)]
    let (_, cursor) = try await database.records(
      matching: query, inZoneWith: GoldenValues.notes, resultsLimit: 2)
    if let cursor {
      try archive.write(cursor, as: "query-cursor-\(time)")
      scene.note("continuationMarker.\(time)", cursor.request?.continuationMarker)
    }
    try await rememberNotifications(of: container, time)
    try await rememberRecords(of: database, time)
    try await rememberEngine(of: database, time)
  }

  private func keep(_ token: CKServerChangeToken, as name: String) throws {
    try archive.write(token, as: name)
    scene.note("syncToken.\(name)", token.syncToken)
  }

  private func rememberNotifications(of container: CKContainer, _ time: String) async throws {
    let fetch = CKFetchNotificationChangesOperation()
    let token: CKServerChangeToken? = await withCheckedContinuation { done in
      fetch.fetchNotificationChangesCompletionBlock = { token, _ in done.resume(returning: token) }
      container.add(fetch)
    }
    if let token { try keep(token, as: "notifications-token-\(time)") }
  }

  private func rememberRecords(of database: CKDatabase, _ time: String) async throws {
    let all = try await database.record(for: GoldenValues.id("all-1"))
    try archive.write(all, as: "record-fetched-\(time)")
    try archive.writeSystemFields(of: all, as: "record-fetched-system-fields-\(time)")
    all["text"] = "changed here"
    all["fraction"] = nil
    all["added"] = 1
    all.parent = nil
    try archive.write(all, as: "record-edited-\(time)")
    let secret = try await database.record(for: GoldenValues.id("secret-1"))
    secret.encryptedValues["secretText"] = "anders"
    try archive.write(secret, as: "record-encrypted-\(time)")
    let otherUser = scene.container(of: "alice", on: "keyless", hasKeys: false)
    let sealed = try await otherUser.privateCloudDatabase.record(for: GoldenValues.id("secret-1"))
    try archive.write(sealed, as: "record-sealed-\(time)")
    let zone = try await database.recordZone(for: CKRecordZone.ID(zoneName: "Places"))
    try archive.write(zone, as: "zone-fetched-\(time)")
    let subscription = try await database.subscription(for: "big-notes")
    try archive.write(subscription, as: "subscription-fetched-\(time)")
  }

  private func rememberEngine(of database: CKDatabase, _ time: String) async throws {
    let app = QuietApp()
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: nil, delegate: app)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    try await engine.fetchChanges()
    let states = try MakerArchive(scene.folder, "engine-states")
    try states.write(engine.state.serialization, as: "fetched-\(time)")
    let zone = CKRecordZone(zoneName: "Pending")
    zone.encryptionScope = .perZone
    engine.state.add(pendingDatabaseChanges: [
      .saveZone(zone), .deleteZone(CKRecordZone.ID(zoneName: "Empty")),
    ])
    engine.state.add(pendingRecordZoneChanges: [
      .saveRecord(GoldenValues.id("pending-1")), .deleteRecord(GoldenValues.id("note-5")),
      .saveRecord(GoldenValues.id("\u{301}odd", in: CKRecordZone.ID(zoneName: "Pending"))),
    ])
    engine.state.hasPendingUntrackedChanges = true
    try states.write(engine.state.serialization, as: "pending-\(time)")
    await engine.cancelOperations()
  }
}

extension CKSyncEngine.State {
  /// The value that the event for a state update contains.
  fileprivate var serialization: Serialization { Serialization(snapshot) }
}

/// An app that stores nothing and sends nothing.
private final class QuietApp: CKSyncEngineDelegate {
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}
