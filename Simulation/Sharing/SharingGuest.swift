import Foundation
import StratusKit
import StratusTransport
import StratusWire

/// A guest's device. Its app has a sync engine for the shared database. If the app crashes, the
/// device keeps the data that the app has stored.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingGuest: @unchecked Sendable {
  let user: String
  let name: String
  let household: SharingHousehold
  private(set) var app: GuestApp?
  private var disk: (records: [String: CKRecord], state: CKSyncEngine.State.Serialization?) =
    ([:], nil)
  private var isStopped = false

  init(user: String, name: String, household: SharingHousehold) {
    self.user = user
    self.name = name
    self.household = household
  }

  func start() {
    let life = Life()
    let app = GuestApp(guest: self, life: life, records: disk.records)
    self.app = app
    say("starts")
    life.atEnd { [weak self, weak app] in
      app?.crash()
      self?.restartSoon(after: life)
    }
    app.start(from: disk.state)
  }

  /// Ends all mishaps for this device.
  ///
  /// - Parameter isNew: whether the app is installed again. After a restore, the app needs this:
  ///   the server may lack records that it never deleted.
  func calm(isNew: Bool) {
    app?.life.awaitsLeft = nil
    guard isNew else {
      // NB: an app that is not running fetches as soon as it starts again.
      app?.fetchUntilDone()
      return
    }
    let old = app
    app = nil
    old?.life.end()
    disk = ([:], nil)
    start()
  }

  func stop() {
    isStopped = true
    app?.life.end()
    app = nil
  }

  /// The texts of the records that the app shows, by name.
  var contents: [String: String] { app?.contents ?? [:] }

  var unsettled: String? { app.map { $0.unsettled } ?? "its app is not running" }

  func say(_ line: @autoclosure () -> String) { household.ledger.say("\(name): \(line())") }

  func store(_ records: [String: CKRecord], _ state: CKSyncEngine.State.Serialization) {
    disk = (records, state)
  }

  private func restartSoon(after dead: Life) {
    if isStopped || app?.life !== dead { return }
    say("crashed")
    household.ledger.saw("device crash")
    Loop.shared.after(household.pauseSeconds(0...5)) { [weak self] in
      guard let self, !isStopped, app?.life === dead else { return }
      start()
    }
  }
}

/// One run of a guest's app, from its start to its crash.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class GuestApp: @unchecked Sendable {
  let guest: SharingGuest
  let life: Life
  /// The records as the server returned them last. They are copied and never changed.
  private var records: [String: CKRecord]
  /// The texts that the user has written and the server has not confirmed, by record name.
  private var edits: [String: (text: String, parent: String?)] = [:]
  /// The records that fetches have changed since their last save was prepared.
  private var fetched: Set<String> = []
  private var engine: CKSyncEngine?

  private static let zoneID = CKRecordZone.ID(
    zoneName: SharingTruth.zone, ownerName: SharingTruth.owner)

  private var household: SharingHousehold { guest.household }

  init(guest: SharingGuest, life: Life, records: [String: CKRecord]) {
    self.guest = guest
    self.life = life
    self.records = records
  }

  var contents: [String: String] {
    records.mapValues { $0["secret"] as? String ?? "" }
  }

  var unsettled: String? {
    guard let engine, !life.isOver else { return "its app is not running" }
    return engine.state.pendingRecordZoneChanges.isEmpty ? nil : "changes are pending"
  }

  func start(from state: CKSyncEngine.State.Serialization?) {
    let network = household.network(of: guest.name, life, guest: guest.user)
    let container = CKContainer(
      identifier: Cloud.container,
      settings: .init(
        environment: .development, webAuthToken: guest.user,
        keysFile: household.keysFile(of: guest.user)),
      exchange: network,
      timing: Loop.shared.timing, events: network)
    let configuration = CKSyncEngine.Configuration(
      database: container.sharedCloudDatabase, stateSerialization: state, delegate: self)
    var surroundings = SyncSurroundings(of: configuration.database)
    surroundings.timing = Loop.shared.timing
    surroundings.spawn = { body in Task { await body() } }
    let engine = CKSyncEngine(configuration, surroundings: surroundings)
    // The app stores its data without edits, so the engine's pending changes have nothing to send.
    engine.state.remove(pendingRecordZoneChanges: engine.state.pendingRecordZoneChanges)
    self.engine = engine
    Task { await live() }
    if household.isCalm { fetchUntilDone() }
  }

  func crash() {
    engine?.abandon()
    engine = nil
  }

  /// Sends and fetches changes every three seconds, until the app ends.
  func fetchUntilDone() {
    Task {
      while life.goesOn() {
        do {
          try await engine?.sendChanges()
          try await engine?.fetchChanges()
        } catch {
          household.ledger.saw("manual sync that failed")
        }
        try? await Loop.shared.sleep(3)
      }
    }
  }

  private func live() async {
    let connection = household.connection(of: guest.name, user: guest.user, life)
    for shortGUID in household.shortGUIDs.sorted() where life.goesOn() {
      await accept(shortGUID, over: connection)
    }
    while life.goesOn(), household.isEditing {
      try? await Loop.shared.sleep(household.pauseSeconds(0.05...0.7))
      if !life.goesOn() || !household.isEditing { return }
      switch household.number(0...99) {
      case 0..<22:
        if let shortGUID = household.one(of: household.shortGUIDs) {
          await accept(shortGUID, over: connection)
        }
      case 22..<32: await leave(over: connection)
      case 32..<42: try? await engine?.fetchChanges()
      case 42..<50: if !household.isOwnerAway { create() }
      default:
        if !household.isOwnerAway { edit() }
        if household.percent(50) { try? await engine?.sendChanges() }
      }
      if household.mishaps.happens(\.deviceCrash) {
        life.awaitsLeft = household.mishaps.awaitsBeforeCrash()
      }
    }
  }

  private func accept(_ shortGUID: String, over connection: Connection) async {
    let request = AcceptShares.Request(shortGUIDs: [ShortGUID(value: shortGUID)])
    let response = try? await connection.send(
      AcceptShares.self, request, to: .public, isIdempotent: true)
    if case .share? = response?.results.first {
      household.ledger.saw("acceptance")
      guest.say("accepts \(shortGUID)")
    }
  }

  private func leave(over connection: Connection) async {
    let shares = records.filter { $0.value.recordType == ShareRecord.recordType }.keys
    guard let share = household.one(of: shares) else { return }
    let request = ModifyRecords.Request(
      zoneID: ZoneID(zoneName: SharingTruth.zone, ownerRecordName: SharingTruth.owner),
      operations: [RecordOperation(.forceDelete, recordName: share)])
    _ = try? await connection.send(ModifyRecords.self, request, to: .shared, isIdempotent: true)
    household.ledger.saw("leaving")
    guest.say("leaves \(share)")
  }

  private var notes: [String] {
    records.filter { $0.value.recordType != ShareRecord.recordType }.keys.sorted()
  }

  private func edit() {
    guard let name = household.one(of: notes) else { return }
    save(name, parent: nil)
  }

  /// Creates a record below a record that the guest sees.
  private func create() {
    guard let parent = household.one(of: notes) else { return }
    save("\(guest.name)x\(household.number(1...3))", parent: parent)
  }

  private func save(_ name: String, parent: String?) {
    let text = household.newText(of: name)
    edits[name] = (text, records[name] == nil ? parent : nil)
    engine?.state.add(pendingRecordZoneChanges: [.saveRecord(id(name))])
    guest.say("writes \(text)")
  }

  private func id(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: Self.zoneID)
  }
}

extension GuestApp: CKSyncEngineDelegate {
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    if !life.goesOn() { return }
    await Loop.shared.pause()
    if !life.goesOn() { return }
    switch event {
    case .stateUpdate(let update): guest.store(records, update.stateSerialization)
    case .fetchedDatabaseChanges(let changes):
      for deletion in changes.deletions where deletion.zoneID.zoneName == SharingTruth.zone {
        guest.say("learns that the zone is gone")
        records = [:]
        fetched.formUnion(edits.keys)
      }
    case .fetchedRecordZoneChanges(let changes): take(changes)
    case .sentRecordZoneChanges(let changes): take(changes)
    case .accountChange, .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges,
      .didFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges:
      return
    @unknown default: household.ledger.violated("an unknown event")
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    if !life.goesOn() { return nil }
    let pending = syncEngine.state.pendingRecordZoneChanges.filter(
      context.options.scope.contains)
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { id in
      self.record(id)
    }
  }

  private func record(_ id: CKRecord.ID) -> CKRecord? {
    guard life.goesOn(), let edit = edits[id.recordName] else {
      engine?.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
      return nil
    }
    fetched.remove(id.recordName)
    let record =
      records[id.recordName]?.copy() as? CKRecord ?? CKRecord(recordType: "Note", recordID: id)
    record["secret"] = edit.text
    if let parent = edit.parent { record.setParent(self.id(parent)) }
    return record
  }

  private func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges) {
    for modification in changes.modifications {
      let record = modification.record
      records[record.recordID.recordName] = record
      fetched.insert(record.recordID.recordName)
      guest.say("receives \(record.recordID.recordName)")
    }
    for deletion in changes.deletions {
      records[deletion.recordID.recordName] = nil
      fetched.insert(deletion.recordID.recordName)
      guest.say("learns that \(deletion.recordID.recordName) is gone")
    }
  }

  /// Takes the results of a send. Drops each edit whose save has failed: the owner may have removed
  /// the guest, changed the permission, or moved the record in the meantime.
  private func take(_ changes: CKSyncEngine.Event.SentRecordZoneChanges) {
    for record in changes.savedRecords {
      let name = record.recordID.recordName
      household.ledger.saw("save of a guest")
      // NB: a fetch may have returned a newer version, or may have removed the record.
      if !fetched.contains(name) { records[name] = record }
      if edits[name]?.text == record["secret"] as? String { edits[name] = nil }
    }
    for failed in changes.failedRecordSaves {
      let name = failed.record.recordID.recordName
      guest.say("the save of \(name) failed: \(failed.error.code)")
      if failed.error.code == .permissionFailure { household.ledger.saw("refusal of a guest") }
      if failed.error.code == .serverRecordChanged, let server = failed.error.serverRecord,
        !fetched.contains(name)
      {
        records[name] = server
      }
      edits[name] = nil
      engine?.state.remove(pendingRecordZoneChanges: [.saveRecord(failed.record.recordID)])
    }
  }
}
