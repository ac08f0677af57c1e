import Synchronization
import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `A fetch by a sync engine` {
  /// A scene in which zone Z has two pages of records and zone Y has no record.
  private func scene() -> SyncScene {
    let scene = SyncScene()
    scene.on { script in
      script.database = { (token) async throws(CKError) in
        switch token {
        case nil:
          SyncDatabasePage(modifications: [zoneZ, zoneY], token: "d1", moreComing: true)
        case _: SyncDatabasePage(token: "d2")
        }
      }
      script.zone = { (zoneID, token) async throws(CKError) in
        if zoneID == zoneY { return SyncZonePage(token: "y1") }
        return switch token {
        case nil: SyncZonePage(records: [note("a"), note("b")], token: "z1", moreComing: true)
        case "z1":
          SyncZonePage(
            records: [note("c")], deletions: [.init(recordID: id("x"), recordType: "Note")],
            token: "z2")
        case _: SyncZonePage(token: "z2")
        }
      }
    }
    return scene
  }

  @Test
  func `a fetch sends its events in order, and each new state before the next event`() async throws
  {
    let scene = scene()
    try await scene.engine().fetchChanges()
    #expect(
      scene.app.lines == [
        "signIn _ann", "state", "will fetch manual", "zones +Z +Y", "state", "state", "will Z",
        "records +a +b", "state", "records +c -x", "state", "did Z", "will Y", "state", "did Y",
        "did fetch manual",
      ])
    #expect(
      scene.calls.journal.all == [
        "database since nil", "database since d1", "zone Z since nil", "zone Z since z1",
        "zone Y since nil",
      ])
    #expect(!scene.app.hasOverlapped)
  }

  @Test func `a fetch continues from the stored state of the sync engine`() async throws {
    let scene = scene()
    try await scene.engine().fetchChanges()
    let saved = try #require(scene.app.serialization)
    scene.app.forget()
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        SyncDatabasePage(modifications: [zoneZ], token: "d3")
      }
    }
    try await scene.engine(state: saved).fetchChanges()
    #expect(
      scene.calls.journal.all.dropFirst(5) == ["database since d2", "zone Z since z2"])
    #expect(!scene.app.lines.contains("signIn _ann"))
  }

  @Test func `a fetch requests a page while the delegate handles the previous page`() async throws {
    let scene = scene()
    let gate = Gate()
    let zone = scene.calls.script.withLock { $0.zone }
    scene.on { script in
      script.zone = { (zoneID, token) async throws(CKError) in
        if token == "z1" { gate.open() }
        return try await zone(zoneID, token)
      }
    }
    scene.app.onEvent.withLock {
      $0 = { event, _ in if line(of: event) == "records +a +b" { await gate.pass() } }
    }
    try await scene.engine().fetchChanges()
    #expect(scene.app.lines.contains("records +c -x"))
  }

  @Test
  func `a fetch stores a token only after the delegate has handled the changes up to the token`()
    async throws
  {
    let scene = scene()
    let app = scene.app
    let tokens = Mutex<[String: String?]>([:])
    app.onEvent.withLock {
      $0 = { event, _ in
        let known = app.serialization?.saved.zoneTokens[zoneZ]
        tokens.withLock { $0[line(of: event)] = known }
      }
    }
    try await scene.engine().fetchChanges()
    let found = tokens.withLock { $0 }
    #expect(found["records +a +b"] == .some(nil))
    #expect(found["records +c -x"] == .some("z1"))
    #expect(found["did Z"] == .some("z2"))
  }

  @Test
  func `a failed fetch throws its error and still sends the events that end a fetch`() async throws
  {
    let scene = scene()
    scene.on { script in
      script.zone = { (_, _) async throws(CKError) in throw CKError(.networkFailure) }
    }
    await #expect(throws: CKError(.networkFailure)) { try await scene.engine().fetchChanges() }
    #expect(
      scene.app.events == [
        "signIn _ann", "will fetch manual", "zones +Z +Y", "will Z", "did Z networkFailure",
        "did fetch manual",
      ])
  }

  /// Expects that a fetch throws a partial failure. Returns the errors of the zones.
  private func zoneErrors(
    of call: () async throws -> Void
  ) async -> [AnyHashable: CKError.Code?] {
    let error = await #expect(throws: CKError.self) { try await call() }
    #expect(error?.code == .partialFailure)
    return (error?.partialErrorsByItemID ?? [:]).mapValues { code($0) }
  }

  @Test func `a fetch reports the zone in which the server repeats a token`() async throws {
    let scene = scene()
    scene.on { script in
      script.zone = { (_, _) async throws(CKError) in
        SyncZonePage(records: [note("a")], token: "z1", moreComing: true)
      }
    }
    await #expect(throws: CKError.self) { try await scene.engine().fetchChanges() }
    #expect(
      scene.app.events.suffix(4) == [
        "records +a", "records +a", "did Z \(CKError.badAnswer.code)", "did fetch manual",
      ])
  }

  @Test func `a fetch reports the zone whose fetch was cancelled between pages`() async throws {
    let scene = scene()
    let begun = Gate()
    scene.on { script in
      script.zone = { (_, _) async throws(CKError) in
        begun.open()
        let stream = AsyncStream<Void> { _ in }
        for await _ in stream {}
        return SyncZonePage(records: [note("a")], token: "z1", moreComing: true)
      }
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await begun.pass()
    fetch.cancel()
    await #expect(throws: CKError(.operationCancelled)) { try await fetch.value }
    await scene.app.hears("did fetch manual")
    #expect(
      scene.app.events.suffix(3) == ["records +a", "did Z operationCancelled", "did fetch manual"])
  }

  /// A scene in which zone Z cannot be read and zone Y has more than one page.
  private func sceneOfFailingZone(
    beforeAnswer: @escaping @Sendable () async -> Void = {}
  ) -> SyncScene {
    let scene = scene()
    scene.on { script in
      script.zone = { (zoneID, token) async throws(CKError) in
        if zoneID == zoneZ { throw CKError(.internalError) }
        if token == nil { await beforeAnswer() }
        return SyncZonePage(
          records: [note(token ?? "k", in: zoneY)], token: "y1", moreComing: token == nil)
      }
    }
    return scene
  }

  @Test func `a fetch reports a cancelled zone as cancelled, and a failed zone with its error`()
    async throws
  {
    let begun = Gate()
    let scene = sceneOfFailingZone {
      begun.open()
      let stream = AsyncStream<Void> { _ in }
      for await _ in stream {}
    }
    let engine = scene.engine()
    let fetch = Task { try await engine.fetchChanges() }
    await begun.pass()
    await engine.cancelOperations()
    await #expect(throws: CKError(.operationCancelled)) { try await fetch.value }
    #expect(
      scene.app.events.dropFirst(3) == [
        "will Z", "did Z internalError", "will Y", "records +k", "did Y operationCancelled",
        "did fetch manual",
      ])
  }

  @Test func `a fetch throws the error of a failed zone, but not of an interrupted zone`()
    async throws
  {
    let scene = sceneOfFailingZone()
    let zoneW = CKRecordZone.ID(zoneName: "W")
    let zone = scene.calls.script.withLock { $0.zone }
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        SyncDatabasePage(modifications: [zoneZ, zoneY, zoneW], token: "d1")
      }
      script.zone = { (zoneID, token) async throws(CKError) in
        if zoneID == zoneW { return SyncZonePage(token: "w1") }
        return try await zone(zoneID, token)
      }
    }
    let asked = Mutex(0)
    scene.app.onOptions.withLock {
      $0 = { context in
        // The engine asks for options before each request: the database, zone Z, zone Y, and the
        // second page of zone Y.
        let isLast = asked.withLock { count in
          count += 1
          return count >= 4
        }
        var options = context.options
        if isLast { options.prioritizedZoneIDs = [zoneW] }
        return options
      }
    }
    let errors = await zoneErrors { try await scene.engine().fetchChanges() }
    #expect(errors == [zoneZ: .internalError])
    #expect(
      scene.app.events.dropFirst(3) == [
        "will Z", "did Z internalError", "will Y", "records +k", "did Y", "will W", "did W",
        "will Y", "records +y1", "did Y", "did fetch manual",
      ])
  }

  @Test
  func `a fetch continues with the next zone after a zoneNotFound error, and throws the error`()
    async throws
  {
    let scene = scene()
    scene.on { script in
      script.zone = { (zoneID, _) async throws(CKError) in
        if zoneID == zoneZ { throw CKError(.zoneNotFound) }
        return SyncZonePage(records: [note("k", in: zoneY)], token: "y1")
      }
    }
    let engine = scene.engine()
    let errors = await zoneErrors { try await engine.fetchChanges() }
    #expect(errors == [zoneZ: .zoneNotFound])
    #expect(
      scene.app.events.dropFirst(3) == [
        "will Z", "did Z zoneNotFound", "will Y", "records +k", "did Y", "did fetch manual",
      ])
    #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [zoneZ])
  }

  @Test
  func `a fetch reports a recreated zone as deleted, then as changed`()
    async throws
  {
    let scene = scene()
    let zone = scene.calls.script.withLock { $0.zone }
    let hasExpired = Mutex(false)
    scene.on { script in
      script.database = { (token) async throws(CKError) in
        switch token {
        case nil:
          SyncDatabasePage(
            modifications: [zoneZ, zoneY], incarnations: [zoneZ: "1", zoneY: "2"], token: "d1")
        case _:
          SyncDatabasePage(modifications: [zoneZ], incarnations: [zoneZ: "3"], token: "d2")
        }
      }
      script.zone = { (zoneID, token) async throws(CKError) in
        let isNow = hasExpired.withLock { hasExpired in
          defer { if token == "z1" { hasExpired = true } }
          return token == "z1" && !hasExpired
        }
        if isNow { throw CKError(.changeTokenExpired) }
        return try await zone(zoneID, token)
      }
    }
    try await scene.engine().fetchChanges()
    #expect(
      scene.app.events.dropFirst(3) == [
        "will Z", "records +a +b", "did Z changeTokenExpired", "zones -Z", "zones +Z", "will Y",
        "did Y", "will Z", "records +a +b", "records +c -x", "did Z", "did fetch manual",
      ])
  }

  @Test
  func `a fetch delivers the readable records of a zone and reports the unreadable record`()
    async throws
  {
    let scene = scene()
    scene.on { script in
      script.zone = { (_, _) async throws(CKError) in
        SyncZonePage(records: [note("a")], recordError: CKError(.assetNotAvailable), token: "z1")
      }
    }
    let errors = await zoneErrors {
      try await scene.engine().fetchChanges(.init(scope: .zoneIDs([zoneZ])))
    }
    #expect(errors == [zoneZ: .assetNotAvailable])
    #expect(scene.app.events.contains("did Z assetNotAvailable"))
    #expect(scene.app.events.contains("records +a"))
  }

  @Test func `a fetch asks the delegate for its fetch options between requests`() async throws {
    let scene = scene()
    let asked = Mutex(0)
    scene.app.onOptions.withLock {
      $0 = { context in
        asked.withLock { $0 += 1 }
        var options = context.options
        options.prioritizedZoneIDs = [zoneY]
        return options
      }
    }
    try await scene.engine().fetchChanges()
    #expect(
      scene.calls.journal.all == [
        "database since nil", "database since d1", "zone Y since nil", "zone Z since nil",
        "zone Z since z1",
      ])
    #expect(asked.withLock { $0 } >= 5)
  }

  @Test
  func `a fetch leaves the changes of zones outside its scope for a later fetch`() async throws {
    let scene = scene()
    let engine = scene.engine()
    try await engine.fetchChanges(.init(scope: .allExcluding([zoneZ])))
    #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [zoneZ])
    scene.app.forget()
    try await engine.fetchChanges()
    #expect(scene.app.events.contains("records +a +b"))
    #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
  }

  /// The data that an app has stored before its process dies.
  private struct Disk {
    var names: Set<String> = []
    var state: CKSyncEngine.State.Serialization?
    var eventsLeft = 0
    var isDead = false
  }

  @Test func `no change is lost if the process dies at any event of a fetch`() async throws {
    for dying in 0..<16 {
      let scene = scene()
      let disk = Mutex(Disk(names: ["x"], eventsLeft: dying))
      scene.app.onEvent.withLock {
        $0 = { event, engine in
          let dies = disk.withLock { disk in
            disk.eventsLeft -= 1
            return disk.eventsLeft == -1
          }
          if dies { return engine.abandon() }
          disk.withLock { disk in
            switch event {
            case .stateUpdate(let update): disk.state = update.stateSerialization
            case .fetchedRecordZoneChanges(let changes):
              disk.names.formUnion(changes.modifications.map(\.record.recordID.recordName))
              disk.names.subtract(changes.deletions.map(\.recordID.recordName))
            case _: break
            }
          }
        }
      }
      try? await scene.engine().fetchChanges()
      let state = disk.withLock { disk in
        disk.eventsLeft = .max
        return disk.state
      }
      try await scene.engine(state: state).fetchChanges()
      #expect(disk.withLock { $0.names } == ["a", "b", "c"], "the process died at event \(dying)")
    }
  }
}
