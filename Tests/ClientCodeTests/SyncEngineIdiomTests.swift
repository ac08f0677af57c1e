import CloudKit
import Foundation
import Testing

/// An actor that owns a sync engine, in the form that apps use.
private actor Journal: CKSyncEngineDelegate {
  private let container: CKContainer
  private var entries: [String: String] = [:]
  private var lastKnownRecords: [String: Data] = [:]
  private var stateData: Data?
  private(set) var log: [String] = []
  private var engine: CKSyncEngine?

  static let zoneName = "Journal"

  init(container: CKContainer) { self.container = container }

  var syncEngine: CKSyncEngine {
    if let engine { return engine }
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase,
      stateSerialization: stateData.flatMap {
        try? JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0)
      },
      delegate: self)
    configuration.automaticallySync = false
    let made = CKSyncEngine(configuration)
    engine = made
    return made
  }

  func save(_ text: String, id: String) {
    entries[id] = text
    let zoneID = CKRecordZone.ID(zoneName: Self.zoneName)
    syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
    syncEngine.state.add(pendingRecordZoneChanges: [
      .saveRecord(CKRecord.ID(recordName: id, zoneID: zoneID))
    ])
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    log.append("\(event)")
    switch event {
    case .stateUpdate(let event):
      stateData = try? JSONEncoder().encode(event.stateSerialization)
    case .accountChange(let event):
      switch event.changeType {
      case .signIn:
        for id in entries.keys.sorted() { save(entries[id] ?? "", id: id) }
      case .switchAccounts, .signOut:
        entries = [:]
        lastKnownRecords = [:]
      @unknown default: break
      }
    case .fetchedDatabaseChanges(let event):
      for deletion in event.deletions where deletion.zoneID.zoneName == Self.zoneName {
        switch deletion.reason {
        case .deleted, .purged: entries = [:]
        case .encryptedDataReset: stateData = nil
        @unknown default: break
        }
      }
    case .fetchedRecordZoneChanges(let event):
      for modification in event.modifications {
        entries[modification.record.recordID.recordName] = modification.record["text"] as? String
      }
      for deletion in event.deletions where deletion.recordType == "Entry" {
        entries[deletion.recordID.recordName] = nil
      }
    case .sentRecordZoneChanges(let event): handle(event)
    case .sentDatabaseChanges(let event):
      for failed in event.failedZoneSaves where failed.error.code == .quotaExceeded {
        syncEngine.state.remove(pendingDatabaseChanges: [.saveZone(failed.zone)])
      }
    case .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges,
      .didFetchChanges, .willSendChanges, .didSendChanges:
      break
    @unknown default: break
    }
  }

  private func handle(_ event: CKSyncEngine.Event.SentRecordZoneChanges) {
    var again: [CKSyncEngine.PendingRecordZoneChange] = []
    for failed in event.failedRecordSaves {
      let id = failed.record.recordID
      switch failed.error.code {
      case .serverRecordChanged:
        guard let server = failed.error.serverRecord else { continue }
        entries[id.recordName] = server["text"] as? String
        again.append(.saveRecord(id))
      case .zoneNotFound:
        syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
        again.append(.saveRecord(id))
      case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable,
        .notAuthenticated, .operationCancelled:
        break
      default: break
      }
    }
    syncEngine.state.add(pendingRecordZoneChanges: again)
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    let entries = entries
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      guard let text = entries[recordID.recordName] else {
        syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
        return nil
      }
      let record = CKRecord(recordType: "Entry", recordID: recordID)
      record["text"] = text
      return record
    }
  }
}

@Suite struct SyncEngineIdioms {
  private let container = CKContainer(
    identifier: "iCloud.org.example.Journal",
    settings: CKContainer.Settings(url: URL(string: "http://127.0.0.1:9")))

  @Test func `an app's store can own a sync engine and add pending changes`() async throws {
    let journal = Journal(container: container)
    await journal.save("Hello", id: "1")
    await journal.save("Again", id: "1")
    await journal.save("World", id: "2")
    let state = await journal.syncEngine.state
    #expect(state.pendingRecordZoneChanges.count == 2)
    #expect(state.pendingDatabaseChanges.count == 1)
    #expect(!state.hasPendingUntrackedChanges)
    #expect(state.zoneIDsWithUnfetchedServerChanges.isEmpty)
  }

  @Test func `a manual sync without an account throws an error`() async throws {
    let journal = Journal(container: container)
    let engine = await journal.syncEngine
    do {
      try await engine.sendChanges()
      Issue.record("sent without an account")
    } catch CKError.notAuthenticated {
      #expect(engine.database.databaseScope == .private)
    }
    await engine.cancelOperations()
  }

  @Test func `sync options have default values, and sync scopes contain their zones`() {
    let zone = CKRecordZone.ID(zoneName: "A")
    let other = CKRecordZone.ID(zoneName: "B")
    var fetch = CKSyncEngine.FetchChangesOptions()
    #expect(fetch.scope == .all)
    #expect(fetch.prioritizedZoneIDs == [])
    fetch = CKSyncEngine.FetchChangesOptions(
      scope: .allExcluding([zone]), operationGroup: CKOperationGroup())
    #expect(!fetch.scope.contains(zone))
    #expect(fetch.scope.contains(other))
    let send = CKSyncEngine.SendChangesOptions(
      scope: .recordIDs([CKRecord.ID(recordName: "r", zoneID: zone)]))
    #expect(send.scope.contains(CKRecord.ID(recordName: "r", zoneID: zone)))
    #expect(!send.scope.contains(.deleteRecord(CKRecord.ID(recordName: "s", zoneID: zone))))
    #expect(
      CKSyncEngine.SendChangesOptions.Scope.zoneIDs([other])
        .contains(CKRecord.ID(recordName: "r", zoneID: zone)) == false)
    let first = CKSyncEngine.FetchChangesOptions().operationGroup.operationGroupID
    #expect(first != CKSyncEngine.FetchChangesOptions().operationGroup.operationGroupID)
  }

  @Test func `pending changes are equal if their records or zones are equal`() {
    let zone = CKRecordZone(zoneName: "A")
    #expect(
      CKSyncEngine.PendingDatabaseChange.saveZone(zone)
        == .saveZone(CKRecordZone(zoneName: "A")))
    #expect(CKSyncEngine.PendingDatabaseChange.saveZone(zone) != .deleteZone(zone.zoneID))
    let changes: Set<CKSyncEngine.PendingRecordZoneChange> = [
      .saveRecord(CKRecord.ID(recordName: "r")), .saveRecord(CKRecord.ID(recordName: "r")),
    ]
    #expect(changes.count == 1)
    #expect(CKSyncEngine.SyncReason.manual != .scheduled)
  }
}
