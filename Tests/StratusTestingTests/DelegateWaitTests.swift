import CloudKit
import StratusTesting
import Synchronization
import Testing

/// A delegate that runs a function when a fetch begins, and ignores all other events.
private final class SlowDelegate: CKSyncEngineDelegate {
  private let onFetch: @Sendable (CKSyncEngine) async -> Void

  init(onFetch: @escaping @Sendable (CKSyncEngine) async -> Void) { self.onFetch = onFetch }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    if case .willFetchChanges = event { await onFetch(syncEngine) }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}

@Suite(.timeLimit(.minutes(15))) struct `A slow delegate of a sync engine` {
  private func engine(_ stage: Stage, _ delegate: SlowDelegate) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: stage.database, stateSerialization: nil, delegate: delegate)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }

  @Test
  func `a slow delegate does not make the clock jump while the app waits for the engine`()
    async throws
  {
    try await withStage { stage in
      let clock = stage.server.clock
      let called = Mutex(false)
      let isToReturn = Mutex(false)
      let delegate = SlowDelegate { _ in
        called.withLock { $0 = true }
        while !isToReturn.withLock({ $0 }) { await Task.yield() }
      }
      let engine = engine(stage, delegate)
      let fetch = Task { try await engine.fetchChanges() }
      while !called.withLock({ $0 }) { await Task.yield() }
      let before = clock.now
      var rounds = 0
      try await stage.server.wait(upTo: .seconds(3_600)) {
        rounds += 1
        return rounds > 100
      }
      #expect(clock.now == before)
      #expect(clock.nextDeadline == nil)
      #expect(clock.sleepersCount == 0)
      isToReturn.withLock { $0 = true }
      try await fetch.value
    }
  }

  /// A delegate that calls `sendChanges()` of its engine in another task and waits for that task,
  /// and a function that returns the error that the call threw.
  private func waitingDelegate() -> (SlowDelegate, error: @Sendable () -> CKError.Code?) {
    let error = Mutexed<CKError.Code?>(nil)
    let delegate = SlowDelegate { engine in
      let work = Task.detached { try await engine.sendChanges() }
      do { try await work.value } catch let caught { error.value = code(caught) }
    }
    return (delegate, { error.value })
  }

  /// Waits until the app and the delegate both wait for the engine.
  ///
  /// NB: if the clock moves earlier, the app is the only waiting caller, and its call times out.
  private func bothWait(_ stage: Stage) async {
    while stage.server.clock.watchersCount < 2 { await Task.yield() }
  }

  @Test
  func `a delegate that waits for its own engine gets an error when no other work remains`()
    async throws
  {
    try await withStage { stage in
      let (delegate, error) = waitingDelegate()
      let engine = engine(stage, delegate)
      let fetch = Task { try await engine.fetchChanges() }
      await bothWait(stage)
      try await stage.server.wait(upTo: .seconds(3_600)) { error() != nil }
      try await fetch.value
      #expect(error() == .invalidArguments)
    }
  }

  @Test
  func `a delegate that waits for its engine gets an error when the test advances the clock`()
    async throws
  {
    try await withStage { stage in
      let (delegate, error) = waitingDelegate()
      let engine = engine(stage, delegate)
      let fetch = Task { try await engine.fetchChanges() }
      await bothWait(stage)
      await stage.server.clock.advance(by: .seconds(59))
      #expect(error() == nil)
      await stage.server.clock.advance(by: .seconds(1))
      try await fetch.value
      #expect(error() == .invalidArguments)
    }
  }
}

/// A value that a delegate sets and a test reads.
private final class Mutexed<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  var value: Value {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }
}
