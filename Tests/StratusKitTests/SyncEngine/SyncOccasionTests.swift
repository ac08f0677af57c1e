import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `The automatic work of a sync engine` {
  @Test
  func `an automatic sync engine subscribes, fetches and sends pending changes`() async throws {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true)
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    await scene.app.hears("did send scheduled")
    await scene.app.hears("did fetch scheduled")
    #expect(Set(scene.calls.journal.all) == ["subscribe nil", "database since nil", "records +a"])
    #expect(scene.app.events.first == "signIn _ann")
    #expect(engine.state.with { $0.subscriptionID } == "S")
  }

  @Test func `an automatic sync engine subscribes once, before its first fetch`() async throws {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true, subscriptionID: "mine")
    await scene.app.hears("did fetch scheduled")
    #expect(scene.calls.journal.all == ["subscribe mine", "database since nil"])
    try await engine.fetchChanges()
    #expect(scene.calls.journal.all.count == 3)
    let next = scene.engine(
      automatic: true, state: scene.app.serialization, subscriptionID: "mine")
    await scene.app.hears("did fetch scheduled", times: 2)
    #expect(scene.calls.journal.all.count { $0 == "subscribe mine" } == 1)
    withExtendedLifetime(next) {}
  }

  @Test
  func `an automatic sync engine fetches once more after its notification stream opens`()
    async throws
  {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    scene.feed.open()
    await scene.app.hears("did fetch scheduled", times: 2)
    #expect(scene.calls.journal.all.count { $0.hasPrefix("database") } == 2)
    withExtendedLifetime(engine) {}
  }

  @Test
  func `an automatic sync engine checks its subscription when its notification stream opens`()
    async throws
  {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    scene.feed.open()
    await scene.app.hears("did fetch scheduled", times: 2)
    #expect(scene.calls.journal.all.count { $0.hasPrefix("subscribe") } == 2)
    scene.feed.send(.database(subscriptionID: "S", .private))
    await scene.app.hears("did fetch scheduled", times: 3)
    #expect(scene.calls.journal.all.count { $0.hasPrefix("subscribe") } == 2)
    withExtendedLifetime(engine) {}
  }

  @Test(arguments: [CKError.Code.serviceUnavailable, .internalError, .serverRejectedRequest])
  func `an automatic sync engine retries a failed subscription`(code: CKError.Code) async throws {
    let scene = SyncScene()
    let isFirst = Mutex(true)
    scene.on { script in
      script.subscribe = { (_) async throws(CKError) in
        let fails = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if fails { throw CKError(code) }
        return "S"
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    await scene.clock.someoneSleeps()
    scene.clock.advance(by: 1)
    await scene.app.hears("did fetch scheduled", times: 2)
    #expect(engine.state.with { $0.subscriptionID } == "S")
  }

  @Test(arguments: [CKError.Code.invalidArguments, .badDatabase, .unknownItem])
  func `an automatic sync engine fetches even if the server does not support subscriptions`(
    code: CKError.Code
  ) async throws {
    let scene = SyncScene()
    scene.on { script in
      script.subscribe = { (_) async throws(CKError) in throw CKError(code) }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    try await engine.fetchChanges()
    #expect(
      scene.calls.journal.all == [
        "subscribe nil", "database since nil", "database since d",
      ])
  }

  @Test
  func `an automatic sync engine of a shared database without zones does not poll`() async throws {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true, scope: .shared)
    await scene.app.hears("did fetch scheduled")
    try await engine.fetchChanges()
    #expect(scene.clock.dues == [])
    #expect(
      scene.calls.journal.all == ["subscribe nil", "database since nil", "database since d"])
    scene.feed.send(.database(subscriptionID: "S", .shared))
    await scene.app.hears("did fetch scheduled", times: 2)
  }

  @Test func `an automatic sync engine of a missing database does not poll`() async throws {
    let scene = SyncScene()
    scene.on { script in
      script.subscribe = { (_) async throws(CKError) in throw CKError(.badDatabase) }
      script.database = { (_) async throws(CKError) in throw CKError(.badDatabase) }
    }
    let engine = scene.engine(automatic: true, scope: .shared)
    await scene.app.hears("did fetch scheduled")
    await #expect(throws: CKError(.badDatabase)) { try await engine.fetchChanges() }
    #expect(scene.clock.dues == [])
    #expect(
      scene.calls.journal.all == ["subscribe nil", "database since nil", "database since nil"])
    #expect(scene.app.events.count { $0 == "will fetch scheduled" } == 1)
  }

  @Test
  func `an automatic sync engine fetches only after a notification for its own database`()
    async throws
  {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    scene.feed.send(.database(subscriptionID: "S", .shared))
    scene.feed.send(.database(subscriptionID: "S", .private))
    await scene.app.hears("did fetch scheduled", times: 2)
    try await engine.fetchChanges()
    #expect(scene.app.events.count { $0 == "will fetch scheduled" } == 2)
  }

  @Test
  func `an automatic sync engine repeats a failed fetch when the server has recovered`()
    async throws
  {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    let isIll = Mutex(true)
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        if isIll.withLock({ $0 }) { throw CKError(.internalError) }
        return SyncDatabasePage(modifications: [zoneZ], token: "d2")
      }
    }
    scene.feed.send(.database(subscriptionID: "S", .private))
    await scene.app.hears("did fetch scheduled", times: 2)
    await scene.clock.someoneSleeps()
    isIll.withLock { $0 = false }
    scene.clock.advance(by: 1)
    await scene.app.hears("did Z")
    withExtendedLifetime(engine) {}
  }

  @Test func `an automatic sync engine fetches the zone that a notification names`() async throws {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    scene.feed.send(
      .zone(
        subscriptionID: "S", ZoneID(zoneName: "Z", ownerRecordName: "_ann"), .private))
    await scene.app.hears("did Z")
    #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
  }

  @Test func `an automatic sync engine retries a send until the network is back`() async throws {
    let scene = SyncScene()
    let isDown = Mutex(true)
    scene.on { script in
      script.records = { saving, _ in
        var outcome = SyncRecordsOutcome()
        if isDown.withLock({ $0 }) {
          outcome.failedSaves = saving.map { ($0, CKError(.networkUnavailable)) }
        } else {
          outcome.saved = saving
        }
        return outcome
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    await scene.clock.someoneSleeps()
    #expect(scene.clock.dues == [0.5])
    scene.clock.advance(by: 0.5)
    await scene.app.hears("did send scheduled", times: 2)
    await scene.clock.someoneSleeps()
    #expect(scene.clock.dues == [1.5])
    isDown.withLock { $0 = false }
    scene.clock.advance(by: 1)
    await scene.app.hears("sent +a")
    await scene.app.hears("did send scheduled", times: 3)
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `an automatic sync engine waits as long as the server asks`() async throws {
    let scene = SyncScene()
    let isBusy = Mutex(true)
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        if isBusy.withLock({ $0 }) {
          throw CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 42])
        }
        return SyncDatabasePage(token: "d")
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.clock.someoneSleeps()
    #expect(scene.clock.dues == [42])
    isBusy.withLock { $0 = false }
    scene.clock.advance(by: 42)
    await scene.app.hears("did fetch scheduled", times: 2)
    withExtendedLifetime(engine) {}
  }

  @Test
  func `a sync engine reports its state after each change, and not without a change`() async throws
  {
    let scene = SyncScene()
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    await scene.app.hears("state")
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    engine.state.remove(pendingRecordZoneChanges: [save("b")])
    engine.state.add(pendingRecordZoneChanges: [save("b")])
    await scene.app.hears("state", times: 2)
    try await engine.sendChanges()
    #expect(scene.app.lines.prefix(4) == ["state", "state", "signIn _ann", "state"])
  }

  @Test
  func `if the delegate changes the state, the engine's next event is a state update`()
    async throws
  {
    let scene = SyncScene()
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        if case .willSendChanges = event {
          engine.state.add(pendingRecordZoneChanges: [save("late")])
        }
      }
    }
    try await scene.engine().sendChanges()
    #expect(
      scene.app.lines == [
        "signIn _ann", "state", "will send manual", "state", "sent +late", "state",
        "did send manual",
      ])
  }

  @Test func `a sync engine does nothing on its own when automatic sync is off`() async throws {
    let scene = SyncScene()
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    scene.feed.send(.database(subscriptionID: "S", .private))
    await scene.app.hears("state")
    #expect(scene.app.events == [])
    try await engine.fetchChanges()
    #expect(scene.calls.journal.all == ["database since nil"])
  }
}
