import CloudKit
import Foundation
import Synchronization

/// A device with a notes app: a store, the state of its sync engine, and a rule for conflicts.
final class NotesDevice: CKSyncEngineDelegate {
  /// The data that remains when the process dies.
  struct Disk: Sendable {
    var titles: [CKRecord.ID: String] = [:]
    var systemFields: [CKRecord.ID: CKRecord] = [:]
    var zones: Set<CKRecordZone.ID> = []
    var state: CKSyncEngine.State.Serialization?
    var conflicts = 0
  }

  let disk: Mutex<Disk>

  init(_ disk: Disk = Disk()) { self.disk = Mutex(disk) }

  /// Returns an engine that syncs only when the test requests it.
  func engine(_ database: CKDatabase) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: disk.withLock { $0.state }, delegate: self)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }

  var titles: [String: String] {
    disk.withLock { disk in
      Dictionary(uniqueKeysWithValues: disk.titles.map { ($0.key.recordName, $0.value) })
    }
  }

  func makeZone(_ engine: CKSyncEngine) {
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneZ))])
  }

  func write(_ title: String?, to recordID: CKRecord.ID, _ engine: CKSyncEngine) {
    disk.withLock { $0.titles[recordID] = title }
    engine.state.add(
      pendingRecordZoneChanges: [title == nil ? .deleteRecord(recordID) : .saveRecord(recordID)])
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .stateUpdate(let update): disk.withLock { $0.state = update.stateSerialization }
    case .fetchedDatabaseChanges(let changes):
      disk.withLock { disk in
        disk.zones.formUnion(changes.modifications.map(\.zoneID))
        for deletion in changes.deletions {
          disk.zones.remove(deletion.zoneID)
          disk.titles = disk.titles.filter { !$0.key.zoneID.isEqual(deletion.zoneID) }
        }
      }
    case .fetchedRecordZoneChanges(let changes):
      disk.withLock { disk in
        for change in changes.modifications { disk.take(change.record) }
        for deletion in changes.deletions {
          disk.titles[deletion.recordID] = nil
          disk.systemFields[deletion.recordID] = nil
        }
      }
    case .sentRecordZoneChanges(let sent): takeIn(sent, syncEngine)
    case .accountChange, .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges,
      .didFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges:
      break
    }
  }

  private func takeIn(
    _ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine
  ) {
    disk.withLock { disk in
      for record in sent.savedRecords { disk.systemFields[record.recordID] = record }
      for failure in sent.failedRecordSaves {
        let recordID = failure.record.recordID
        switch failure.error.code {
        case .serverRecordChanged:
          guard let server = failure.error.serverRecord else { continue }
          disk.conflicts += 1
          disk.systemFields[recordID] = server
          let mine = disk.titles[recordID] ?? ""
          disk.titles[recordID] = max(mine, server["title"] as? String ?? "")
          engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        case .zoneNotFound:
          engine.state.add(
            pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: recordID.zoneID))])
          engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        case .unknownItem:
          disk.systemFields[recordID] = nil
          engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        case _: break
        }
      }
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      self.disk.withLock { disk in
        guard let title = disk.titles[recordID] else { return nil }
        let record =
          disk.systemFields[recordID].flatMap { $0.copy() as? CKRecord }
          ?? CKRecord(recordType: "Note", recordID: recordID)
        record["title"] = title
        return record
      }
    }
  }
}

extension NotesDevice.Disk {
  mutating func take(_ record: CKRecord) {
    titles[record.recordID] = record["title"] as? String
    systemFields[record.recordID] = record
  }
}
