import StratusTransport
import StratusWire

/// A device whose app speaks the web service by itself, with change tokens and change tags and no
/// sync engine: what the server promises is enough to stay in step.
///
/// It keeps everything on its disk at once, so what a crash takes are answers under way.
///
/// NB: unchecked; the loop has one thread.
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

  /// Starts the app, over what its disk holds.
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
    // What others deleted while tokens were stale it does not hear of.
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
    case .mark(let place):
      if data.zones[place.zone] == nil { makeZone(place.zone) }
      let mark = household.ledger.newMark(of: Cloud.user)
      data.records[place, default: HandRecord()].marks.insert(mark)
      data.saves.insert(place)
      data.deletions.remove(place)
      household.ledger.promise([mark], at: place, of: Cloud.user)
      say("writes \(mark) into \(place)")
    case .delete(let place):
      data.records[place] = nil
      data.saves.remove(place)
      data.deletions.insert(place)
      say("deletes \(place)")
    case .makeZone(let zone):
      // NB: made while its deletion waits it would have what this device has let go of.
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

/// What such a device has on its disk.
struct HandData: Sendable {
  var zones: [String: HandZone] = [:]
  var records: [Place: HandRecord] = [:]
  var databaseToken: String?
  /// What is still to be sent.
  var saves: Set<Place> = []
  var deletions: Set<Place> = []
  var zoneSaves: Set<String> = []
  var zoneDeletions: Set<String> = []

  var fetchedZones: Set<String> { Set(zones.filter { $0.value.token != nil }.keys) }

  mutating func forget(zone: String) {
    zones[zone] = nil
    for place in records.keys where place.zone == zone { records[place] = nil }
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
  /// nil: the server never had it, as far as this device knows.
  var tag: String?
}
