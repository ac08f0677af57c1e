import Testing

@testable import StratusKit

private let zoneX = CKRecordZone.ID(zoneName: "X")

/// The order of the requests of a fetch. A recreated zone is a zone that was deleted and created
/// again with the same name.
@Suite struct `The plan of a fetch` {
  private func state(_ unfetched: [CKRecordZone.ID], token: String? = "d1") -> SyncState {
    var state = SyncState()
    state.setDatabaseToken(token)
    for zoneID in unfetched { state.markUnfetched(zoneID) }
    return state
  }

  /// Gives the plan the last page of database changes. The page contains no change.
  private func read(_ plan: inout FetchPlan, _ state: inout SyncState) {
    let page = SyncDatabasePage(token: "d2")
    let changes = plan.receive(page, state)
    plan.commit(page, changes, to: &state)
  }

  @Test func `a fetch reads the database's changes first, then the changes of each zone`() {
    var state = state([])
    var plan = FetchPlan(.init(), state)
    #expect(plan.next(state) == .database(token: "d1"))
    let page = SyncDatabasePage(modifications: [zoneZ, zoneY], token: "d2")
    let changes = plan.receive(page, state)
    #expect(state.databaseToken == "d1")
    plan.commit(page, changes, to: &state)
    #expect(state.databaseToken == "d2")
    #expect(state.unfetchedZones.elements == [zoneZ, zoneY])
    #expect(plan.next(state) == .zone(zoneZ, token: nil))
    plan.commit(SyncZonePage(token: "z1"), of: zoneZ, to: &state)
    #expect(state.zoneTokens == [zoneZ: "z1"])
    #expect(plan.next(state) == .zone(zoneY, token: nil))
    plan.commit(SyncZonePage(token: "y1"), of: zoneY, to: &state)
    #expect(plan.next(state) == .finish)
    #expect(state.unfetchedZones.isEmpty)
  }

  @Test func `a fetch reads the zones in its scope and keeps the other zones for a later fetch`() {
    var state = state([zoneZ, zoneY])
    var plan = FetchPlan(.init(scope: .zoneIDs([zoneY])), state)
    read(&plan, &state)
    #expect(plan.next(state) == .zone(zoneY, token: nil))
    plan.commit(SyncZonePage(token: "y1"), of: zoneY, to: &state)
    #expect(plan.next(state) == .finish)
    #expect(state.unfetchedZones.elements == [zoneZ])
  }

  @Test func `a fetch reads prioritized zones first`() {
    var state = state([zoneZ, zoneY, zoneX])
    var options = CKSyncEngine.FetchChangesOptions(scope: .allExcluding([zoneZ]))
    options.prioritizedZoneIDs = [zoneZ, zoneX]
    var plan = FetchPlan(options, state)
    read(&plan, &state)
    #expect(plan.next(state) == .zone(zoneX, token: nil))
    plan.commit(SyncZonePage(token: "x1"), of: zoneX, to: &state)
    #expect(plan.next(state) == .zone(zoneY, token: nil))
  }

  @Test
  func `a fetch interrupts a zone for a prioritized zone and returns to the first zone later`() {
    var state = state([zoneZ, zoneY])
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    #expect(plan.next(state) == .zone(zoneZ, token: nil))
    plan.commit(SyncZonePage(token: "z1", moreComing: true), of: zoneZ, to: &state)
    #expect(plan.staysIn(zoneZ, state) == true)
    var options = plan.options
    options.prioritizedZoneIDs = [zoneY]
    plan.adopt(options)
    #expect(plan.staysIn(zoneZ, state) == false)
    #expect(plan.next(state) == .zone(zoneY, token: nil))
    plan.commit(SyncZonePage(token: "y1"), of: zoneY, to: &state)
    #expect(plan.next(state) == .zone(zoneZ, token: "z1"))
  }

  @Test
  func `a first fetch stores no database token before it has read all pages of the database`() {
    var state = state([], token: nil)
    var plan = FetchPlan(.init(), state)
    let first = SyncDatabasePage(modifications: [zoneZ], token: "d1", moreComing: true)
    plan.commit(first, plan.receive(first, state), to: &state)
    #expect(state.databaseToken == nil)
    #expect(plan.next(state) == .database(token: "d1"))
    let last = SyncDatabasePage(modifications: [zoneY], token: "d2")
    plan.commit(last, plan.receive(last, state), to: &state)
    #expect(state.databaseToken == "d2")
    #expect(state.unfetchedZones.elements == [zoneZ, zoneY])
  }

  @Test func `a fetch that continues from a database token stores the token of each page`() {
    var state = state([])
    var plan = FetchPlan(.init(), state)
    let page = SyncDatabasePage(modifications: [zoneZ], token: "d2", moreComing: true)
    plan.commit(page, plan.receive(page, state), to: &state)
    #expect(state.databaseToken == "d2")
  }

  @Test func `a fetch with an expired database token starts again and finds every deleted zone`() {
    var state = state([])
    state.setToken("z1", of: zoneZ)
    state.setToken("y1", of: zoneY)
    state.setToken("x1", of: zoneX)
    var plan = FetchPlan(.init(), state)
    plan.databaseFailed(CKError(.changeTokenExpired), &state)
    #expect(plan.failure == nil)
    #expect(plan.next(state) == .database(token: nil))
    let page = SyncDatabasePage(modifications: [zoneY], token: "e1")
    let changes = plan.receive(page, state)
    #expect(changes.deletions.map(\.zoneID) == [zoneX, zoneZ])
    plan.commit(page, changes, to: &state)
    #expect(state.zoneTokens == [zoneY: "y1"])
    #expect(plan.next(state) == .zone(zoneY, token: "y1"))
  }

  @Test func `a fetch reports an expired zone token even if the database token has expired, too`() {
    var state = state([])
    state.setToken("z1", of: zoneZ)
    var plan = FetchPlan(.init(), state)
    plan.databaseFailed(CKError(.changeTokenExpired), &state)
    let page = SyncDatabasePage(modifications: [zoneZ], token: "e1")
    plan.commit(page, plan.receive(page, state), to: &state)
    #expect(plan.next(state) == .zone(zoneZ, token: "z1"))
    guard case .ended(let error) = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state)
    else {
      Issue.record("the app must get the error")
      return
    }
    #expect(error.code == .changeTokenExpired)
    #expect(plan.next(state) == .database(token: "e1"))
    let last = SyncDatabasePage(token: "e2")
    plan.commit(last, plan.receive(last, state), to: &state)
    #expect(plan.next(state) == .zone(zoneZ, token: "z1"))
    guard case .startOver = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state) else {
      Issue.record("the fetch must start again")
      return
    }
    #expect(state.zoneTokens.isEmpty)
  }

  @Test func `a fetch restarts a zone whose token has expired, but only a few times`() {
    var state = state([zoneZ])
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    #expect(plan.next(state) == .zone(zoneZ, token: nil))
    for _ in 0..<3 {
      guard case .startOver = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state) else {
        Issue.record("the fetch must start again")
        return
      }
      #expect(state.zoneTokens.isEmpty)
    }
    guard case .ended = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state) else {
      Issue.record("the fetch must end after a few attempts")
      return
    }
    #expect(plan.next(state) == .finish)
  }

  @Test func `a fetch plan reports a recreated zone once, as deleted and then as changed`() {
    var state = state([zoneZ])
    state.setToken("z1", of: zoneZ)
    state.setIncarnation("1", of: zoneZ)
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    _ = plan.next(state)
    guard case .ended = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state) else {
      Issue.record("the fetch must not continue in a zone that may be recreated")
      return
    }
    #expect(plan.next(state) == .database(token: "d2"))
    let page = SyncDatabasePage(modifications: [zoneZ], incarnations: [zoneZ: "2"], token: "d3")
    let changes = plan.receive(page, state)
    #expect(changes.remade == [zoneZ])
    #expect(changes.modifications == [zoneZ])
    plan.commit(page, changes, to: &state)
    #expect(state.zoneTokens.isEmpty)
    #expect(plan.next(state) == .zone(zoneZ, token: nil))
    guard case .startOver = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state) else {
      Issue.record("the fetch must check a zone for a recreation only once")
      return
    }
  }

  @Test func `a fetch restarts a zone whose token has expired if the zone was not recreated`() {
    var state = state([zoneZ])
    state.setToken("z1", of: zoneZ)
    state.setIncarnation("1", of: zoneZ)
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    _ = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state)
    let page = SyncDatabasePage(modifications: [zoneZ], incarnations: [zoneZ: "1"], token: "d3")
    let changes = plan.receive(page, state)
    #expect(changes.remade.isEmpty)
    plan.commit(page, changes, to: &state)
    #expect(plan.next(state) == .zone(zoneZ, token: "z1"))
    guard case .startOver = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state) else {
      Issue.record("the fetch must check a zone for a recreation only once")
      return
    }
    #expect(state.zoneTokens.isEmpty)
  }

  /// Seed 3011196 of the simulation: the device has read one page of the old zone. Then the server
  /// refuses the next request.
  @Test func `a first fetch detects that a zone was recreated during the fetch`() {
    var state = state([], token: nil)
    var plan = FetchPlan(.init(), state)
    let list = SyncDatabasePage(modifications: [zoneZ], incarnations: [zoneZ: "1"], token: "d1")
    plan.commit(list, plan.receive(list, state), to: &state)
    plan.commit(SyncZonePage(token: "z1", moreComing: true), of: zoneZ, to: &state)
    guard case .ended = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state) else {
      Issue.record("the fetch must not continue in a zone that may be recreated")
      return
    }
    #expect(plan.next(state) == .database(token: "d1"))
    let page = SyncDatabasePage(modifications: [zoneZ], incarnations: [zoneZ: "2"], token: "d2")
    let changes = plan.receive(page, state)
    #expect(changes.remade == [zoneZ])
    #expect(changes.deletions.isEmpty)
    plan.commit(page, changes, to: &state)
    #expect(plan.next(state) == .zone(zoneZ, token: nil))
  }

  /// Seed 100535155 of the simulation: an app writes into a zone that it has created and never
  /// fetched.
  @Test func `a fetch detects a recreated zone that was never fetched`() {
    var state = state([zoneZ])
    state.setIncarnation("1", of: zoneZ)
    var plan = FetchPlan(.init(), state)
    let page = SyncDatabasePage(
      modifications: [zoneY, zoneZ], incarnations: [zoneY: "2", zoneZ: "3"], token: "d2",
      moreComing: true)
    let changes = plan.receive(page, state)
    #expect(changes.remade == [zoneZ])
    #expect(changes.modifications == [zoneY, zoneZ])
    plan.commit(page, changes, to: &state)
    #expect(state.incarnations == [zoneY: "2", zoneZ: "3"])
    let last = SyncDatabasePage(modifications: [zoneZ], incarnations: [zoneZ: "3"], token: "d3")
    #expect(plan.receive(last, state).remade.isEmpty)
  }

  /// This case occurred in the seeds 175, 2655 and 3158 of the simulation.
  @Test func `a fetch detects a recreated zone although all tokens have expired`() {
    var state = state([])
    for (zone, incarnation) in [(zoneX, "1"), (zoneY, "2"), (zoneZ, "3")] {
      state.setToken("t", of: zone)
      state.setIncarnation(incarnation, of: zone)
    }
    var plan = FetchPlan(.init(), state)
    plan.databaseFailed(CKError(.changeTokenExpired), &state)
    let page = SyncDatabasePage(
      modifications: [zoneY, zoneZ], incarnations: [zoneY: "2", zoneZ: "9"], token: "e1")
    let changes = plan.receive(page, state)
    #expect(changes.remade == [zoneZ])
    #expect(changes.deletions.map(\.zoneID) == [zoneX])
    plan.commit(page, changes, to: &state)
    #expect(state.incarnations == [zoneY: "2", zoneZ: "9"])
  }

  @Test func `a fetch reports a recreated zone with an expired token only once`() {
    var state = state([zoneZ])
    state.setToken("z1", of: zoneZ)
    state.setIncarnation("1", of: zoneZ)
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    _ = plan.next(state)
    _ = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state)
    let first = SyncDatabasePage(
      modifications: [zoneZ], incarnations: [zoneZ: "2"], token: "d3", moreComing: true)
    let changes = plan.receive(first, state)
    #expect(changes.remade == [zoneZ])
    plan.commit(first, changes, to: &state)
    let last = SyncDatabasePage(token: "d4")
    #expect(plan.receive(last, state).remade.isEmpty)
  }

  @Test func `a fetch that reads the whole history reports no zone as recreated`() {
    var state = state([zoneZ])
    state.setToken("z1", of: zoneZ)
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    _ = plan.next(state)
    _ = plan.zoneFailed(zoneZ, CKError(.changeTokenExpired), &state)
    plan.databaseFailed(CKError(.changeTokenExpired), &state)
    #expect(plan.next(state) == .database(token: nil))
    let page = SyncDatabasePage(modifications: [zoneZ], token: "e1")
    let changes = plan.receive(page, state)
    #expect(changes.remade.isEmpty)
    #expect(changes.deletions.isEmpty)
  }

  @Test(arguments: [
    (CKError.Code.zoneNotFound, false, true), (CKError.Code.userDeletedZone, false, true),
    (.networkFailure, true, false), (.zoneBusy, true, false), (.internalError, true, false),
  ])
  func `the code of a zone's error decides whether a fetch continues or stops`(
    code: CKError.Code, isFailure: Bool, goesOn: Bool
  ) {
    var state = state([zoneZ, zoneY])
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    _ = plan.next(state)
    _ = plan.zoneFailed(zoneZ, CKError(code), &state)
    #expect(state.unfetchedZones[zoneZ] != nil)
    let goesOn = goesOn || code == .internalError
    #expect(plan.next(state) == (goesOn ? .zone(zoneY, token: nil) : .finish))
    #expect((plan.failure?.code == code) == isFailure)
  }

  @Test func `a fetch reports the first error that stopped it rather than a zone's error`() {
    var state = state([zoneZ, zoneY])
    var plan = FetchPlan(.init(), state)
    read(&plan, &state)
    _ = plan.zoneFailed(zoneZ, CKError(.internalError), &state)
    #expect(plan.stopReason == nil)
    #expect(plan.failure?.code == .internalError)
    plan.stop(CKError(.requestRateLimited))
    plan.stop(CKError(.operationCancelled))
    #expect(plan.stopReason?.code == .requestRateLimited)
    #expect(plan.failure?.code == .requestRateLimited)
    #expect(plan.next(state) == .finish)
  }

  @Test func `a fetch stops when the server repeats a database token`() {
    let state = state([])
    var plan = FetchPlan(.init(), state)
    _ = plan.receive(SyncDatabasePage(token: "d1", moreComing: true), state)
    #expect(plan.next(state) == .finish)
    #expect(plan.failure?.code == .internalError)
  }

  @Test func `a fetch removes the token of a deleted zone`() {
    var state = state([zoneZ])
    state.setToken("z1", of: zoneZ)
    var plan = FetchPlan(.init(), state)
    let page = SyncDatabasePage(
      deletions: [.init(zoneID: zoneZ, reason: .purged)], token: "d2")
    plan.commit(page, plan.receive(page, state), to: &state)
    #expect(state.zoneTokens.isEmpty)
    #expect(plan.next(state) == .finish)
  }
}
