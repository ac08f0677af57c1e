import CloudKit
import StratusTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A sync engine on the shared database` {
  @Test
  func `a sync engine fetches the records that other users share, and sends its changes`()
    async throws
  {
    try await withSharing { scene in
      let app = NotesDevice()
      let engine = app.engine(scene.bob.sharedCloudDatabase)
      try await engine.fetchChanges()
      #expect(app.titles.isEmpty)
      try await scene.open(scene.shareList(), on: scene.bob)
      try await engine.fetchChanges()
      #expect(app.titles == ["root": "List", "a": "a", "b": "b"])
      let zoneID = try await scene.annsZone()
      #expect(app.disk.withLock { $0.zones } == [zoneID])
      let share = app.disk.withLock { $0.systemFields.values.compactMap { $0 as? CKShare } }
      #expect(share.count == 1)

      app.write("by Bob", to: id("a", in: zoneID), engine)
      try await engine.sendChanges()
      let own = scene.ann.privateCloudDatabase
      #expect(try await own.record(for: id("a"))["title"] as? String == "by Bob")

      let item = try await own.record(for: id("b"))
      item["title"] = "by Ann"
      try await own.save(item)
      let new = note("c", title: "new")
      new.setParent(id("root"))
      try await own.save(new)
      try await engine.fetchChanges()
      #expect(app.titles == ["root": "List", "a": "by Bob", "b": "by Ann", "c": "new"])
    }
  }

  @Test
  func `sync engines on the shared and on the private database do not affect each other`()
    async throws
  {
    try await withSharing { scene in
      try await scene.open(scene.shareList(), on: scene.bob)
      let (own, shared) = (NotesDevice(), NotesDevice())
      let ownEngine = own.engine(scene.bob.privateCloudDatabase)
      let sharedEngine = shared.engine(scene.bob.sharedCloudDatabase)
      own.makeZone(ownEngine)
      own.write("mine", to: id("m"), ownEngine)
      try await ownEngine.sendChanges()
      try await sharedEngine.fetchChanges()
      try await ownEngine.fetchChanges()
      #expect(own.titles == ["m": "mine"])
      #expect(shared.titles.keys.sorted() == ["a", "b", "root"])
    }
  }

  @Test func `a sync engine on the shared database continues from its stored state`() async throws {
    try await withSharing { scene in
      try await scene.open(scene.shareList(), on: scene.bob)
      let first = NotesDevice()
      try await first.engine(scene.bob.sharedCloudDatabase).fetchChanges()
      let item = try await scene.ann.privateCloudDatabase.record(for: id("a"))
      item["title"] = "later"
      try await scene.ann.privateCloudDatabase.save(item)
      let second = NotesDevice(first.disk.withLock { $0 })
      try await second.engine(scene.bob.sharedCloudDatabase).fetchChanges()
      #expect(second.titles["a"] == "later")
      #expect(second.titles.count == 3)
    }
  }

  @Test func `a sync engine removes a shared zone when the owner removes the user`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList()
      try await scene.open(share, on: scene.bob)
      let app = NotesDevice()
      let engine = app.engine(scene.bob.sharedCloudDatabase)
      try await engine.fetchChanges()
      #expect(app.titles.count == 3)
      share.removeParticipant(try #require(share.participants.first { $0 != share.owner }))
      let fetched = try #require(
        try await scene.ann.privateCloudDatabase.record(for: share.recordID) as? CKShare)
      for participant in fetched.participants { fetched.removeParticipant(participant) }
      try await scene.save([fetched])
      try await engine.fetchChanges()
      #expect(app.titles.isEmpty)
      #expect(app.disk.withLock { $0.zones }.isEmpty)
    }
  }

  /// Ann shares two lists of one zone with Bob. Bob leaves one of the shares.
  @Test
  func `a sync engine removes the records of a share that the user leaves while another remains`()
    async throws
  {
    try await withSharing { scene in
      let own = scene.ann.privateCloudDatabase
      let list = try await scene.shareList()
      let root = try await own.record(for: id("outside"))
      let other = CKShare(rootRecord: root)
      try await scene.invite([SharedScene.bobsEmail], to: other)
      try await scene.save([root, other])
      for share in [list, other] { try await scene.open(share, on: scene.bob) }
      let app = NotesDevice()
      let engine = app.engine(scene.bob.sharedCloudDatabase)
      try await engine.fetchChanges()
      #expect(app.titles.keys.sorted() == ["a", "b", "outside", "root"])
      let shareID = CKRecord.ID(
        recordName: other.recordID.recordName, zoneID: try await scene.annsZone())
      try await scene.bob.sharedCloudDatabase.deleteRecord(withID: shareID)
      try await engine.fetchChanges()
      #expect(app.titles.keys.sorted() == ["a", "b", "root"])
      // The engine, which has fetched the whole zone again, still gets later changes.
      let item = try await own.record(for: id("b"))
      item["title"] = "later"
      try await own.save(item)
      try await engine.fetchChanges()
      #expect(app.titles["b"] == "later")
    }
  }

  @Test
  func `a sync engine removes records that were deleted while the user was not a participant`()
    async throws
  {
    try await withSharing { scene in
      let own = scene.ann.privateCloudDatabase
      let share = try await scene.shareList()
      try await scene.open(share, on: scene.bob)
      let app = NotesDevice()
      let engine = app.engine(scene.bob.sharedCloudDatabase)
      try await engine.fetchChanges()
      #expect(app.titles.count == 3)
      func current() async throws -> CKShare {
        try #require(try await own.record(for: share.recordID) as? CKShare)
      }
      let without = try await current()
      for participant in without.participants { without.removeParticipant(participant) }
      try await scene.save([without])
      try await own.deleteRecord(withID: id("a"))
      let with = try await current()
      try await scene.invite([SharedScene.bobsEmail], to: with)
      try await scene.save([with])
      try await scene.open(with, on: scene.bob)
      try await engine.fetchChanges()
      #expect(app.titles.keys.sorted() == ["b", "root"])
    }
  }

  @Test func `a sync engine leaves a shared zone by deleting it`() async throws {
    try await withSharing { scene in
      try await scene.open(scene.shareList(), on: scene.bob)
      let app = NotesDevice()
      let engine = app.engine(scene.bob.sharedCloudDatabase)
      try await engine.fetchChanges()
      engine.state.add(pendingDatabaseChanges: [.deleteZone(try await scene.annsZone())])
      try await engine.sendChanges()
      #expect(try await scene.bob.sharedCloudDatabase.allRecordZones().isEmpty)
      #expect(try await scene.ann.privateCloudDatabase.record(for: id("a"))["title"] != nil)
    }
  }

  @Test func `the owner's sync engine sends a share together with its root`() async throws {
    try await withSharing { scene in
      let root = try await scene.ann.privateCloudDatabase.record(for: id("root"))
      let share = CKShare(rootRecord: root)
      share.publicPermission = .readOnly
      let app = Sender([root, share])
      let engine = app.engine(scene.ann.privateCloudDatabase)
      engine.state.add(
        pendingRecordZoneChanges: [.saveRecord(root.recordID), .saveRecord(share.recordID)])
      try await engine.sendChanges()
      #expect(share.url != nil)
      #expect(try await scene.names(on: joined(scene, share)).contains("a"))
    }
  }

  /// Apple's engine delivers such a share only after the app has started again.
  @Test func `the owner's sync engine gets a share that the same device saves without the engine`()
    async throws
  {
    try await withSharing { scene in
      let app = NotesDevice()
      let engine = app.engine(scene.ann.privateCloudDatabase)
      try await engine.fetchChanges()
      func shares() -> [CKShare] {
        app.disk.withLock { $0.systemFields.values.compactMap { $0 as? CKShare } }
      }
      #expect(shares().isEmpty)
      let share = try await scene.shareList()
      try await engine.fetchChanges()
      #expect(shares().map(\.recordID) == [share.recordID])
      #expect(shares().first?.participants.map(\.acceptanceStatus) == [.accepted, .pending])
      try await scene.open(share, on: scene.bob)
      try await engine.fetchChanges()
      #expect(shares().first?.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
    }
  }

  private func joined(_ scene: SharedScene, _ share: CKShare) async throws -> CKContainer {
    try await scene.open(share, on: scene.bob)
    return scene.bob
  }

  @Test func `a user can subscribe to the shared database, but not with a query`() async throws {
    try await withSharing { scene in
      let shared = scene.bob.sharedCloudDatabase
      let saved = try await shared.save(CKDatabaseSubscription(subscriptionID: "shared"))
      #expect(saved.subscriptionID == "shared")
      #expect(try await shared.allSubscriptions().map(\.subscriptionID) == ["shared"])
      await expect(.invalidArguments) {
        try await shared.save(
          CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "q",
            options: .firesOnRecordCreation))
      }
    }
  }
}

/// A delegate that sends the given records.
private final class Sender: CKSyncEngineDelegate {
  private let records: Mutex<[CKRecord.ID: CKRecord]>

  init(_ records: [CKRecord]) {
    self.records = Mutex(Dictionary(uniqueKeysWithValues: records.map { ($0.recordID, $0) }))
  }

  func engine(_ database: CKDatabase) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: nil, delegate: self)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { recordID in self.records.withLock { $0[recordID] } }
  }
}
