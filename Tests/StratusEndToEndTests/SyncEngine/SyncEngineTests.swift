import CloudKit
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15))) struct `Devices with sync engines` {
  @Test
  func `devices with sync engines have the same notes after sending and fetching`() async throws {
    try await withCloud { cloud in
      let (phone, tablet) = (NotesDevice(), NotesDevice())
      let phoneEngine = phone.engine(try await cloud.device().privateCloudDatabase)
      let tabletEngine = tablet.engine(try await cloud.device().privateCloudDatabase)
      for index in 0..<950 { phone.write("t\(index)", to: id("n\(index)"), phoneEngine) }
      phone.makeZone(phoneEngine)
      try await phoneEngine.sendChanges()
      #expect(phoneEngine.state.pendingRecordZoneChanges.isEmpty)
      try await tabletEngine.fetchChanges()
      #expect(tablet.titles == phone.titles)
      #expect(tablet.titles.count == 950)
      tablet.write(nil, to: id("n0"), tabletEngine)
      tablet.write("changed", to: id("n1"), tabletEngine)
      try await tabletEngine.sendChanges()
      try await phoneEngine.fetchChanges()
      #expect(phone.titles == tablet.titles)
      #expect(phone.titles["n0"] == nil)
      #expect(phone.titles["n1"] == "changed")
    }
  }

  @Test
  func `after a failed send, the next send of a sync engine creates the missing zone`()
    async throws
  {
    try await withCloud { cloud in
      let phone = NotesDevice()
      let database = try await cloud.device().privateCloudDatabase
      let engine = phone.engine(database)
      for index in 0..<444 { phone.write("t\(index)", to: id("n\(index)"), engine) }
      let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
      #expect(error?.code == .partialFailure)
      let errors = error?.partialErrorsByItemID ?? [:]
      #expect(errors.count == 400)
      #expect(errors.values.allSatisfy { ($0 as? CKError)?.code == .zoneNotFound })
      #expect(engine.state.pendingRecordZoneChanges.count == 444)
      #expect(try await database.allRecordZones().allSatisfy { $0.zoneID == .default })
      try await engine.sendChanges()
      #expect(engine.state.pendingRecordZoneChanges.isEmpty)
      #expect(try await database.record(for: id("n443"))["title"] as? String == "t443")
    }
  }

  @Test
  func `after a failed send, the next send of a sync engine creates a deleted record again`()
    async throws
  {
    try await withCloud { cloud in
      let phone = NotesDevice()
      let database = try await cloud.zone()
      let engine = phone.engine(database)
      phone.write("a", to: id("n"), engine)
      try await engine.sendChanges()
      try await database.deleteRecord(withID: id("n"))
      phone.write("b", to: id("n"), engine)
      let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
      #expect((error?.partialErrorsByItemID?[id("n")] as? CKError)?.code == .unknownItem)
      #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(id("n"))])
      try await engine.sendChanges()
      #expect(try await database.record(for: id("n"))["title"] as? String == "b")
    }
  }

  @Test func `sync engines of two devices merge a record that both have changed`() async throws {
    try await withCloud { cloud in
      let (phone, tablet) = (NotesDevice(), NotesDevice())
      let phoneEngine = phone.engine(try await cloud.zone())
      let tabletEngine = tablet.engine(try await cloud.device().privateCloudDatabase)
      phone.write("a", to: id("n"), phoneEngine)
      try await phoneEngine.sendChanges()
      try await tabletEngine.fetchChanges()
      phone.write("b", to: id("n"), phoneEngine)
      tablet.write("c", to: id("n"), tabletEngine)
      try await phoneEngine.sendChanges()
      let error = await #expect(throws: CKError.self) { try await tabletEngine.sendChanges() }
      let conflict = error?.partialErrorsByItemID?[id("n")] as? CKError
      #expect(conflict?.code == .serverRecordChanged)
      #expect(conflict?.serverRecord?["title"] as? String == "b")
      #expect(tabletEngine.state.pendingRecordZoneChanges == [.saveRecord(id("n"))])
      try await phoneEngine.fetchChanges()
      #expect(phone.titles == ["n": "b"])
      try await tabletEngine.sendChanges()
      try await phoneEngine.fetchChanges()
      #expect(phone.titles == ["n": "c"])
      #expect(tablet.titles == ["n": "c"])
      #expect(tablet.disk.withLock { $0.conflicts } == 1)
    }
  }

  @Test func `a sync engine continues from its stored state after a restart`() async throws {
    try await withCloud { cloud in
      let phone = NotesDevice()
      let database = try await cloud.zone()
      let engine = phone.engine(database)
      phone.write("a", to: id("n"), engine)
      try await engine.sendChanges()
      phone.write("b", to: id("m"), engine)
      try await engine.fetchChanges()
      let stored = try JSONEncoder().encode(phone.disk.withLock { $0.state })
      var disk = phone.disk.withLock { $0 }
      disk.state = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: stored)
      let again = NotesDevice(disk)
      let next = again.engine(database)
      #expect(next.state.pendingRecordZoneChanges == [.saveRecord(id("m"))])
      try await next.sendChanges()
      #expect(try await database.record(for: id("m"))["title"] as? String == "b")
    }
  }

  @Test func `a sync engine removes a zone that another device deletes`() async throws {
    try await withCloud { cloud in
      let (phone, tablet) = (NotesDevice(), NotesDevice())
      let phoneEngine = phone.engine(try await cloud.zone())
      let tabletEngine = tablet.engine(try await cloud.device().privateCloudDatabase)
      phone.write("a", to: id("n"), phoneEngine)
      try await phoneEngine.sendChanges()
      try await tabletEngine.fetchChanges()
      #expect(tablet.titles.count == 1)
      phoneEngine.state.add(pendingDatabaseChanges: [.deleteZone(zoneZ)])
      try await phoneEngine.sendChanges()
      try await tabletEngine.fetchChanges()
      #expect(tablet.titles.isEmpty)
      #expect(tablet.disk.withLock { $0.zones }.isEmpty)
    }
  }

  @Test func `a sync engine sends records again after a lost answer`() async throws {
    try await withCloud { cloud in
      let phone = NotesDevice()
      let network = cloud.network([("records/modify", .answerIsLost)])
      let database = try await cloud.zone(by: network)
      let engine = phone.engine(database)
      phone.write("a", to: id("n"), engine)
      await expect(.serverResponseLost) { try await engine.sendChanges() }
      #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(id("n"))])
      // The server has already done the save, so the repeated save conflicts with it.
      await expect(.partialFailure) { try await engine.sendChanges() }
      try await engine.sendChanges()
      #expect(engine.state.pendingRecordZoneChanges.isEmpty)
      #expect(phone.disk.withLock { $0.conflicts } == 1)
      #expect(try await database.record(for: id("n"))["title"] as? String == "a")
    }
  }

  @Test func `sync engines send and fetch files and encrypted values`() async throws {
    try await withCloud { cloud in
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "stratus-sync-\(UUID().uuidString)")
      try Data(repeating: 7, count: 10_000).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let attachments = Attachments(file)
      let keys = KeyFolder()
      let database = try await cloud.device("phone", keys)
      var configuration = CKSyncEngine.Configuration(
        database: database, stateSerialization: nil, delegate: attachments)
      configuration.automaticallySync = false
      let engine = CKSyncEngine(configuration)
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneZ))])
      engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("n"))])
      try await engine.sendChanges()
      try await engine.fetchChanges()
      let record = try #require(attachments.fetched.withLock { $0 })
      let url = try #require((record["file"] as? CKAsset)?.fileURL)
      #expect(try Data(contentsOf: url) == Data(repeating: 7, count: 10_000))
      #expect(record.encryptedValues["secret"] as? String == "s")
    }
  }
}
