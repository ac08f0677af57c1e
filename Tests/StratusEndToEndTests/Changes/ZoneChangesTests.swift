import CloudKit
import Testing

@Suite struct `The changes of a zone` {
  @Test
  func `the changes of a zone contain the changes of other devices since the token`() async throws {
    try await withCloud { cloud in
      let here = try await cloud.zone()
      let there = try await cloud.zone()
      try await there.saveNotes(["a", "b", "c"])
      let first = try await here.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      #expect(Set(first.modificationResultsByID.keys) == [id("a"), id("b"), id("c")])
      #expect(
        try first.modificationResultsByID[id("a")]?.get().record["title"] as? String == "a")
      #expect(first.deletions.isEmpty && !first.moreComing)

      let b = try await there.record(for: id("b"))
      for title in ["b1", "b2"] {
        b["title"] = title
        try await there.save(b)
      }
      try await there.deleteRecord(withID: id("c"))
      let other = CKRecord(recordType: "Folder", recordID: id("f"))
      try await there.save(other)
      try await there.deleteRecord(withID: id("f"))
      let second = try await here.recordZoneChanges(
        inZoneWith: zoneZ, since: first.changeToken)
      #expect(Set(second.modificationResultsByID.keys) == [id("b")])
      let record = try second.modificationResultsByID[id("b")]?.get().record
      #expect(record?["title"] as? String == "b2")
      #expect(record?.recordChangeTag == b.recordChangeTag)
      let deleted = Dictionary(
        uniqueKeysWithValues: second.deletions.map { ($0.recordID, $0.recordType) })
      #expect(deleted == [id("c"): "Note", id("f"): "Folder"])

      let third = try await here.recordZoneChanges(
        inZoneWith: zoneZ, since: second.changeToken)
      #expect(third.modificationResultsByID.isEmpty && third.deletions.isEmpty)
    }
  }

  @Test func `a fetch of zone changes reads all 1,000 changes, page by page`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let names = (0..<1_000).map { "r\($0)" }
      try await database.saveNotes(names)
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneZ], configurationsByRecordZoneID: nil)
      let journal = Journal()
      let network = cloud.network()
      operation.recordWasChangedBlock = { recordID, result in
        if code(result) == nil { journal.note(recordID.recordName) }
      }
      operation.recordZoneChangeTokensUpdatedBlock = { zoneID, token, _ in
        journal.note("token \(zoneID == zoneZ && token != nil)")
      }
      operation.recordZoneFetchResultBlock = { zoneID, result in
        journal.note("zone \(zoneID == zoneZ) \((try? result.get())?.moreComing ?? true)")
      }
      operation.fetchRecordZoneChangesResultBlock = { journal.note("end \(code($0) == nil)") }
      await (try await cloud.zone(by: network)).run(operation)
      let pages = network.requests("changes/zone").count
      #expect(pages >= 5)
      #expect(Set(journal.all).isSuperset(of: names))
      #expect(journal.all.count { $0.hasPrefix("r") } == 1_000)
      #expect(journal.all.count { $0 == "token true" } == pages - 1)
      #expect(Array(journal.all.suffix(2)) == ["zone true false", "end true"])
    }
  }

  @Test
  func `changes of a zone come one page at a time if fetchAllChanges is false`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes((0..<1_000).map { "r\($0)" })
      var seen: Set<CKRecord.ID> = []
      var token: CKServerChangeToken?
      var pages = 0
      var moreComing = true
      while moreComing {
        let page = try await database.recordZoneChanges(
          inZoneWith: zoneZ, since: token, desiredKeys: [], resultsLimit: 150)
        #expect(page.modificationResultsByID.count <= 150)
        for result in page.modificationResultsByID.values {
          #expect(try result.get().record.allKeys().isEmpty)
        }
        seen.formUnion(page.modificationResultsByID.keys)
        (token, moreComing) = (page.changeToken, page.moreComing)
        pages += 1
      }
      #expect(pages == 7)
      #expect(seen.count == 1_000)
    }
  }

  @Test func `a fetch of one page of zone changes does not call the token block`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a", "b", "c"])
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneZ],
        configurationsByRecordZoneID: [
          zoneZ: CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: nil, resultsLimit: 2, desiredKeys: ["title"])
        ])
      operation.fetchAllChanges = false
      let journal = Journal()
      operation.recordWasChangedBlock = { _, _ in journal.note("record") }
      operation.recordZoneChangeTokensUpdatedBlock = { _, _, _ in journal.note("token") }
      operation.recordZoneFetchResultBlock = { _, result in
        journal.note("zone \((try? result.get())?.moreComing ?? false)")
      }
      await database.run(operation)
      #expect(journal.all == ["record", "record", "zone true"])
    }
  }

  @Test
  func `the changes of several zones come zone by zone, and each zone has its own result`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.save(CKRecordZone(zoneID: zoneY))
      try await database.saveNotes(["a"])
      try await database.saveNotes(["b"], in: zoneY)
      let nowhere = CKRecordZone.ID(zoneName: "Nowhere")
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneZ, nowhere, zoneY], configurationsByRecordZoneID: nil)
      let journal = Journal()
      operation.recordWasChangedBlock = { recordID, _ in journal.note(recordID.recordName) }
      operation.recordZoneFetchResultBlock = { zoneID, result in
        journal.note("\(zoneID.zoneName) \(code(result)?.rawValue ?? 0)")
      }
      operation.fetchRecordZoneChangesResultBlock = { journal.note("end \(code($0) == nil)") }
      await database.run(operation)
      #expect(journal.all == ["a", "Z 0", "Nowhere 26", "b", "Y 0", "end true"])
    }
  }

  @Test func `a fetch of an unknown zone's changes fails`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      await expect(.zoneNotFound) {
        try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      }
    }
  }

  @Test
  func `changes of the default zone and of zones in the public database are not available`()
    async throws
  {
    try await withCloud { cloud in
      let device = try await cloud.device()
      await expect(.invalidArguments) {
        try await device.privateCloudDatabase.recordZoneChanges(
          inZoneWith: .default, since: nil)
      }
      await expect(.badDatabase) {
        try await device.publicCloudDatabase.recordZoneChanges(inZoneWith: .default, since: nil)
      }
    }
  }

  @Test
  func `after a zone was created again, its changes are fetched from the beginning`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a"])
      let before = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      try await database.deleteRecordZone(withID: zoneZ)
      await expect(.zoneNotFound) {
        try await database.recordZoneChanges(inZoneWith: zoneZ, since: before.changeToken)
      }
      try await database.save(CKRecordZone(zoneID: zoneZ))
      try await database.saveNotes(["b"])
      await expect(.changeTokenExpired) {
        try await database.recordZoneChanges(inZoneWith: zoneZ, since: before.changeToken)
      }
      let after = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      #expect(Set(after.modificationResultsByID.keys) == [id("b")])
    }
  }

  @Test func `a zone refuses the change token of the database or of another zone`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.save(CKRecordZone(zoneID: zoneY))
      let ofDatabase = try await database.databaseChanges(since: nil).changeToken
      let ofOther = try await database.recordZoneChanges(inZoneWith: zoneY, since: nil)
      for token in [ofDatabase, ofOther.changeToken] {
        await expect(.changeTokenExpired) {
          try await database.recordZoneChanges(inZoneWith: zoneZ, since: token)
        }
      }
    }
  }

  @Test func `a fetch of zone changes continues from an archived token`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a"])
      let first = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: first.changeToken, requiringSecureCoding: true)
      let token = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKServerChangeToken.self, from: data)
      #expect(token == first.changeToken)
      try await database.saveNotes(["b"])
      let second = try await database.recordZoneChanges(inZoneWith: zoneZ, since: token)
      #expect(Set(second.modificationResultsByID.keys) == [id("b")])
    }
  }

  @Test
  func `the changes of a zone contain the client change token of the last write`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let write = CKModifyRecordsOperation(recordsToSave: [note("a")], recordIDsToDelete: nil)
      write.clientChangeTokenData = Data([0, 255, 7])
      await database.run(write)
      let journal = Journal()
      let read = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneZ], configurationsByRecordZoneID: nil)
      read.recordZoneFetchResultBlock = { _, result in
        let data = (try? result.get())?.clientChangeTokenData
        journal.note(data.map { $0.map(String.init).joined(separator: " ") } ?? "none")
      }
      await database.run(read)
      #expect(journal.all == ["0 255 7"])
    }
  }

  @Test
  func `the deprecated operation returns the same zone changes and accepts the same tokens`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["a", "b"])
      let first = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      try await database.saveNotes(["c"])
      try await database.deleteRecord(withID: id("a"))
      let operation = CKFetchRecordChangesOperation(
        recordZoneID: zoneZ, previousServerChangeToken: first.changeToken)
      let journal = Journal()
      operation.recordChangedBlock = { journal.note("+" + $0.recordID.recordName) }
      operation.recordWithIDWasDeletedBlock = { journal.note("-" + $0.recordName) }
      operation.fetchRecordChangesCompletionBlock = { token, _, error in
        journal.note("\(token != nil) \(error == nil)")
      }
      await database.run(operation)
      #expect(Set(journal.all.dropLast()) == ["+c", "-a"])
      #expect(journal.all.last == "true true")
      #expect(!operation.moreComing)
    }
  }
}
