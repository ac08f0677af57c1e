import StratusTransport
import Testing

@testable import StratusKit

@Suite struct `The plan of a sending` {
  private func words(_ step: SendPlan.Step) -> String {
    switch step {
    case .zones(let saving, let deleting):
      (saving.map { "+" + $0.zoneID.zoneName } + deleting.map { "-" + $0.zoneName })
        .joined(separator: " ")
    case .batch: "batch"
    case .finish: "finish"
    }
  }

  @Test func `sends zones before records, also those that come under way`() {
    var state = SyncState()
    state.add([.saveZone(CKRecordZone(zoneID: zoneZ)), .deleteZone(zoneY)])
    state.add([save("A")])
    var plan = SendPlan(.init())
    #expect(words(plan.next(state)) == "+Z -Y")
    var zones = SyncZonesOutcome()
    (zones.saved, zones.deleted) = ([CKRecordZone(zoneID: zoneZ)], [zoneY])
    state.settle(plan.settled(zones), batch: state.beginBatch())
    #expect(words(plan.next(state)) == "batch")
    state.add([.saveZone(CKRecordZone(zoneID: zoneY))])
    plan.noBatch()
    #expect(words(plan.next(state)) == "+Y")
    zones = SyncZonesOutcome()
    zones.saved = [CKRecordZone(zoneID: zoneY)]
    state.settle(plan.settled(zones), batch: state.beginBatch())
    #expect(words(plan.next(state)) == "batch")
    plan.noBatch()
    #expect(words(plan.next(state)) == "finish")
  }

  @Test func `keeps to the scope`() {
    var state = SyncState()
    state.add([.saveZone(CKRecordZone(zoneID: zoneZ)), .deleteZone(zoneY)])
    #expect(words(SendPlan(.init(scope: .zoneIDs([zoneZ]))).next(state)) == "+Z")
    #expect(words(SendPlan(.init(scope: .allExcluding([zoneZ]))).next(state)) == "-Y")
    #expect(words(SendPlan(.init(scope: .recordIDs([id("A", in: zoneY)]))).next(state)) == "-Y")
    #expect(words(SendPlan(.init(scope: .recordIDs([]))).next(state)) == "batch")
  }

  @Test func `sends no more zones at once than a request takes`() {
    var state = SyncState()
    state.add(
      (0..<250).map { .saveZone(CKRecordZone(zoneName: "z\($0)")) }
        as [CKSyncEngine.PendingDatabaseChange])
    guard case .zones(let saving, _) = SendPlan(.init()).next(state) else {
      Issue.record("no zones")
      return
    }
    #expect(saving.count == 200)
  }

  /// The errors an engine tries again after, by semantics §23, and the two of our choice.
  private static let retried: Set<CKError.Code> = [
    .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
    .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost,
    .operationCancelled,
  ]

  @Test(arguments: CKError.Code.allCases)
  func `keeps pending what it tries again, and nothing else`(code: CKError.Code) {
    var state = SyncState()
    state.add([save("A"), save("B"), delete("C")])
    state.add([.saveZone(CKRecordZone(zoneID: zoneZ)), .deleteZone(zoneY)])
    var plan = SendPlan(.init())
    var zones = SyncZonesOutcome()
    zones.failedSaves = [(CKRecordZone(zoneID: zoneZ), CKError(code))]
    zones.failedDeletes = [(zoneY, CKError(code))]
    state.settle(plan.settled(zones), batch: state.beginBatch())
    var records = SyncRecordsOutcome()
    records.saved = [note("A")]
    records.failedSaves = [(note("B"), CKError(code))]
    records.failedDeletes = [(id("C"), CKError(code))]
    let batch = state.beginBatch()
    state.settle(plan.settled(records), batch: batch, handedOver: batch)
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
    }
  }

  @Test func `gives up after some requests of which nothing was carried out`() {
    var plan = SendPlan(.init())
    var outcome = SyncRecordsOutcome()
    outcome.failedSaves = [(note("A"), CKError(.invalidArguments))]
    for _ in 0..<9 { _ = plan.settled(outcome) }
    #expect(words(plan.next(SyncState())) == "batch")
    _ = plan.settled(outcome)
    #expect(words(plan.next(SyncState())) == "finish")
    #expect(plan.end.isFruitless)
  }

  @Test func `keeps what the device has no key for, and goes on with the rest`() {
    var plan = SendPlan(.init())
    var outcome = SyncRecordsOutcome()
    outcome.saved = [note("B")]
    outcome.failedSaves = [(note("A"), CKError(KeyFailure.missing))]
    #expect(plan.settled(outcome) == [save("B")])
    #expect(words(plan.next(SyncState())) == "batch")
    outcome.saved = []
    #expect(plan.settled(outcome).isEmpty)
    #expect(words(plan.next(SyncState())) == "finish")
    #expect(plan.end.failure?.code == .notAuthenticated)
    #expect(!plan.isInVain)
  }

  @Test func `is not worn out by records that the device has no key for`() {
    var plan = SendPlan(.init())
    for number in 0..<50 {
      var outcome = SyncRecordsOutcome()
      outcome.failedSaves = [(note("\(number)"), CKError(KeyFailure.missing))]
      _ = plan.settled(outcome)
      #expect(words(plan.next(SyncState())) == "batch")
    }
    var outcome = SyncRecordsOutcome()
    outcome.failedSaves = [(note("last"), CKError(.zoneBusy))]
    _ = plan.settled(outcome)
    #expect(plan.end.failure?.code == .zoneBusy)
  }

  @Test func `goes on as long as something is carried out`() {
    var plan = SendPlan(.init())
    var outcome = SyncRecordsOutcome()
    outcome.saved = [note("B")]
    outcome.failedSaves = [(note("A"), CKError(.invalidArguments))]
    for _ in 0..<50 { _ = plan.settled(outcome) }
    #expect(words(plan.next(SyncState())) == "batch")
    #expect(!plan.end.isFruitless)
  }
}
