import Foundation
import StratusKit

/// A device whose app uses a sync engine.
///
/// If the app crashes, the device keeps the data that the app had stored.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class AppDevice: Device, @unchecked Sendable {
  let name: String
  let household: Household
  private(set) var app: App?
  /// The data that the app has stored last.
  private(set) var disk = AppDisk()
  private var isStopped = false
  /// The account that is signed in on the device, or nil if there is none. The app may not know it
  /// yet.
  private(set) var signedIn: String? = Cloud.user

  init(name: String, household: Household) {
    self.name = name
    self.household = household
  }

  func start() {
    let life = Life()
    let disk = restored()
    let app = App(device: self, life: life, disk: disk)
    self.app = app
    say("starts")
    life.atEnd { [weak self, weak app] in
      app?.crash()
      self?.restartSoon(after: life)
    }
    app.start()
  }

  func calm() {
    app?.life.awaitsLeft = nil
    if signedIn == nil { signIn(Cloud.user) }
    app?.calm()
  }

  /// Signs out, or signs in to another account. When the mishaps end, a device without an account
  /// signs in to the household's account.
  func changeAccount() {
    if signedIn != Cloud.user, household.percent(70) { return signIn(Cloud.user) }
    let others = [nil, Cloud.user, Cloud.otherUser].filter { $0 != signedIn }
    signIn(others[household.number(0...others.count - 1)])
  }

  private func signIn(_ account: String?) {
    signedIn = account
    say(account.map { "\($0) is signed in" } ?? "no user is signed in")
    household.ledger.saw("account change")
    app?.signIn(account)
  }

  func stop() {
    isStopped = true
    app?.life.end()
    app = nil
  }

  var account: String? { app?.data.account.name }

  var contents: Contents { app?.data.contents ?? Contents() }

  var unsettled: String? { app.map(\.unsettled) ?? "its app is not running" }

  func say(_ line: @autoclosure () -> String) { household.ledger.say("\(name): \(line())") }

  /// Stores the data and the state together, so that either both or neither are stored.
  func store(_ data: AppData, _ state: CKSyncEngine.State.Serialization, update: Int) {
    disk = AppDisk(data: data, state: state, update: update)
    household.ledger.noteStored(data, on: name)
  }

  private func restartSoon(after dead: Life) {
    if isStopped { return }
    say("crashed")
    household.ledger.saw("device crash")
    Loop.shared.after(household.seconds(0...5)) { [weak self] in
      guard let self, !isStopped, app?.life === dead else { return }
      start()
    }
  }

  /// Returns the data on disk as the next run of the app reads it. The engine's state is encoded
  /// and decoded, as if it were in a file.
  private func restored() -> AppDisk {
    var disk = disk
    guard let state = disk.state else { return disk }
    do {
      let text = try JSONEncoder().encode(state)
      disk.state = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: text)
    } catch {
      household.ledger.violated("\(name): the engine's state cannot be stored: \(error)")
    }
    return disk
  }
}

/// The data that an app stores together with the state of its engine.
struct AppDisk: Sendable {
  var data = AppData()
  var state: CKSyncEngine.State.Serialization?
  /// The number of the state update that stored this data. Each run of the app counts from 1; 0
  /// means that nothing was stored yet.
  var update = 0
}

/// The data of an app.
struct AppData: Sendable {
  enum Change: Hashable, Sendable, Comparable, CustomStringConvertible {
    case save(RecordKey)
    case delete(RecordKey)
    case makeZone(String)
    case deleteZone(String)

    var zone: String {
      switch self {
      case .save(let key), .delete(let key): key.zone
      case .makeZone(let zone), .deleteZone(let zone): zone
      }
    }

    var description: String {
      switch self {
      case .save(let key): "the save of \(key)"
      case .delete(let key): "the deletion of \(key)"
      case .makeZone(let zone): "the making of \(zone)"
      case .deleteZone(let zone): "the deletion of \(zone)"
      }
    }
  }

  /// The account that owns the data.
  enum Account: Sendable, Equatable {
    /// The app does not know yet which account is signed in.
    case unknown
    case nobody
    case known(String)

    var name: String? {
      if case .known(let name) = self { name } else { nil }
    }
  }

  var account = Account.unknown
  var zones: Set<String> = []
  /// The zones that were fetched completely since the device first saw them.
  var fetchedZones: Set<String> = []
  var records: [RecordKey: AppRecord] = [:]
  /// The changes that the server has not confirmed. The value is the number of state updates that
  /// had arrived when the change was added.
  var pending: [Change: Int] = [:]

  var contents: Contents { Contents(zones: zones, records: records.mapValues(\.marks)) }

  /// Removes a zone and all pending changes in the zone.
  mutating func forget(zone: String) {
    zones.remove(zone)
    fetchedZones.remove(zone)
    for key in records.keys where key.zone == zone { records[key] = nil }
    for change in pending.keys where change.zone == zone { pending[change] = nil }
  }
}

/// A record of an app.
struct AppRecord: @unchecked Sendable {
  var marks: Set<Int64> = []
  /// The record as the server last returned it. It is copied and never changed.
  var known: CKRecord?
}
