import CloudKit
import Synchronization

/// An app that sends each pending record with a file and an encrypted value. It keeps the first
/// record of the last fetched changes.
final class Attachments: CKSyncEngineDelegate {
  let fetched = Mutex<CKRecord?>(nil)
  private let file: URL

  init(_ file: URL) { self.file = file }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    guard case .fetchedRecordZoneChanges(let changes) = event else { return }
    fetched.withLock { $0 = changes.modifications.first?.record }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { recordID in
      let record = CKRecord(recordType: "Attachment", recordID: recordID)
      record["file"] = CKAsset(fileURL: self.file)
      record.encryptedValues["secret"] = "s"
      return record
    }
  }
}
