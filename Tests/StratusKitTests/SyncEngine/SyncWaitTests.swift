import Synchronization
import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `Delegates that wait for their sync engine` {
  /// The error that a delegate got from the call for which the delegate waited.
  private final class Told: Sendable {
    private let state = Mutex<CKError.Code?>(nil)

    var error: CKError.Code? {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  /// Holds a task for a delegate that awaits it. The delegate gets the holder before the task is
  /// created.
  private final class Waiting: Sendable {
    private let task = Mutex<Task<Void, any Error>?>(nil)

    func begin(_ task: Task<Void, any Error>) { self.task.withLock { $0 = task } }

    func end() async throws { try await task.withLock { $0 }?.value }
  }

  /// Makes a scene's delegate run a body at an event. The returned object gets the code of the
  /// error that the body throws.
  private func wait(
    at event: String, in scene: SyncScene,
    _ body: @escaping @Sendable (CKSyncEngine) async throws -> Void
  ) -> Told {
    let told = Told()
    scene.app.onEvent.withLock {
      $0 = { seen, engine in
        guard line(of: seen) == event else { return }
        do { try await body(engine) } catch { told.error = code(error) }
      }
    }
    return told
  }

  @Test func `a call that a delegate awaits in a child task fails after a minute`() async throws {
    let scene = SyncScene()
    let told = wait(at: "will fetch manual", in: scene) { engine in
      async let result: Void = engine.sendChanges()
      try await result
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await scene.clock.someoneSleeps(2)
    #expect(scene.clock.dues == [60, 60])
    scene.clock.advance(by: 60)
    try await fetch.value
    #expect(told.error == .invalidArguments)
  }

  @Test
  func `a call that a delegate awaits in a detached task fails after a minute`() async throws {
    let scene = SyncScene()
    let told = wait(at: "will fetch manual", in: scene) { engine in
      try await Task.detached { try await engine.sendChanges() }.value
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await scene.clock.someoneSleeps(2)
    #expect(scene.clock.dues == [60, 60])
    scene.clock.advance(by: 60)
    try await fetch.value
    #expect(told.error == .invalidArguments)
    #expect(scene.app.events.last == "did fetch manual")
  }

  @Test
  func `a call that a delegate awaits fails even if the call began before the event`() async throws
  {
    let scene = SyncScene()
    let (asked, answer, isCalled) = (Gate(), Gate(), Gate())
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        asked.open()
        await answer.pass()
        return SyncDatabasePage(token: "d")
      }
    }
    let earlier = Waiting()
    let told = wait(at: "did fetch manual", in: scene) { _ in
      isCalled.open()
      try await earlier.end()
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await asked.pass()
    earlier.begin(Task { try await engine.sendChanges() })
    await scene.clock.someoneSleeps(2)
    scene.clock.advance(by: 50)
    answer.open()
    await isCalled.pass()
    scene.clock.advance(by: 10)
    await scene.clock.someoneSleeps(2)
    #expect(scene.clock.dues == [110, 170])
    scene.clock.advance(by: 50)
    try await fetch.value
    #expect(told.error == .invalidArguments)
    #expect(scene.app.events.last == "did fetch manual")
  }

  @Test
  func `a delegate that awaits the fetch in progress gets an error after two minutes`() async throws
  {
    let scene = SyncScene()
    let isCalled = Gate()
    let fetch = Waiting()
    let told = wait(at: "will fetch manual", in: scene) { _ in
      await isCalled.pass()
      try await fetch.end()
    }
    let engine = scene.engine()
    fetch.begin(Task { try await engine.fetchChanges() })
    await scene.app.hears("signIn _ann")
    isCalled.open()
    await scene.clock.someoneSleeps()
    scene.clock.advance(by: 60)
    await scene.clock.someoneSleeps()
    #expect(scene.clock.dues == [120])
    scene.clock.advance(by: 60)
    await scene.app.hears("did fetch manual")
    #expect(told.error == .invalidArguments)
    try await engine.sendChanges()
  }

  @Test func `a call of the app that is in progress fails only after two minutes`() async throws {
    let scene = SyncScene()
    let (isCalled, isOver) = (Gate(), Gate())
    _ = wait(at: "will fetch manual", in: scene) { _ in
      isCalled.open()
      await isOver.pass()
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await isCalled.pass()
    await scene.clock.someoneSleeps()
    scene.clock.advance(by: 59)
    let first = Task { try await engine.sendChanges() }
    await scene.clock.someoneSleeps(2)
    scene.clock.advance(by: 1)
    await scene.clock.someoneSleeps(2)
    #expect(scene.clock.dues == [119, 120])
    scene.clock.advance(by: 58)
    let second = Task { try await engine.sendChanges(.init(scope: .zoneIDs([zoneY]))) }
    await scene.clock.someoneSleeps(3)
    scene.clock.advance(by: 1)
    let error = await #expect(throws: CKError.self) { try await first.value }
    #expect(error?.code == .invalidArguments)
    await scene.clock.someoneSleeps(2)
    #expect(scene.clock.dues == [120, 178])
    scene.clock.advance(by: 1)
    await #expect(throws: CKError.self) { try await fetch.value }
    isOver.open()
    try await second.value
  }

  @Test
  func `a cancelOperations call that a delegate awaits returns after a minute`() async throws {
    let scene = SyncScene()
    let told = wait(at: "will fetch manual", in: scene) { engine in
      await Task.detached { await engine.cancelOperations() }.value
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await scene.clock.someoneSleeps(2)
    #expect(scene.clock.dues == [60, 60])
    scene.clock.advance(by: 60)
    await #expect(throws: CKError(.operationCancelled)) { try await fetch.value }
    #expect(scene.app.events.last == "did fetch manual")
    #expect(told.error == nil)
    try await engine.sendChanges()
  }

  @Test func `a call to a sync engine cancels its time-out before it returns`() async throws {
    let scene = SyncScene()
    let engine = scene.engine()
    try await engine.fetchChanges()
    try await engine.sendChanges()
    #expect(scene.clock.dues == [])
  }

  @Test func `a call to a sync engine does not time out while the server is slow`() async throws {
    let scene = SyncScene()
    let engine = scene.engine()
    let (begun, answer) = (Gate(), Gate())
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        begun.open()
        await answer.pass()
        return SyncDatabasePage(token: "d")
      }
    }
    let fetch = Task { try await engine.fetchChanges() }
    await begun.pass()
    for _ in 0..<3 {
      await scene.clock.someoneSleeps()
      scene.clock.advance(by: 60)
    }
    await scene.clock.someoneSleeps()
    answer.open()
    try await fetch.value
    #expect(scene.clock.dues == [])
  }

  @Test
  func `a call to a sync engine does not time out during several slow events of the delegate`()
    async throws
  {
    let scene = SyncScene()
    let (begun, first, isNext, second) = (Gate(), Gate(), Gate(), Gate())
    scene.app.onEvent.withLock {
      $0 = { event, _ in
        if case .willFetchChanges = event {
          begun.open()
          await first.pass()
        }
        if case .didFetchChanges = event {
          isNext.open()
          await second.pass()
        }
      }
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await begun.pass()
    let sending = Task { try await engine.sendChanges() }
    await scene.clock.someoneSleeps(2)
    scene.clock.advance(by: 59)
    first.open()
    await isNext.pass()
    scene.clock.advance(by: 59)
    second.open()
    try await fetch.value
    try await sending.value
    #expect(scene.app.events.last == "did send manual")
  }
}
