import StratusKit
import StratusTransport
import StratusWire

/// One run of an app with a sync engine, from its start to its crash.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class App: @unchecked Sendable {
  let device: AppDevice
  let life: Life
  var data: AppData
  private(set) var engine: CKSyncEngine?
  private var container: CKContainer?
  /// The number of state updates that the app has received from the engine.
  var updates = 0
  var rules: EventRules
  private let disk: AppDisk

  var household: Household { device.household }
  var ledger: Ledger { device.household.ledger }

  init(device: AppDevice, life: Life, disk: AppDisk) {
    self.device = device
    self.life = life
    self.disk = disk
    data = disk.data
    rules = EventRules(device: device.name, ledger: device.household.ledger)
  }

  func start() {
    let engine = makeEngine()
    self.engine = engine
    let unsure = doubts(about: engine.state)
    // All stored changes were added before the first state update of this run.
    for change in data.pending.keys { data.pending[change] = 0 }
    for change in unsure { add(change) }
    Task { await live() }
    Task { await wake() }
    if household.isCalm { calm() }
  }

  /// Returns the pending changes of the stored data that are missing in the stored state. The app
  /// stores its data together with each new state, but the engine made that state a little earlier.
  /// So the state may lack the changes that the app has added since the previous state update. It
  /// must contain all earlier ones.
  private func doubts(about state: CKSyncEngine.State) -> [AppData.Change] {
    let known = Set(
      state.pendingRecordZoneChanges.compactMap(AppData.Change.init)
        + state.pendingDatabaseChanges.compactMap(AppData.Change.init))
    return data.pending.sorted { $0.key < $1.key }.compactMap { change, update in
      if known.contains(change) { return nil }
      if update <= disk.update - 2 {
        ledger.violated("\(device.name): the stored state has lost \(change)")
      }
      return change
    }
  }

  func crash() {
    engine?.abandon()
    engine = nil
    container = nil
  }

  /// Signs a user in or out in the app.
  func signIn(_ account: String?) {
    if let account {
      container?.signIn(webAuthToken: account)
    } else {
      container?.signOut()
    }
  }

  /// Fetches once after the mishaps if the device does not know the result of one of its own
  /// changes, because the server does not notify a device of the device's own changes. All other
  /// changes must arrive without this fetch. In a simulation with restores, the app always fetches,
  /// and then saves all its data again.
  func calm() {
    guard household.plan.rewinds || household.traffic.isUnsure(device.name) else { return }
    Task {
      while life.goesOn() {
        do {
          try await engine?.fetchChanges()
          break
        } catch {
          try? await Loop.shared.sleep(1)
        }
      }
      if household.plan.rewinds { askAboutAll() }
    }
  }

  /// Saves all data again. After a restore, the server's history may lack deletions that other
  /// devices made before the restore. A device finds such a deletion only because its save of the
  /// deleted record fails.
  private func askAboutAll() {
    if !life.goesOn() { return }
    say("saves all its data again")
    for key in data.records.keys.sorted() { add(.save(key)) }
  }

  var unsettled: String? {
    if life.isOver { return "its app is not running" }
    if let change = data.pending.keys.min() { return "\(change) is not confirmed" }
    guard let engine else { return "there is no engine" }
    if let change = engine.state.pendingRecordZoneChanges.first { return "\(change) is pending" }
    if let change = engine.state.pendingDatabaseChanges.first { return "\(change) is pending" }
    return rules.open
  }

  func say(_ line: @autoclosure () -> String) { device.say(line()) }

  private func makeEngine() -> CKSyncEngine {
    let network = Network(
      cloud: household.cloud, mishaps: household.mishaps, traffic: household.traffic, life: life,
      device: device.name)
    let container = CKContainer(
      identifier: Cloud.container,
      settings: .init(environment: .development, webAuthToken: device.signedIn),
      exchange: network, timing: Loop.shared.timing, events: network)
    self.container = container
    let configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase, stateSerialization: disk.state, delegate: self)
    var surroundings = SyncSurroundings(of: configuration.database)
    surroundings.timing = Loop.shared.timing
    surroundings.spawn = { body in Task { await body() } }
    return CKSyncEngine(configuration, surroundings: surroundings)
  }

  /// Simulates the users of the app.
  private func live() async {
    while life.goesOn() {
      let pause = household.isCalm ? 5 : household.seconds(0.1...3)
      try? await Loop.shared.sleep(pause)
      if !life.goesOn() { return }
      if household.isCalm { continue }
      for _ in 0..<household.number(0...2) where household.isEditing {
        // NB: without this pause, users would never edit while the app handles an event.
        await Loop.shared.pause()
        edit(household.nextEdit(on: data.contents, fetched: data.fetchedZones))
      }
      if household.mishaps.happens(\.deviceCrash) {
        life.awaitsLeft = household.mishaps.awaitsBeforeCrash()
      }
      if household.mishaps.happens(\.accountChange) { device.changeAccount() }
      if household.mishaps.happens(\.cancelledCall) { glance() }
    }
  }

  /// Opens the app at intervals. The app then fetches and sends immediately.
  private func wake() async {
    while life.goesOn(), household.isEditing {
      try? await Loop.shared.sleep(household.seconds(4...20))
      if !life.goesOn() || !household.isEditing { return }
      do {
        if household.percent(50) { try await engine?.fetchChanges() }
        if household.percent(50) { try await engine?.sendChanges() }
      } catch {
        ledger.saw("manual sync that failed")
      }
    }
  }

  /// Opens the app, and leaves it before the sync is finished.
  private func glance() {
    let isFetch = household.percent(50)
    let call = Task { [engine] in
      do {
        if isFetch { try await engine?.fetchChanges() } else { try await engine?.sendChanges() }
      } catch {
        ledger.saw("manual sync that failed")
      }
    }
    Loop.shared.after(household.seconds(0...0.5)) { call.cancel() }
  }

  private func edit(_ edit: Edit) {
    if data.account == .nobody { return }
    switch edit {
    case .nothing: return
    case .mark(let key):
      if !data.zones.contains(key.zone) { makeZone(key.zone) }
      let mark = ledger.newMark(of: data.account.name)
      data.records[key, default: AppRecord()].marks.insert(mark)
      data.pending[.delete(key)] = nil
      add(.save(key))
      say("writes \(mark) into \(key)")
    case .delete(let key):
      data.records[key] = nil
      data.pending[.save(key)] = nil
      add(.delete(key))
      say("deletes \(key)")
    case .makeZone(let zone):
      // NB: if the deletion and the creation of a zone are both pending, only the creation is sent.
      // The zone would then keep records that the app has removed.
      if data.zones.contains(zone) || data.pending[.deleteZone(zone)] != nil { return }
      makeZone(zone)
    case .deleteZone(let zone):
      forget(zone: zone)
      add(.deleteZone(zone))
      say("deletes \(zone)")
    }
  }

  func makeZone(_ zone: String) {
    data.zones.insert(zone)
    data.pending[.deleteZone(zone)] = nil
    add(.makeZone(zone))
    say("makes \(zone)")
  }

  /// Removes a zone from the data, and the zone's pending changes from the engine.
  func forget(zone: String) {
    data.forget(zone: zone)
    guard let state = engine?.state else { return }
    state.remove(
      pendingRecordZoneChanges: state.pendingRecordZoneChanges.filter {
        AppData.Change($0)?.zone == zone
      })
    state.remove(
      pendingDatabaseChanges: state.pendingDatabaseChanges.filter {
        AppData.Change($0)?.zone == zone
      })
  }

  /// Adds a change to the engine, which sends it until the server confirms it.
  func add(_ change: AppData.Change) {
    data.pending[change] = updates
    guard let state = engine?.state else { return }
    switch change {
    case .save(let key): state.add(pendingRecordZoneChanges: [.saveRecord(key.id)])
    case .delete(let key): state.add(pendingRecordZoneChanges: [.deleteRecord(key.id)])
    case .makeZone(let zone):
      state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: zone))])
    case .deleteZone(let zone):
      state.add(pendingDatabaseChanges: [.deleteZone(CKRecordZone.ID(zoneName: zone))])
    }
  }
}

extension AppData.Change {
  init?(_ change: CKSyncEngine.PendingRecordZoneChange) {
    switch change {
    case .saveRecord(let id): self = .save(RecordKey(id))
    case .deleteRecord(let id): self = .delete(RecordKey(id))
    @unknown default: return nil
    }
  }

  init?(_ change: CKSyncEngine.PendingDatabaseChange) {
    switch change {
    case .saveZone(let zone): self = .makeZone(zone.zoneID.zoneName)
    case .deleteZone(let id): self = .deleteZone(id.zoneName)
    @unknown default: return nil
    }
  }
}

extension RecordKey {
  var id: CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: zone))
  }

  init(_ id: CKRecord.ID) {
    self.init(zone: id.zoneID.zoneName, name: id.recordName)
  }
}

extension CKRecord {
  var marks: Set<Int64> { Set(self[Marks.field] as? [Int64] ?? []) }
}
