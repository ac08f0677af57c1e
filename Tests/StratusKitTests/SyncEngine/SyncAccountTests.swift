import Synchronization
import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `The account of a sync engine` {
  @Test func `a sync engine without an account is dormant until a user signs in`() async throws {
    let scene = SyncScene(user: nil)
    let engine = scene.engine(automatic: true)
    await #expect(throws: CKError(.notAuthenticated)) { try await engine.fetchChanges() }
    await #expect(throws: CKError(.notAuthenticated)) { try await engine.sendChanges() }
    #expect(scene.app.events == [])
    #expect(scene.calls.journal.all == [])
    scene.account.set(.success("_ann"))
    await scene.app.hears("did fetch scheduled")
    #expect(scene.app.events.first == "signIn _ann")
  }

  @Test
  func `a sign-out clears the pending changes of a sync engine and causes one event`() async throws
  {
    let scene = SyncScene()
    let engine = scene.engine()
    try await engine.fetchChanges()
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    engine.state.add(pendingDatabaseChanges: [.deleteZone(zoneY)])
    let pending = Mutex<[Int]>([])
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .accountChange = event else { return }
        let count = engine.state.pendingRecordZoneChanges.count
        pending.withLock { $0.append(count + engine.state.pendingDatabaseChanges.count) }
      }
    }
    scene.app.forget()
    scene.account.set(.success(nil))
    await scene.app.hears("signOut _ann")
    await scene.app.hears("state")
    #expect(pending.withLock { $0 } == [0])
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    await #expect(throws: CKError(.notAuthenticated)) { try await engine.sendChanges() }
    #expect(scene.app.events == ["signOut _ann"])
  }

  @Test
  func `a sync engine sends one event if the user changed while no engine ran`() async throws {
    let scene = SyncScene()
    try await scene.engine().fetchChanges()
    let state = try #require(scene.app.serialization)
    scene.app.forget()
    scene.account.set(.success("_bob"))
    let engine = scene.engine(state: state)
    try await engine.fetchChanges()
    #expect(scene.app.events.first == "switch _ann _bob")
    #expect(scene.app.events.count == 3)
    #expect(scene.calls.journal.all.last == "database since nil")
  }

  @Test func `a sync engine repeats an account event if the app has stored no state since then`()
    async throws
  {
    let scene = SyncScene()
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        if case .accountChange = event { engine.abandon() }
      }
    }
    try? await scene.engine().fetchChanges()
    #expect(scene.app.serialization == nil)
    scene.app.onEvent.withLock { $0 = { _, _ in } }
    try await scene.engine().fetchChanges()
    #expect(scene.app.events.count { $0 == "signIn _ann" } == 2)
  }

  @Test func `a fetch continues when the same user is reported again`() async throws {
    let scene = SyncScene()
    let account = scene.account
    scene.app.onEvent.withLock {
      $0 = { event, _ in
        if case .willFetchChanges = event { account.set(.success("_ann")) }
      }
    }
    try await scene.engine().fetchChanges()
    #expect(scene.app.events == ["signIn _ann", "will fetch manual", "did fetch manual"])
    #expect(scene.calls.journal.all == ["database since nil"])
  }

  @Test
  func `a sync engine requests the account again if the server cannot be reached`() async throws {
    let scene = SyncScene()
    scene.account.set(.failure(CKError(.networkUnavailable)))
    let engine = scene.engine(automatic: true)
    await scene.clock.someoneSleeps()
    #expect(scene.app.events == [])
    await #expect(throws: CKError(.networkUnavailable)) { try await engine.fetchChanges() }
    scene.account.set(.success("_ann"))
    await scene.app.hears("did fetch scheduled")
  }

  @Test(arguments: [
    CKError.Code.managedAccountRestricted, .internalError, .serverRejectedRequest,
  ])
  func `a sync engine requests the account again until the account can be used`(code: CKError.Code)
    async throws
  {
    let scene = SyncScene()
    scene.account.become(.failure(CKError(code)))
    let engine = scene.engine(automatic: true)
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    await scene.app.hears("state")
    await scene.clock.someoneSleeps()
    await #expect(throws: CKError(code)) { try await engine.fetchChanges() }
    #expect(scene.calls.journal.all == [])
    // The account becomes usable, but no notification is sent.
    scene.account.become(.success("_ann"))
    // NB: advance the clock again and again, because the engine may begin to sleep later.
    let passing = Task {
      while !Task.isCancelled {
        scene.clock.advance(by: 60)
        await Task.yield()
      }
    }
    await scene.app.hears("did send scheduled")
    await scene.app.hears("did fetch scheduled")
    passing.cancel()
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `a sync engine does not send changes of the previous user as another user`()
    async throws
  {
    let server = FakeServer()
    let container = server.container()
    let surroundings = SyncSurroundings(of: container.privateCloudDatabase)
    #expect(try await surroundings.accounts.currentUserRecordName() == FakeServer.userName)
    container.signIn(webAuthToken: "other")
    let outcome = await surroundings.calls.modifyRecords(
      saving: [CKRecord(recordType: "Note", recordID: id("a"))], deleting: [id("b")],
      isAtomic: false, group: CKOperationGroup())
    #expect(outcome.saved.isEmpty && outcome.deleted.isEmpty)
    #expect(outcome.failedSaves.map(\.error.code) == [.notAuthenticated])
    #expect(outcome.failedDeletes.map(\.error.code) == [.notAuthenticated])
    #expect(server.calls.isEmpty)
    // The engine sends again after it has read the new account.
    _ = try await surroundings.accounts.currentUserRecordName()
    _ = await surroundings.calls.modifyRecords(
      saving: [], deleting: [id("b")], isAtomic: false, group: CKOperationGroup())
    #expect(!server.calls.isEmpty)
  }
}
