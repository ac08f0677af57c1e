import Foundation
import StratusKit
import StratusTransport

/// The owner's device, which saves encrypted values with a sync engine, and sends the complete URLs
/// of shares.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingSealer: @unchecked Sendable {
  private let household: SharingHousehold
  private let seals: SharingSeals
  private let life: Life
  private var engine: CKSyncEngine?
  /// The records as the server returned them last. They are copied and never changed.
  private var records: [String: CKRecord] = [:]
  /// The records of the present save, by name.
  private var edits: [String: CKRecord] = [:]

  init(household: SharingHousehold, seals: SharingSeals, life: Life) {
    self.household = household
    self.seals = seals
    self.life = life
  }

  func stop() {
    engine?.abandon()
    engine = nil
  }

  private func id(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: SharingTruth.zone))
  }

  /// The engine, which syncs only on request.
  private func started() -> CKSyncEngine {
    if let engine { return engine }
    let container = CKContainer(
      identifier: Cloud.container,
      settings: .init(
        environment: .development, webAuthToken: SharingTruth.owner,
        keysFile: household.keysFile(of: SharingTruth.owner)),
      exchange: household.network(of: "owner-device", life, guest: nil),
      timing: Loop.shared.timing)
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase, stateSerialization: nil, delegate: self)
    configuration.automaticallySync = false
    var surroundings = SyncSurroundings(of: configuration.database)
    surroundings.timing = Loop.shared.timing
    surroundings.spawn = { body in Task { await body() } }
    let engine = CKSyncEngine(configuration, surroundings: surroundings)
    self.engine = engine
    return engine
  }

  /// Saves new encrypted values in some records, and moves some of them.
  ///
  /// - Parameter names: the names of all records of the owner.
  func save(among names: [String]) async {
    let engine = started()
    try? await engine.fetchChanges()
    if !life.goesOn() { return }
    edits = [:]
    for _ in 0..<household.number(1...5) {
      guard let name = household.one(of: names), edits[name] == nil else { continue }
      let record =
        records[name]?.copy() as? CKRecord ?? CKRecord(recordType: "Note", recordID: id(name))
      record["secret"] = household.newText(of: name)
      record.encryptedValues[SharingSeals.field] = seals.newText(of: name, in: household.truth)
      if household.percent(20) {
        record.parent = nil
        if let parent = household.one(of: names.filter { $0 != name }), household.percent(60) {
          record.setParent(id(parent))
        }
      }
      edits[name] = record
    }
    household.ledger.say("owner-device: seals values of \(edits.keys.sorted())")
    for name in edits.keys.sorted() {
      engine.state.add(pendingRecordZoneChanges: [.saveRecord(id(name))])
    }
    try? await engine.sendChanges()
    engine.state.remove(pendingRecordZoneChanges: engine.state.pendingRecordZoneChanges)
  }

  /// Sends the present URLs of all shares to the guests.
  func sendURLs() async {
    try? await started().fetchChanges()
    for record in records.values {
      guard let share = record as? CKShare, let fragment = share.url?.fragment,
        let start = fragment.range(of: "~key=")
      else { continue }
      seals.secrets.insert(String(fragment[start.upperBound...]))
      household.ledger.saw("URL with a secret")
    }
  }
}

extension SharingSealer: CKSyncEngineDelegate {
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .fetchedRecordZoneChanges(let changes):
      for modification in changes.modifications {
        records[modification.record.recordID.recordName] = modification.record
      }
      for deletion in changes.deletions { records[deletion.recordID.recordName] = nil }
    case .sentRecordZoneChanges(let changes):
      for record in changes.savedRecords {
        records[record.recordID.recordName] = record
        household.ledger.saw("sealed save")
      }
    default: return
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    if !life.goesOn() { return nil }
    let pending = syncEngine.state.pendingRecordZoneChanges.filter(
      context.options.scope.contains)
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { id in
      self.edits[id.recordName]
    }
  }
}
