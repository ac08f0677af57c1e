import Synchronization
import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `A sync engine` {
  /// A server that answers a request for database changes only when the request is cancelled.
  private func slow() -> (SyncScene, begun: Gate, ended: Gate) {
    let scene = SyncScene()
    let (begun, ended) = (Gate(), Gate())
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        begun.open()
        let stream = AsyncStream<Void> { _ in }
        for await _ in stream {}
        ended.open()
        throw CKError(.operationCancelled)
      }
    }
    return (scene, begun, ended)
  }

  @Test func `a call to a sync engine fails if the delegate waits for the call inside an event`()
    async throws
  {
    let scene = SyncScene()
    let errors = Mutex<[CKError.Code?]>([])
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .willFetchChanges = event else { return }
        for work in [{ try await engine.fetchChanges() }, { try await engine.sendChanges() }] {
          do {
            try await work()
            errors.withLock { $0.append(nil) }
          } catch {
            errors.withLock { $0.append(code(error)) }
          }
        }
        await engine.cancelOperations()
      }
    }
    await #expect(throws: CKError(.operationCancelled)) { try await scene.engine().fetchChanges() }
    #expect(errors.withLock { $0 } == [.invalidArguments, .invalidArguments])
  }

  @Test
  func `a sync engine runs work that its delegate requests but does not wait for`() async throws {
    let scene = SyncScene()
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        if case .didFetchChanges = event { Task { try await engine.sendChanges() } }
      }
    }
    let engine = scene.engine()
    try await engine.fetchChanges()
    await scene.app.hears("did send manual")
    #expect(!scene.app.hasOverlapped)
  }

  @Test func `a cancelled sync engine stops its work and keeps the pending changes`() async throws {
    let (scene, begun, _) = slow()
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    let fetch = Task { try await engine.fetchChanges() }
    await begun.pass()
    await engine.cancelOperations()
    await #expect(throws: CKError(.operationCancelled)) { try await fetch.value }
    #expect(scene.app.events.suffix(2) == ["will fetch manual", "did fetch manual"])
    #expect(engine.state.pendingRecordZoneChanges == [save("a")])
    try await engine.sendChanges()
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `a sync engine stops a fetch when the calling task is cancelled`() async throws {
    let (scene, begun, _) = slow()
    let engine = scene.engine()
    let task = Task { try await engine.fetchChanges() }
    await begun.pass()
    task.cancel()
    await #expect(throws: CKError(.operationCancelled)) { try await task.value }
    await scene.app.hears("did fetch manual")
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await engine.sendChanges()
    }
    await #expect(throws: CKError(.operationCancelled)) { try await cancelled.value }
    #expect(!scene.app.events.contains("will send manual"))
  }

  @Test
  func `a sync engine sends automatically after a caller has cancelled a send`() async throws {
    let scene = SyncScene()
    let begun = Gate()
    let isFirst = Mutex(true)
    scene.on { script in
      script.records = { saving, _ in
        var outcome = SyncRecordsOutcome()
        let waits = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if waits {
          begun.open()
          let stream = AsyncStream<Void> { _ in }
          for await _ in stream {}
          outcome.failedSaves = saving.map { ($0, CKError(.operationCancelled)) }
        } else {
          outcome.saved = saving
        }
        return outcome
      }
    }
    let isNew = Mutex(true)
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard line(of: event) == "will send manual" else { return }
        let adds = isNew.withLock { isNew in
          defer { isNew = false }
          return isNew
        }
        if adds { engine.state.add(pendingRecordZoneChanges: [save("a")]) }
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    let sending = Task { try await engine.sendChanges() }
    await begun.pass()
    sending.cancel()
    await #expect(throws: CKError(.operationCancelled)) { try await sending.value }
    await scene.app.hears("did send manual")
    scene.clock.advance(by: 60)
    await scene.app.hears("sent +a")
    await scene.app.hears("did send scheduled")
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `a sync engine runs manual calls after the work that is in progress`() async throws {
    let scene = SyncScene()
    let (begun, gate) = (Gate(), Gate())
    let count = Mutex(0)
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        count.withLock { $0 += 1 }
        begun.open()
        await gate.pass()
        return SyncDatabasePage(token: "d")
      }
    }
    let engine = scene.engine(automatic: true)
    await begun.pass()
    let fetches = (0..<3).map { _ in Task { try await engine.fetchChanges() } }
    gate.open()
    for fetch in fetches { try await fetch.value }
    let events = scene.app.events
    #expect(events.contains("did fetch manual"))
    let isPaired = stride(from: 1, to: events.count - 1, by: 2).allSatisfy {
      events[$0].hasPrefix("will fetch") && events[$0 + 1].hasPrefix("did fetch")
    }
    #expect(isPaired, "\(events)")
  }

  @Test func `a sync engine is released when its last owner releases it`() async throws {
    let (scene, begun, ended) = slow()
    weak var gone: CKSyncEngine?
    do {
      let engine = scene.engine(automatic: true)
      gone = engine
      await begun.pass()
    }
    await ended.pass()
    #expect(gone == nil)
    #expect(scene.app.events == ["signIn _ann", "will fetch scheduled"])
  }

  @Test func `a sync engine for the public database fails with badDatabase`() async throws {
    let scene = SyncScene()
    let engine = scene.engine(automatic: true, scope: .public)
    for work in [{ try await engine.fetchChanges() }, { try await engine.sendChanges() }] {
      let error = await #expect(throws: CKError.self) { try await work() }
      #expect(error?.code == .badDatabase)
    }
    #expect(scene.calls.journal.all == [])
  }
}
