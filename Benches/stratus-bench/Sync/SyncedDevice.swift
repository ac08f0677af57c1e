import CloudKit
import Foundation
import Synchronization

/// A device with a task app. The app creates each record when the engine requests it, and counts
/// the records that it fetches.
final class SyncedDevice: CKSyncEngineDelegate {
  struct Counts: Equatable {
    var sent = 0
    var fetched = 0
    var failed = 0
  }

  private static let zoneID = CKRecordZone.ID(zoneName: "Tasks")

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  /// Adds new tasks to the engine's pending changes.
  func write(_ count: Int, _ engine: CKSyncEngine) {
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
    engine.state.add(
      pendingRecordZoneChanges: (0..<count).map {
        .saveRecord(
          CKRecord.ID(recordName: RecordName.text(UInt64($0)), zoneID: Self.zoneID))
      })
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .fetchedRecordZoneChanges(let changes):
      state.withLock { $0.fetched += changes.modifications.count }
    case .sentRecordZoneChanges(let changes):
      state.withLock { counts in
        counts.sent += changes.savedRecords.count
        counts.failed += changes.failedRecordSaves.count
      }
    case .stateUpdate, .accountChange, .fetchedDatabaseChanges, .sentDatabaseChanges,
      .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges,
      .didFetchChanges, .willSendChanges, .didSendChanges:
      break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      Self.task(recordID)
    }
  }

  /// Returns a record with the fields of ``SampleRecord``, as an app sets them.
  private static func task(_ recordID: CKRecord.ID) -> CKRecord {
    let record = CKRecord(recordType: SampleRecord.recordType, recordID: recordID)
    record["title"] = "Water the plants on the balcony"
    record["note"] = "Twice in July, and not at noon."
    record["list"] = SampleRecord.list
    record["position"] = 1_024.5
    record["priority"] = 2
    record["isDone"] = 0
    record["dueAt"] = Date(timeIntervalSince1970: 1_767_225_600)
    record["createdAt"] = Date(timeIntervalSince1970: 1_764_547_200)
    record["tags"] = ["home", "garden"]
    record["colour"] = "green"
    return record
  }
}
