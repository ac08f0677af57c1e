import StratusTransport
import StratusWire

/// A device whose app calls the web service directly, with change tokens and change tags, without a
/// sync engine. It shows that the server's guarantees are sufficient to stay in sync.
///
/// The device writes every change to its disk immediately, so a crash loses only answers in
/// transit.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class HandDevice: Device, @unchecked Sendable {
  let name: String
  let household: Household
  private(set) var life = Life()
  var data = HandData()
  private(set) var connection: Connection

  init(name: String, household: Household) {
    self.name = name
    self.household = household
    connection = Self.connection(of: name, household, life)
  }

  /// Starts the app with the data on its disk.
  func start() {
    let life = Life()
    self.life = life
    connection = Self.connection(of: name, household, life)
    say("starts")
    life.atEnd { [weak self] in self?.restartSoon(after: life) }
    Task { await live(life) }
  }

  func calm() {
    life.awaitsLeft = nil
    // An app whose change tokens have expired may have missed deletions by other devices. It saves
    // all records again, and finds out about a deletion when the save fails.
    if household.plan.expires { data.saves.formUnion(data.records.keys) }
  }

  func stop() {
    isStopped = true
    life.end()
  }

  var account: String? { Cloud.user }

  var contents: Contents {
    Contents(zones: Set(data.zones.keys), records: data.records.mapValues(\.marks))
  }

  var unsettled: String? {
    if !data.saves.isEmpty { return "saves \(data.saves.sorted()) are pending" }
    if !data.deletions.isEmpty { return "deletions \(data.deletions.sorted()) are pending" }
    if !data.zoneSaves.isEmpty { return "zones \(data.zoneSaves.sorted()) are to be made" }
    if !data.zoneDeletions.isEmpty { return "zones \(data.zoneDeletions) are to be deleted" }
    return nil
  }

  func say(_ line: @autoclosure () -> String) { household.ledger.say("\(name): \(line())") }

  private var isStopped = false

  private func restartSoon(after dead: Life) {
    if isStopped { return }
    say("crashed")
    household.ledger.saw("device crash")
    Loop.shared.after(household.seconds(0...5)) { [weak self] in
      guard let self, !isStopped, life === dead else { return }
      start()
    }
  }

  private func live(_ life: Life) async {
    while life.goesOn() {
      let pause = household.isEditing ? household.seconds(0.1...3) : 0.5
      try? await Loop.shared.sleep(pause)
      if !life.goesOn() { return }
      if household.isEditing {
        for _ in 0..<household.number(0...2) {
          edit(household.nextEdit(on: contents, fetched: data.fetchedZones))
        }
      }
      if household.mishaps.happens(\.deviceCrash) {
        life.awaitsLeft = household.mishaps.awaitsBeforeCrash() % 6
      }
      await HandSync(device: self, life: life).run()
    }
  }

  private func edit(_ edit: Edit) {
    switch edit {
    case .nothing: return
    case .mark(let key):
      if data.zones[key.zone] == nil { makeZone(key.zone) }
      let mark = household.ledger.newMark(of: Cloud.user)
      data.records[key, default: HandRecord()].marks.insert(mark)
      data.saves.insert(key)
      data.deletions.remove(key)
      household.ledger.promise([mark], at: key, of: Cloud.user)
      say("writes \(mark) into \(key)")
    case .delete(let key):
      data.records[key] = nil
      data.saves.remove(key)
      data.deletions.insert(key)
      say("deletes \(key)")
    case .makeZone(let zone):
      // NB: a zone that is created while its deletion is pending would keep records that this
      // device has removed.
      if data.zones[zone] == nil, !data.zoneDeletions.contains(zone) { makeZone(zone) }
    case .deleteZone(let zone):
      data.forget(zone: zone)
      data.zoneSaves.remove(zone)
      data.zoneDeletions.insert(zone)
      say("deletes \(zone)")
    }
  }

  private func makeZone(_ zone: String) {
    data.zones[zone] = HandZone()
    data.zoneSaves.insert(zone)
    data.zoneDeletions.remove(zone)
    say("makes \(zone)")
  }

  private static func connection(
    of name: String, _ household: Household, _ life: Life
  ) -> Connection {
    Connection(
      to: Connection.Address(
        url: "http://stratus.simulation", container: Cloud.container, environment: .development,
        deviceID: name),
      apiToken: nil, webAuthToken: Cloud.user,
      exchange: Network(
        cloud: household.cloud, mishaps: household.mishaps, traffic: household.traffic, life: life,
        device: name),
      timing: Loop.shared.timing)
  }
}

/// The data that a device without a sync engine has on its disk.
struct HandData: Sendable {
  var zones: [String: HandZone] = [:]
  var records: [RecordKey: HandRecord] = [:]
  var databaseToken: String?
  /// The records that the device must still save.
  var saves: Set<RecordKey> = []
  var deletions: Set<RecordKey> = []
  var zoneSaves: Set<String> = []
  var zoneDeletions: Set<String> = []

  var fetchedZones: Set<String> { Set(zones.filter { $0.value.token != nil }.keys) }

  mutating func forget(zone: String) {
    zones[zone] = nil
    for key in records.keys where key.zone == zone { records[key] = nil }
    saves = saves.filter { $0.zone != zone }
    deletions = deletions.filter { $0.zone != zone }
  }
}

struct HandZone: Sendable {
  var token: String?
  var hasNews = false
}

struct HandRecord: Sendable {
  var marks: Set<Int64> = []
  /// The record's change tag, or nil if the device has not received one from the server.
  var tag: String?
}
