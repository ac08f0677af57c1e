import Foundation
import StratusKit
import StratusTransport
import StratusWire

/// The owner's device, which saves encrypted values with a sync engine, and sends the complete URLs
/// of shares.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingSealer: @unchecked Sendable {
  private let household: SharingHousehold
  private let seals: SharingSeals
  private let life: Life
  private let keyRing: KeyRing
  private var engine: CKSyncEngine?
  /// The records as the server returned them last. They are copied and never changed.
  private var records: [String: CKRecord] = [:]
  /// The records of the present save, by name.
  private var edits: [String: CKRecord] = [:]

  init(household: SharingHousehold, seals: SharingSeals, life: Life) {
    self.household = household
    self.seals = seals
    self.life = life
    keyRing = KeyRing(
      connection: household.connection(of: "owner-device", user: SharingTruth.owner, life),
      deviceKeys: DeviceKeys(file: household.keysFile(of: SharingTruth.owner)),
      randomness: { household.randomBytes($0) })
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
    try? await started().fetchChanges()
    if !life.goesOn() { return }
    var chosen: Set<String> = []
    for _ in 0..<household.number(1...5) { household.one(of: names).map { _ = chosen.insert($0) } }
    await seal(chosen) { [household, self] record in
      guard household.percent(20) else { return }
      record.parent = nil
      let others = names.filter { $0 != record.recordID.recordName }
      if let parent = household.one(of: others), household.percent(60) {
        record.setParent(id(parent))
      }
    }
  }

  /// Saves an encrypted value in each of the records, and sends the URLs of all shares. Afterwards,
  /// every shared hierarchy has a key, and the guests can get it.
  func prepare(_ names: [String]) async {
    try? await started().fetchChanges()
    await seal(Set(names))
    await sendURLs()
  }

  private func seal(_ names: Set<String>, _ change: (CKRecord) -> Void = { _ in }) async {
    let engine = started()
    edits = [:]
    for name in names.sorted() {
      let record =
        records[name]?.copy() as? CKRecord ?? CKRecord(recordType: "Note", recordID: id(name))
      record["secret"] = household.newText(of: name)
      record.encryptedValues[SharingSeals.field] = seals.newText(of: name, in: household.truth)
      change(record)
      edits[name] = record
    }
    household.ledger.say("owner-device: seals values of \(names.sorted())")
    for name in names.sorted() {
      engine.state.add(pendingRecordZoneChanges: [.saveRecord(id(name))])
    }
    try? await engine.sendChanges()
    engine.state.remove(pendingRecordZoneChanges: engine.state.pendingRecordZoneChanges)
  }

  /// Sends the present URLs of all shares to the guests. The secrets of the URLs come from the key
  /// ring, because a share that the engine fetched before its hierarchy had a key has a URL without
  /// a secret.
  func sendURLs() async {
    try? await started().fetchChanges()
    for name in records.keys.sorted() where records[name] is CKShare {
      let share = name == ShareRecord.zoneShareName ? nil : name
      let secret = try? await keyRing.shareSecret(
        of: ZoneID(zoneName: SharingTruth.zone), share: share, options: KeyRing.Options())
      guard let secret else { continue }
      seals.secrets.insert(secret.text)
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
