import StratusTransport
import Synchronization
import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `A send by a sync engine` {
  @Test func `a send reports its events in order, with zones before records`() async throws {
    let scene = SyncScene()
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a"), delete("b"), save("c")])
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneZ))])
    try await engine.sendChanges()
    #expect(
      scene.app.events == [
        "signIn _ann", "will send manual", "sent zones +Z", "sent +a +c -b", "did send manual",
      ])
    #expect(scene.calls.journal.all == ["zones +Z", "records +a +c -b"])
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    #expect(engine.state.pendingDatabaseChanges.isEmpty)
    #expect(scene.app.lines.last == "did send manual")
    let stored = SyncState(scene.app.serialization?.saved)
    #expect(stored.records.isEmpty)
  }

  @Test
  func `a send keeps changes in the stored state until the delegate has their result`() async throws
  {
    let scene = SyncScene()
    let app = scene.app
    let engine = scene.engine()
    let known = Mutex<[Int]>([])
    app.onEvent.withLock {
      $0 = { event, _ in
        guard case .sentRecordZoneChanges = event else { return }
        let state = SyncState(app.serialization?.saved)
        known.withLock { $0.append(state.records.count) }
      }
    }
    engine.state.add(pendingRecordZoneChanges: (0..<500).map { save("r\($0)") })
    try await engine.sendChanges()
    #expect(known.withLock { $0 } == [500, 100])
  }

  /// Makes the first request that saves records fail for the named records. Nil means all records.
  private func failFirst(
    _ code: CKError.Code, of names: Set<String>? = nil, in scene: SyncScene
  ) {
    let isFirst = Mutex(true)
    scene.on { script in
      script.records = { saving, deleting in
        let fails = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        var outcome = SyncRecordsOutcome()
        for record in saving {
          if fails, names?.contains(record.recordID.recordName) ?? true {
            outcome.failedSaves.append((record, CKError(code)))
          } else {
            outcome.saved.append(record)
          }
        }
        outcome.deleted = deleting
        return outcome
      }
    }
  }

  /// Makes the delegate add every failed save again, and add a missing zone, too.
  private func addAgain(in scene: SyncScene) {
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        for failed in sent.failedRecordSaves {
          let recordID = failed.record.recordID
          if failed.error.code == .zoneNotFound {
            engine.state.add(
              pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: recordID.zoneID))])
          }
          engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        }
      }
    }
  }

  /// Expects that a call throws a partial failure. Returns the errors of the items.
  private func itemErrors(
    of call: () async throws -> Void
  ) async -> [AnyHashable: CKError.Code?] {
    let error = await #expect(throws: CKError.self) { try await call() }
    #expect(error?.code == .partialFailure)
    return (error?.partialErrorsByItemID ?? [:]).mapValues { code($0) }
  }

  @Test
  func `a send removes a conflicting change, and a re-added change waits for the next send`()
    async throws
  {
    let scene = SyncScene()
    failFirst(.serverRecordChanged, in: scene)
    let isPending = Mutex<[Bool]>([])
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        isPending.withLock { $0.append(!engine.state.pendingRecordZoneChanges.isEmpty) }
        let failed = sent.failedRecordSaves.map(\.record.recordID)
        engine.state.add(pendingRecordZoneChanges: failed.map { .saveRecord($0) })
      }
    }
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    let errors = await itemErrors { try await engine.sendChanges() }
    #expect(errors == [id("a"): .serverRecordChanged])
    #expect(scene.app.events.dropFirst(2) == ["sent !a:serverRecordChanged", "did send manual"])
    #expect(engine.state.pendingRecordZoneChanges == [save("a")])
    scene.app.forget()
    try await engine.sendChanges()
    #expect(scene.app.events == ["will send manual", "sent +a", "did send manual"])
    #expect(isPending.withLock { $0 } == [false, false])
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  /// The tests of Apple's sample app use a database of 444 contacts.
  @Test func `a send of 444 records fails without a zone, and succeeds after the zone is added`()
    async throws
  {
    let scene = SyncScene()
    failFirst(.zoneNotFound, in: scene)
    addAgain(in: scene)
    let engine = scene.engine()
    let saves = (0..<444).map { save("r\($0)") }
    engine.state.add(pendingRecordZoneChanges: saves)
    let errors = await itemErrors { try await engine.sendChanges() }
    #expect(errors.count == 400)
    #expect(Set(errors.values) == [.zoneNotFound])
    #expect(scene.calls.journal.all.count == 1)
    #expect(Set(engine.state.pendingRecordZoneChanges) == Set(saves))
    #expect(engine.state.pendingDatabaseChanges == [.saveZone(CKRecordZone(zoneID: zoneZ))])
    try await engine.sendChanges()
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    #expect(engine.state.pendingDatabaseChanges.isEmpty)
    #expect(scene.calls.journal.all.dropFirst().first == "zones +Z")
  }

  @Test
  func `a send continues with the other pending changes after one change has failed`() async throws
  {
    let scene = SyncScene()
    failFirst(.serverRecordChanged, of: ["r0"], in: scene)
    addAgain(in: scene)
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: (0..<900).map { save("r\($0)") })
    let errors = await itemErrors { try await engine.sendChanges() }
    #expect(errors == [id("r0"): .serverRecordChanged])
    #expect(engine.state.pendingRecordZoneChanges == [save("r0")])
    #expect(scene.calls.journal.all.count == 3)
  }

  @Test func `a change that is added after a failed change waits for the next send`() async throws {
    let scene = SyncScene()
    failFirst(.unknownItem, of: ["a"], in: scene)
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .sentRecordZoneChanges(let sent) = event, !sent.failedRecordSaves.isEmpty
        else { return }
        engine.state.add(pendingRecordZoneChanges: [save("other"), delete("old")])
      }
    }
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a"), save("b")])
    let errors = await itemErrors { try await engine.sendChanges() }
    #expect(errors == [id("a"): .unknownItem])
    #expect(scene.calls.journal.all == ["records +a +b"])
    try await engine.sendChanges()
    #expect(scene.calls.journal.all == ["records +a +b", "records +other -old"])
  }

  @Test func `a send skips an atomic batch of a zone if a record of the batch has failed before`()
    async throws
  {
    let scene = SyncScene()
    failFirst(.serverRecordChanged, of: ["a"], in: scene)
    addAgain(in: scene)
    scene.app.onBatch.withLock {
      $0 = { context, engine in
        let pending = engine.state.pendingRecordZoneChanges
        let changes = scene.calls.journal.all.isEmpty ? [save("a")] : pending
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) {
          CKRecord(recordType: "Note", recordID: $0)
        }
        batch?.atomicByZone = true
        return batch
      }
    }
    let engine = scene.engine()
    engine.state.add(
      pendingRecordZoneChanges: [save("a"), save("b"), save("c", in: zoneY)])
    _ = await itemErrors { try await engine.sendChanges() }
    #expect(scene.calls.journal.all == ["records +a", "records +c"])
    #expect(Set(engine.state.pendingRecordZoneChanges) == [save("a"), save("b")])
  }

  @Test func `a send throws the reason why a zone was not saved`() async throws {
    let scene = SyncScene()
    scene.on { script in
      script.zones = { (saving, _) async throws(CKError) in
        var outcome = SyncZonesOutcome()
        outcome.failedSaves = saving.map { ($0, CKError(.quotaExceeded)) }
        return outcome
      }
    }
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .sentDatabaseChanges(let sent) = event else { return }
        engine.state.add(pendingDatabaseChanges: sent.failedZoneSaves.map { .saveZone($0.zone) })
      }
    }
    let engine = scene.engine()
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneZ))])
    let errors = await itemErrors { try await engine.sendChanges() }
    #expect(errors == [zoneZ: .quotaExceeded])
    #expect(scene.calls.journal.all == ["zones +Z"])
    #expect(engine.state.pendingDatabaseChanges == [.saveZone(CKRecordZone(zoneID: zoneZ))])
  }

  @Test func `an automatic sync engine sends re-added changes in its next send`() async throws {
    let scene = SyncScene()
    failFirst(.serverRecordChanged, in: scene)
    addAgain(in: scene)
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    await scene.app.hears("did send scheduled", times: 2)
    #expect(
      scene.app.events.suffix(6) == [
        "will send scheduled", "sent !a:serverRecordChanged", "did send scheduled",
        "will send scheduled", "sent +a", "did send scheduled",
      ])
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test
  func `a send saves a missing zone that the delegate adds after a failed send`() async throws {
    let scene = SyncScene()
    let hasZone = Mutex(false)
    scene.on { script in
      script.zones = { (saving, _) async throws(CKError) in
        hasZone.withLock { $0 = true }
        var outcome = SyncZonesOutcome()
        outcome.saved = saving
        return outcome
      }
      script.records = { saving, _ in
        var outcome = SyncRecordsOutcome()
        if hasZone.withLock({ $0 }) {
          outcome.saved = saving
        } else {
          outcome.failedSaves = saving.map { ($0, CKError(.zoneNotFound)) }
        }
        return outcome
      }
    }
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        for failed in sent.failedRecordSaves {
          let recordID = failed.record.recordID
          engine.state.add(
            pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: recordID.zoneID))])
          engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        }
      }
    }
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    let errors = await itemErrors { try await engine.sendChanges() }
    #expect(errors == [id("a"): .zoneNotFound])
    try await engine.sendChanges()
    #expect(
      scene.app.events.dropFirst(2) == [
        "sent !a:zoneNotFound", "did send manual", "will send manual", "sent zones +Z", "sent +a",
        "did send manual",
      ])
  }

  @Test
  func `a send keeps changes pending after a retryable error, and throws the error`() async throws {
    let scene = SyncScene()
    scene.on { script in
      script.records = { saving, _ in
        var outcome = SyncRecordsOutcome()
        outcome.saved = [saving[0]]
        outcome.failedSaves = [(saving[1], CKError(.zoneBusy))]
        return outcome
      }
    }
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a"), save("b")])
    await #expect(throws: CKError(.zoneBusy)) { try await engine.sendChanges() }
    #expect(scene.app.events.dropFirst(2) == ["sent +a !b:zoneBusy", "did send manual"])
    #expect(engine.state.pendingRecordZoneChanges == [save("b")])
  }

  @Test
  func `a send without an encryption key sends the other records and does not check the account`()
    async throws
  {
    let scene = SyncScene()
    scene.on { script in
      script.records = { saving, _ in
        var outcome = SyncRecordsOutcome()
        for record in saving {
          if record.recordID.recordName.hasPrefix("secret") {
            outcome.failedSaves.append((record, CKError(KeyFailure.missing)))
          } else {
            outcome.saved.append(record)
          }
        }
        return outcome
      }
    }
    let engine = scene.engine()
    let secrets = (0..<450).map { save("secret\($0)") }
    engine.state.add(pendingRecordZoneChanges: secrets + [save("a"), save("b")])
    let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(error?.localizedDescription.contains("stratus keys import") == true)
    #expect(Set(engine.state.pendingRecordZoneChanges) == Set(secrets))
    #expect(scene.calls.journal.all.count <= 4)
    #expect(scene.app.events.last == "did send manual")
    // A missing encryption key does not make an automatic engine fetch again.
    let state = scene.app.serialization
    scene.app.forget()
    let next = scene.engine(automatic: true, state: state)
    await scene.app.hears("did fetch scheduled")
    await scene.app.hears("did send scheduled")
    await scene.clock.someoneSleeps()
    next.state.add(pendingRecordZoneChanges: [save("c")])
    await scene.app.hears("did send scheduled", times: 2)
    #expect(scene.app.events.count { $0 == "did fetch scheduled" } == 1)
    #expect(Set(next.state.pendingRecordZoneChanges) == Set(secrets))
  }

  @Test func `a send saves a record again if the record changed during its save`() async throws {
    let scene = SyncScene()
    let engine = scene.engine()
    let isFirst = Mutex(true)
    scene.on { script in
      script.records = { [weak engine] saving, _ in
        let adds = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if adds { engine?.state.add(pendingRecordZoneChanges: [save("a")]) }
        var outcome = SyncRecordsOutcome()
        outcome.saved = saving
        return outcome
      }
    }
    engine.state.add(pendingRecordZoneChanges: [save("a"), save("b")])
    try await engine.sendChanges()
    #expect(scene.calls.journal.all == ["records +a +b", "records +a"])
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test
  func `a send asks the delegate for batches if the app keeps its own list of changes`()
    async throws
  {
    let scene = SyncScene()
    let batches = Mutex([[note("u")], []])
    scene.app.onBatch.withLock {
      $0 = { _, _ in
        CKSyncEngine.RecordZoneChangeBatch(
          recordsToSave: batches.withLock { $0.removeFirst() })
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    engine.state.hasPendingUntrackedChanges = true
    await scene.app.hears("did send scheduled")
    #expect(scene.app.events.suffix(3) == ["will send scheduled", "sent +u", "did send scheduled"])
    #expect(engine.state.hasPendingUntrackedChanges)
  }

  @Test func `a send with a scope sends only the changes in the scope`() async throws {
    let scene = SyncScene()
    let engine = scene.engine()
    engine.state.add(pendingRecordZoneChanges: [save("a"), save("b", in: zoneY)])
    try await engine.sendChanges(.init(scope: .zoneIDs([zoneY])))
    #expect(scene.calls.journal.all == ["records +b"])
    #expect(engine.state.pendingRecordZoneChanges == [save("a")])
  }

  @Test func `a sync engine stops asking for changes that the delegate skips`() async throws {
    let scene = SyncScene()
    scene.app.onBatch.withLock {
      $0 = { _, engine in
        await CKSyncEngine.RecordZoneChangeBatch(
          pendingChanges: engine.state.pendingRecordZoneChanges
        ) { _ in nil }
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    await scene.app.hears("did send scheduled")
    try await engine.fetchChanges()
    #expect(scene.app.events.count { $0 == "will send scheduled" } == 1)
    #expect(engine.state.pendingRecordZoneChanges == [save("a")])
  }

  @Test
  func `an automatic sync engine slows down when the delegate keeps adding refused changes`()
    async throws
  {
    let scene = SyncScene()
    scene.on { script in
      script.records = { saving, _ in
        var outcome = SyncRecordsOutcome()
        outcome.failedSaves = saving.map { ($0, CKError(.invalidArguments)) }
        return outcome
      }
    }
    scene.app.onEvent.withLock {
      $0 = { event, engine in
        guard case .sentRecordZoneChanges = event else { return }
        engine.state.add(pendingRecordZoneChanges: [save("a")])
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    engine.state.add(pendingRecordZoneChanges: [save("a")])
    await scene.clock.someoneSleeps()
    #expect(scene.calls.journal.all.count { $0 == "records +a" } == 2)
    #expect(scene.clock.dues == [0.5])
    scene.clock.advance(by: 0.5)
    await scene.app.hears("did send scheduled", times: 3)
    await scene.clock.someoneSleeps()
    #expect(scene.calls.journal.all.count { $0 == "records +a" } == 3)
    #expect(scene.clock.dues == [1.5])
    withExtendedLifetime(engine) {}
  }

  @Test func `no change is lost if the process dies at any event of a send`() async throws {
    for dying in 0..<12 {
      let scene = SyncScene()
      let server = Mutex<Set<String>>(["old"])
      scene.on { script in
        script.records = { saving, deleting in
          server.withLock { server in
            server.formUnion(saving.map(\.recordID.recordName))
            server.subtract(deleting.map(\.recordName))
          }
          var outcome = SyncRecordsOutcome()
          (outcome.saved, outcome.deleted) = (saving, deleting)
          return outcome
        }
      }
      let disk = Mutex<(state: CKSyncEngine.State.Serialization?, left: Int)>((nil, dying))
      scene.app.onEvent.withLock {
        $0 = { event, engine in
          let dies = disk.withLock { disk in
            disk.left -= 1
            if disk.left != -1, case .stateUpdate(let update) = event {
              disk.state = update.stateSerialization
            }
            return disk.left == -1
          }
          if dies { engine.abandon() }
        }
      }
      let engine = scene.engine()
      engine.state.add(pendingRecordZoneChanges: [save("a"), delete("old")])
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneZ))])
      try? await engine.sendChanges()
      let state = disk.withLock { disk in
        disk.left = .max
        return disk.state
      }
      // NB: an app that has not stored a state yet adds its changes again.
      let next = scene.engine(state: state)
      if state == nil { next.state.add(pendingRecordZoneChanges: [save("a"), delete("old")]) }
      try await next.sendChanges()
      #expect(server.withLock { $0 } == ["a"], "the process died at event \(dying)")
      #expect(next.state.pendingRecordZoneChanges.isEmpty)
    }
  }
}
