import Foundation
import StratusTransport
import StratusWire
import Synchronization

@testable import StratusKit

/// The server calls of a sync engine. Closures answer the calls, and a journal records them.
final class ScriptedCalls: SyncCalls {
  struct Script: Sendable {
    var database: @Sendable (String?) async throws(CKError) -> SyncDatabasePage = {
      (_) async throws(CKError) in SyncDatabasePage(token: "d")
    }
    var zone: @Sendable (CKRecordZone.ID, String?) async throws(CKError) -> SyncZonePage = {
      (_, _) async throws(CKError) in SyncZonePage(token: "z")
    }
    var zones:
      @Sendable ([CKRecordZone], [CKRecordZone.ID]) async throws(CKError)
        -> SyncZonesOutcome = { (saving, deleting) async throws(CKError) in
          var outcome = SyncZonesOutcome()
          (outcome.saved, outcome.deleted) = (saving, deleting)
          return outcome
        }
    var records: @Sendable ([CKRecord], [CKRecord.ID]) async -> SyncRecordsOutcome = {
      saving, deleting in
      var outcome = SyncRecordsOutcome()
      (outcome.saved, outcome.deleted) = (saving, deleting)
      return outcome
    }
    var subscribe: @Sendable (String?) async throws(CKError) -> String = {
      (id) async throws(CKError) in id ?? "S"
    }
  }

  let script = Mutex(Script())
  let journal = Journal()

  func databaseChanges(
    since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncDatabasePage {
    journal.note("database since \(token ?? "nil")")
    return try await script.withLock { $0.database }(token)
  }

  func zoneChanges(
    in zoneID: CKRecordZone.ID, since token: String?, group: CKOperationGroup
  ) async throws(CKError) -> SyncZonePage {
    journal.note("zone \(zoneID.zoneName) since \(token ?? "nil")")
    return try await script.withLock { $0.zone }(zoneID, token)
  }

  func modifyZones(
    saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID], group: CKOperationGroup
  ) async throws(CKError) -> SyncZonesOutcome {
    journal.note(
      words(["zones"], zones.map { "+" + $0.zoneID.zoneName }, zoneIDs.map { "-" + $0.zoneName }))
    return try await script.withLock { $0.zones }(zones, zoneIDs)
  }

  func modifyRecords(
    saving records: [CKRecord], deleting recordIDs: [CKRecord.ID], isAtomic: Bool,
    group: CKOperationGroup
  ) async -> SyncRecordsOutcome {
    journal.note(
      words(
        ["records"], records.map { "+" + $0.recordID.recordName },
        recordIDs.map { "-" + $0.recordName }))
    return await script.withLock { $0.records }(records, recordIDs)
  }

  func subscribe(id: String?) async throws(CKError) -> String {
    journal.note("subscribe \(id ?? "nil")")
    return try await script.withLock { $0.subscribe }(id)
  }
}

func words(_ parts: [String]...) -> String { parts.flatMap { $0 }.joined(separator: " ") }

/// A clock that a test advances.
final class ManualClock: Sendable {
  private struct State {
    var now = 0.0
    var sleepers: [(id: Int, due: Double, continuation: CheckedContinuation<Bool, Never>)] = []
    var cancelled: Set<Int> = []
    var lastID = 0
    var awaiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  var now: Double { state.withLock { $0.now } }

  /// The wake times of all sleepers.
  var dues: [Double] { state.withLock { $0.sleepers.map(\.due).sorted() } }

  var timing: Timing {
    Timing(
      now: { self.now }, sleep: { try await self.pause($0) },
      watch: { try await self.pause($0) }, chance: { 0 })
  }

  private func pause(_ seconds: Double) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let isDone = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, awaiting) = state.withLock { state in
          if state.cancelled.contains(id) { return (true, [CheckedContinuation<Void, Never>]()) }
          state.sleepers.append((id, state.now + seconds, continuation))
          let count = state.sleepers.count
          defer { state.awaiting.removeAll { $0.count <= count } }
          return (false, state.awaiting.filter { $0.count <= count }.map(\.continuation))
        }
        for waiter in awaiting { waiter.resume() }
        if isOver { continuation.resume(returning: false) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        let found = state.sleepers.first { $0.id == id }
        state.sleepers.removeAll { $0.id == id }
        return found
      }
      sleeper?.continuation.resume(returning: false)
    }
    if !isDone { throw CancellationError() }
  }

  /// Waits until this many tasks sleep.
  func someoneSleeps(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.awaiting.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Advances the clock.
  func advance(by seconds: Double) {
    let woken = state.withLock { state in
      state.now += seconds
      let due = state.sleepers.filter { $0.due <= state.now }
      state.sleepers.removeAll { $0.due <= state.now }
      return due
    }
    for sleeper in woken { sleeper.continuation.resume(returning: true) }
  }
}

/// Sends values to its current subscribers. Values without a subscriber wait for the first
/// subscriber.
final class Announcer<Thing: Sendable>: Sendable {
  private struct State {
    var listeners: [AsyncStream<Thing>.Continuation] = []
    var unheard: [Thing] = []
  }
  private let state = Mutex(State())

  func things() -> AsyncStream<Thing> {
    AsyncStream { continuation in
      let unheard = state.withLock { state in
        state.listeners.append(continuation)
        defer { state.unheard = [] }
        return state.unheard
      }
      for thing in unheard { continuation.yield(thing) }
    }
  }

  func say(_ thing: Thing) {
    let listeners = state.withLock { state in
      if state.listeners.isEmpty { state.unheard.append(thing) }
      return state.listeners
    }
    for listener in listeners { listener.yield(thing) }
  }
}

/// An account with a user or an error that a test sets.
final class ScriptedAccount: AccountFeed {
  private let answer: Mutex<Result<String?, CKError>>
  private let announcer = Announcer<Void>()

  init(_ user: String?) { answer = Mutex(.success(user)) }

  func currentUserRecordName() async throws(CKError) -> String? {
    try answer.withLock { $0 }.get()
  }

  func changes() -> AsyncStream<Void> { announcer.things() }

  /// Sets the current user or the error, and notifies the subscribers.
  func set(_ answer: Result<String?, CKError>) {
    become(answer)
    announcer.say(())
  }

  /// Sets the current user or the error without a notification.
  func become(_ answer: Result<String?, CKError>) { self.answer.withLock { $0 = answer } }
}

/// Notifications that a test sends.
final class ScriptedFeed: NotificationFeed {
  private let announcer = Announcer<NotificationPayload>()
  private let opener = Announcer<Void>()

  func openings() -> AsyncStream<Void> { opener.things() }

  func open() { opener.say(()) }

  func notifications() -> AsyncStream<NotificationPayload> { announcer.things() }

  func send(_ event: NotificationPayload.Event) {
    announcer.say(
      NotificationPayload(
        containerIdentifier: nil, notificationID: "N", userRecordName: nil, event: event))
  }
}

/// A server, a clock and an account for a sync engine.
struct SyncScene: Sendable {
  let calls = ScriptedCalls()
  let clock = ManualClock()
  let feed = ScriptedFeed()
  let account: ScriptedAccount
  let app = SyncApp()
  let container = FakeServer().container()

  init(user: String? = "_ann") { account = ScriptedAccount(user) }

  func engine(
    automatic: Bool = false, state: CKSyncEngine.State.Serialization? = nil,
    scope: CKDatabase.Scope = .private, subscriptionID: String? = nil
  ) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: container.database(with: scope), stateSerialization: state, delegate: app)
    configuration.automaticallySync = automatic
    configuration.subscriptionID = subscriptionID
    return CKSyncEngine(
      configuration,
      surroundings: SyncSurroundings(
        timing: clock.timing, spawn: { work in Task { await work() } }, calls: calls,
        notifications: feed, accounts: account))
  }

  func on(_ change: (inout ScriptedCalls.Script) -> Void) { calls.script.withLock { change(&$0) } }
}

let zoneY = CKRecordZone.ID(zoneName: "Y")

func save(_ name: String, in zoneID: CKRecordZone.ID = zoneZ)
  -> CKSyncEngine.PendingRecordZoneChange
{ .saveRecord(id(name, in: zoneID)) }

func delete(_ name: String, in zoneID: CKRecordZone.ID = zoneZ)
  -> CKSyncEngine.PendingRecordZoneChange
{ .deleteRecord(id(name, in: zoneID)) }
