import Foundation
import Synchronization

@testable import StratusKit

/// A delegate that records the events of its engine and provides notes for the pending changes.
final class SyncApp: CKSyncEngineDelegate {
  private struct State {
    var lines: [String] = []
    var serialization: CKSyncEngine.State.Serialization?
    var waiters: [(line: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var depth = 0
    var hasOverlapped = false
  }
  private let state = Mutex(State())

  typealias EventHook = @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void
  typealias BatchHook =
    @Sendable (CKSyncEngine.SendChangesContext, CKSyncEngine) async
    -> CKSyncEngine.RecordZoneChangeBatch?
  typealias OptionsHook =
    @Sendable (CKSyncEngine.FetchChangesContext) async -> CKSyncEngine.FetchChangesOptions

  let onEvent = Mutex<EventHook>({ _, _ in })
  let onOptions = Mutex<OptionsHook>({ $0.options })
  let onBatch = Mutex<BatchHook>({ context, engine in
    let scope = context.options.scope
    let changes = engine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      CKRecord(recordType: "Note", recordID: recordID)
    }
  })

  /// The recorded events in order, one line each.
  var lines: [String] { state.withLock { $0.lines } }
  /// The recorded events without the state updates.
  var events: [String] { lines.filter { $0 != "state" } }
  /// The newest state that the delegate received.
  var serialization: CKSyncEngine.State.Serialization? { state.withLock { $0.serialization } }
  /// Whether the engine ever called the delegate before an earlier call had returned.
  var hasOverlapped: Bool { state.withLock { $0.hasOverlapped } }

  func forget() { state.withLock { $0.lines = [] } }

  /// Waits until the delegate has recorded a line this many times.
  func hears(_ line: String, times: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.count(where: { $0 == line }) >= times { return true }
        state.waiters.append((line, times, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func enter() {
    state.withLock { state in
      if state.depth > 0 { state.hasOverlapped = true }
      state.depth += 1
    }
  }

  private func leave(_ line: String? = nil) {
    let ready = state.withLock { state in
      state.depth -= 1
      guard let line else { return [CheckedContinuation<Void, Never>]() }
      state.lines.append(line)
      let isMet = {
        (waiter: (line: String, count: Int, continuation: CheckedContinuation<Void, Never>)) in
        state.lines.count(where: { $0 == waiter.line }) >= waiter.count
      }
      let ready = state.waiters.filter(isMet).map(\.continuation)
      state.waiters.removeAll(where: isMet)
      return ready
    }
    for continuation in ready { continuation.resume() }
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    enter()
    if case .stateUpdate(let update) = event {
      state.withLock { $0.serialization = update.stateSerialization }
    }
    await onEvent.withLock { $0 }(event, syncEngine)
    leave(line(of: event))
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    enter()
    defer { leave() }
    return await onBatch.withLock { $0 }(context, syncEngine)
  }

  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    enter()
    defer { leave() }
    return await onOptions.withLock { $0 }(context)
  }
}

/// A short text that describes an event.
func line(of event: CKSyncEngine.Event) -> String {
  switch event {
  case .stateUpdate: return "state"
  case .accountChange(let event):
    switch event.changeType {
    case .signIn(let user): return "signIn \(user.recordName)"
    case .signOut(let user): return "signOut \(user.recordName)"
    case .switchAccounts(let old, let new):
      return "switch \(old.recordName) \(new.recordName)"
    }
  case .willFetchChanges(let event): return "will fetch \(event.context.reason)"
  case .didFetchChanges(let event): return "did fetch \(event.context.reason)"
  case .willSendChanges(let event): return "will send \(event.context.reason)"
  case .didSendChanges(let event): return "did send \(event.context.reason)"
  case .willFetchRecordZoneChanges(let event): return "will \(event.zoneID.zoneName)"
  case .didFetchRecordZoneChanges(let event):
    return words(["did", event.zoneID.zoneName], event.error.map { ["\($0.code)"] } ?? [])
  case .fetchedDatabaseChanges(let event):
    return words(
      ["zones"], event.modifications.map { "+" + $0.zoneID.zoneName },
      event.deletions.map { "-" + $0.zoneID.zoneName })
  case .fetchedRecordZoneChanges(let event):
    return words(
      ["records"], event.modifications.map { "+" + $0.record.recordID.recordName },
      event.deletions.map { "-" + $0.recordID.recordName })
  case .sentDatabaseChanges(let event):
    return words(
      ["sent zones"], event.savedZones.map { "+" + $0.zoneID.zoneName },
      event.failedZoneSaves.map { "!\($0.zone.zoneID.zoneName):\($0.error.code)" },
      event.deletedZoneIDs.map { "-" + $0.zoneName },
      event.failedZoneDeletes.map { "!\($0.key.zoneName):\($0.value.code)" }.sorted())
  case .sentRecordZoneChanges(let event):
    return words(
      ["sent"], event.savedRecords.map { "+" + $0.recordID.recordName },
      event.failedRecordSaves.map { "!\($0.record.recordID.recordName):\($0.error.code)" },
      event.deletedRecordIDs.map { "-" + $0.recordName },
      event.failedRecordDeletes.map { "!\($0.key.recordName):\($0.value.code)" }.sorted())
  }
}
