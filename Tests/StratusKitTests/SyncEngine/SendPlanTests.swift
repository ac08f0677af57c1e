import StratusTransport
import Testing

@testable import StratusKit

@Suite struct `The plan of a send` {
  private func words(_ step: SendPlan.Step) -> String {
    switch step {
    case .zones(let saving, let deleting):
      (saving.map { "+" + $0.zoneID.zoneName } + deleting.map { "-" + $0.zoneName })
        .joined(separator: " ")
    case .batch: "batch"
    case .finish: "finish"
    }
  }

  @Test func `a send saves zones before records, including zones that are added during the send`() {
    var state = SyncState()
    state.add([.saveZone(CKRecordZone(zoneID: zoneZ)), .deleteZone(zoneY)])
    state.add([save("A")])
    var plan = SendPlan(.init())
    #expect(words(plan.next(state)) == "+Z -Y")
    var zones = SyncZonesOutcome()
    (zones.saved, zones.deleted) = ([CKRecordZone(zoneID: zoneZ)], [zoneY])
    state.settle(plan.settled(zones, before: state.stamp), batch: state.beginBatch())
    #expect(words(plan.next(state)) == "batch")
    state.add([.saveZone(CKRecordZone(zoneID: zoneY))])
    plan.noBatch()
    #expect(words(plan.next(state)) == "+Y")
    zones = SyncZonesOutcome()
    zones.saved = [CKRecordZone(zoneID: zoneY)]
    state.settle(plan.settled(zones, before: state.stamp), batch: state.beginBatch())
    #expect(words(plan.next(state)) == "batch")
    plan.noBatch()
    #expect(words(plan.next(state)) == "finish")
  }

  @Test func `a send plan contains only the changes in its scope`() {
    var state = SyncState()
    state.add([.saveZone(CKRecordZone(zoneID: zoneZ)), .deleteZone(zoneY)])
    #expect(words(SendPlan(.init(scope: .zoneIDs([zoneZ]))).next(state)) == "+Z")
    #expect(words(SendPlan(.init(scope: .allExcluding([zoneZ]))).next(state)) == "-Y")
    #expect(words(SendPlan(.init(scope: .recordIDs([id("A", in: zoneY)]))).next(state)) == "-Y")
    #expect(words(SendPlan(.init(scope: .recordIDs([]))).next(state)) == "batch")
  }

  @Test func `a send plan does not exceed the number of zones that a request may have`() {
    var state = SyncState()
    state.add(
      (0..<250).map { .saveZone(CKRecordZone(zoneName: "z\($0)")) }
        as [CKSyncEngine.PendingDatabaseChange])
    guard case .zones(let saving, _) = SendPlan(.init()).next(state) else {
      Issue.record("the plan must begin with zones")
      return
    }
    #expect(saving.count == 200)
  }

  /// The errors after which a sync engine retries: those after which Apple's engine retries, and
  /// two that Stratus adds (`serverResponseLost` and `operationCancelled`).
  private static let retried: Set<CKError.Code> = [
    .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
    .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost,
    .operationCancelled,
  ]

  @Test(arguments: CKError.Code.allCases)
  func `a change stays pending only after a retryable error`(code: CKError.Code) {
    var state = SyncState()
    state.add([save("A"), save("B"), delete("C")])
    state.add([.saveZone(CKRecordZone(zoneID: zoneZ)), .deleteZone(zoneY)])
    var plan = SendPlan(.init())
    var zones = SyncZonesOutcome()
    zones.failedSaves = [(CKRecordZone(zoneID: zoneZ), CKError(code))]
    zones.failedDeletes = [(zoneY, CKError(code))]
    state.settle(plan.settled(zones, before: state.stamp), batch: state.beginBatch())
    var records = SyncRecordsOutcome()
    records.saved = [note("A")]
    records.failedSaves = [(note("B"), CKError(code))]
    records.failedDeletes = [(id("C"), CKError(code))]
    let batch = state.beginBatch()
    state.settle(plan.settled(records, before: batch), batch: batch, handedOver: batch)
    if Self.retried.contains(code) {
      #expect(state.zones.count == 2)
      #expect(state.records.elements == [save("B"), delete("C")])
      #expect(words(plan.next(state)) == "finish")
      #expect(plan.end.failure?.code == code)
    } else {
      #expect(state.zones.isEmpty)
      #expect(state.records.isEmpty)
      #expect(words(plan.next(state)) == "batch")
      #expect(plan.end.failure == nil)
      let errors = plan.end.thrownError?.partialErrorsByItemID?.mapValues {
        StratusKitTests.code($0)
      }
      #expect(errors == [zoneZ: code, zoneY: code, id("B"): code, id("C"): code])
    }
  }

  private func offer(_ names: String...) -> CKSyncEngine.RecordZoneChangeBatch {
    CKSyncEngine.RecordZoneChangeBatch(recordsToSave: names.map { note($0) })
  }

  @Test func `a send does not send a failed record again`() {
    var state = SyncState()
    state.add([save("A"), save("B"), save("C")])
    var plan = SendPlan(.init())
    #expect(plan.admit(offer("A", "B"), state).recordsToSave.count == 2)
    var outcome = SyncRecordsOutcome()
    outcome.saved = [note("B")]
    outcome.failedSaves = [(note("A"), CKError(.invalidArguments))]
    let batch = state.beginBatch()
    state.settle(plan.settled(outcome, before: batch), batch: batch, handedOver: batch)
    state.add([save("A"), save("D")])
    let admitted = plan.admit(offer("A", "C", "D"), state)
    #expect(admitted.recordsToSave.map(\.recordID) == [id("C")])
    #expect(plan.hasHeldBack)
    #expect(!plan.end.isFruitless)
    #expect(words(plan.next(state)) == "batch")
  }

  @Test func `a send does not repeat a failed record from the delegate's own list`() {
    var state = SyncState()
    state.setUntrackedChanges(true)
    var plan = SendPlan(.init())
    var outcome = SyncRecordsOutcome()
    outcome.failedSaves = [(note("A"), CKError(.invalidArguments))]
    _ = plan.settled(outcome, before: state.beginBatch())
    #expect(plan.admit(offer("A"), state).isEmpty)
    #expect(plan.end.isFruitless)
  }

  @Test func `a send continues without the records whose encryption key is missing`() {
    let state = SyncState()
    var plan = SendPlan(.init())
    var outcome = SyncRecordsOutcome()
    outcome.saved = [note("B")]
    outcome.failedSaves = [(note("A"), CKError(KeyFailure.missing))]
    #expect(plan.settled(outcome, before: 0) == [save("B")])
    #expect(plan.admit(offer("A", "C"), state).recordsToSave.map(\.recordID) == [id("C")])
    #expect(plan.admit(offer("A"), state).isEmpty)
    #expect(!plan.hasHeldBack)
    #expect(plan.end.thrownError?.code == .notAuthenticated)
    #expect(plan.end.failure?.isKeyMissing == true)
  }

  @Test func `a send throws the error that stopped it rather than the errors of single records`() {
    var plan = SendPlan(.init())
    var outcome = SyncRecordsOutcome()
    outcome.failedSaves = [
      (note("A"), CKError(.invalidArguments)), (note("B"), CKError(.zoneBusy)),
    ]
    _ = plan.settled(outcome, before: 0)
    #expect(words(plan.next(SyncState())) == "finish")
    #expect(plan.end.thrownError?.code == .zoneBusy)
  }
}
