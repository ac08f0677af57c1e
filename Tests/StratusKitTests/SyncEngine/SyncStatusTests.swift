import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite(.timeLimit(.minutes(15))) struct `The status of a sync engine` {
  @Test func `a new sync engine has an empty status`() {
    let status = SyncScene().engine(automatic: false).status
    #expect(status.activity == .idle)
    #expect(status.isSignedIn == nil)
    #expect(status.pendingRecordZoneChangesCount == 0 && status.pendingDatabaseChangesCount == 0)
    #expect(status.lastError == nil && status.lastErrorAgeSeconds == nil)
    #expect(status.lastFetchAgeSeconds == nil && status.lastSendAgeSeconds == nil)
    #expect(status.nextAttemptAfterSeconds == nil && status.remainingChangesCountMax == nil)
  }

  @Test func `the status of a sync engine has the pending changes and the age of the last send`()
    async throws
  {
    let scene = SyncScene()
    let engine = scene.engine(automatic: false)
    engine.state.add(pendingRecordZoneChanges: [save("a"), save("b")])
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "W"))])
    #expect(engine.status.pendingRecordZoneChangesCount == 2)
    #expect(engine.status.pendingDatabaseChangesCount == 1)
    try await engine.sendChanges()
    scene.clock.advance(by: 7)
    let status = engine.status
    #expect(status.isSignedIn == true && status.activity == .idle)
    #expect(status.pendingRecordZoneChangesCount == 0 && status.pendingDatabaseChangesCount == 0)
    #expect(status.lastSendAgeSeconds == 7 && status.lastFetchAgeSeconds == nil)
  }

  @Test func `during a fetch, the status of a sync engine has the number of remaining changes`()
    async throws
  {
    let scene = SyncScene()
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        SyncDatabasePage(modifications: [zoneZ], token: "d")
      }
      script.zone = { (_, token) async throws(CKError) in
        token == nil
          ? SyncZonePage(token: "z1", moreComing: true, remainingCountMax: 250)
          : SyncZonePage(token: "z2", remainingCountMax: 0)
      }
    }
    let engine = scene.engine(automatic: false)
    let seen = Mutex<[CKSyncEngine.Status]>([])
    scene.app.onEvent.withLock { hook in
      hook = { event, engine in
        if case .stateUpdate = event { seen.withLock { $0.append(engine.status) } }
      }
    }
    try await engine.fetchChanges()
    let statuses = seen.withLock { $0 }
    #expect(statuses.contains { $0.activity == .fetching && $0.remainingChangesCountMax == 250 })
    #expect(statuses.contains { $0.unfetchedZonesCount == 1 })
    #expect(engine.status.remainingChangesCountMax == nil)
    #expect(engine.status.lastFetchAgeSeconds == 0)
  }

  @Test func `the status of a sync engine has the last error and the time of the next retry`()
    async throws
  {
    let scene = SyncScene()
    let isBroken = Mutex(true)
    scene.on { script in
      script.database = { (_) async throws(CKError) in
        if isBroken.withLock({ $0 }) {
          throw CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 30.0])
        }
        return SyncDatabasePage(token: "d")
      }
    }
    let engine = scene.engine(automatic: true)
    await scene.app.hears("did fetch scheduled")
    await scene.clock.someoneSleeps()
    scene.clock.advance(by: 10)
    let failed = engine.status
    #expect(failed.lastError?.code == .requestRateLimited)
    #expect(failed.lastErrorAgeSeconds == 10)
    #expect(failed.nextAttemptAfterSeconds == 20)
    isBroken.withLock { $0 = false }
    scene.clock.advance(by: 20)
    await scene.app.hears("did fetch scheduled", times: 2)
    try await engine.fetchChanges()
    #expect(engine.status.lastError == nil)
  }
}
