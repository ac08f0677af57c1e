import CloudKit
import StratusTesting
import Synchronization
import Testing

/// An app was offline for longer than the server keeps tombstones.
@Suite struct `Removed tombstones` {
  private static let days: Int64 = 7

  /// Runs a test with a server. The closure `forget` advances the clock by ten days and makes the
  /// server remove old tombstones. Sessions last 14 days, so devices stay signed in.
  private func withOldCloud(
    _ body: (Cloud, _ forget: () async throws -> Void) async throws -> Void
  ) async throws {
    let server = try await TestServer()
    do {
      try await body(Cloud(server: server)) {
        await server.clock.advance(by: .seconds(10 * 86_400))
        try await server.expireDeletions(olderThanDays: Self.days)
      }
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @Test
  func `tokens older than a removed tombstone expire, and a sync without a token works`()
    async throws
  {
    try await withOldCloud { cloud, forget in
      let database = try await cloud.zone()
      try await database.save(CKRecordZone(zoneID: zoneY))
      try await database.saveNotes(["a", "b"])
      let notes = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      let zones = try await database.databaseChanges(since: nil)
      try await database.deleteRecord(withID: id("a"))
      try await database.deleteRecordZone(withID: zoneY)
      try await forget()

      await expect(.changeTokenExpired) {
        try await database.recordZoneChanges(inZoneWith: zoneZ, since: notes.changeToken)
      }
      await expect(.changeTokenExpired) {
        try await database.databaseChanges(since: zones.changeToken)
      }
      let anew = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      #expect(Set(anew.modificationResultsByID.keys) == [id("b")])
      #expect(anew.deletions.isEmpty)
      let listed = try await database.databaseChanges(since: nil)
      #expect(listed.modifications.map(\.zoneID) == [zoneZ])

      try await database.deleteRecord(withID: id("b"))
      let next = try await database.recordZoneChanges(
        inZoneWith: zoneZ, since: anew.changeToken)
      #expect(next.deletions.map(\.recordID) == [id("b")])
    }
  }

  /// The app receives the error at the end of the zone's fetch. The engine then fetches the zone
  /// again from the beginning.
  @Test
  func `a sync engine with an expired token fetches all records again`() async throws {
    try await withOldCloud { cloud, forget in
      let database = try await cloud.zone()
      try await database.saveNotes(["a", "b"])
      let tablet = NotesDevice()
      let witness = Witness(of: tablet)
      let engine = witness.engine(try await cloud.device().privateCloudDatabase)
      try await engine.fetchChanges()
      #expect(tablet.titles.count == 2)
      try await database.deleteRecord(withID: id("a"))
      try await forget()
      try await database.saveNotes(["c"])
      try await engine.fetchChanges()
      #expect(witness.ends.withLock { $0 } == [nil, .changeTokenExpired, nil])
      #expect(tablet.titles["b"] == "b")
      #expect(tablet.titles["c"] == "c")
      try await database.deleteRecord(withID: id("c"))
      try await engine.fetchChanges()
      #expect(tablet.titles["c"] == nil)
    }
  }
}

/// Remembers the results of zone fetches, and passes all events on to a device.
private final class Witness: CKSyncEngineDelegate {
  let ends = Mutex<[CKError.Code?]>([])
  private let device: NotesDevice

  init(of device: NotesDevice) { self.device = device }

  func engine(_ database: CKDatabase) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: nil, delegate: self)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    if case .didFetchRecordZoneChanges(let end) = event {
      ends.withLock { $0.append(end.error?.code) }
    }
    await device.handleEvent(event, syncEngine: syncEngine)
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await device.nextRecordZoneChangeBatch(context, syncEngine: syncEngine)
  }
}
