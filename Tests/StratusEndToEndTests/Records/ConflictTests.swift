import CloudKit
import Testing

@Suite struct `Conflicts between two devices` {
  /// Makes two devices fetch the same version of a record. Then the device `there` changes the
  /// title and adds a field.
  private func diverged(
    _ body: (_ mine: CKRecord, _ here: CKDatabase, _ there: CKDatabase) async throws -> Void
  ) async throws {
    try await withCloud { cloud in
      let here = try await cloud.zone()
      let there = try await cloud.zone()
      let first = note("a", title: "first")
      first["count"] = 1
      try await there.save(first)
      let mine = try await here.record(for: id("a"))
      let theirs = try await there.record(for: id("a"))
      theirs["title"] = "theirs"
      theirs["extra"] = "only theirs"
      try await there.save(theirs)
      try await body(mine, here, there)
    }
  }

  @Test
  func `a conflict error contains the client's record, its ancestor and the server's record`()
    async throws
  {
    try await diverged { mine, here, there in
      mine["title"] = "mine"
      let error = await expect(.serverRecordChanged) { try await here.save(mine) }
      #expect(error?.clientRecord === mine)
      #expect(error?.clientRecord?["title"] as? String == "mine")
      #expect(error?.ancestorRecord?["title"] as? String == "first")
      #expect(error?.ancestorRecord?.recordChangeTag == mine.recordChangeTag)
      let server = try #require(error?.serverRecord)
      #expect(server["title"] as? String == "theirs")
      #expect(server["extra"] as? String == "only theirs")
      let current = try await there.record(for: id("a"))
      #expect(server.recordChangeTag == current.recordChangeTag)
      #expect(current["title"] as? String == "theirs")
    }
  }

  @Test
  func `a device can merge its changes into the server's record of a conflict`() async throws {
    try await diverged { mine, here, there in
      mine["title"] = "mine"
      let error = await expect(.serverRecordChanged) { try await here.save(mine) }
      let server = try #require(error?.serverRecord)
      server["title"] = "merged"
      try await here.save(server)
      let found = try await there.record(for: id("a"))
      #expect(found["title"] as? String == "merged")
      #expect(found["extra"] as? String == "only theirs")
    }
  }

  @Test func `changes of different fields of a record are a conflict, too`() async throws {
    try await diverged { mine, here, _ in
      mine["count"] = 2
      await expect(.serverRecordChanged) { try await here.save(mine) }
      #expect(mine.changedKeys() == ["count"])
    }
  }

  @Test func `saves of changed keys keep the changes of both devices`() async throws {
    try await diverged { mine, here, there in
      mine["count"] = 2
      let (results, _) = try await here.modifyRecords(
        saving: [mine], deleting: [], savePolicy: .changedKeys)
      _ = try results[id("a")]?.get()
      let found = try await there.record(for: id("a"))
      #expect(found["title"] as? String == "theirs")
      #expect(found["count"] as? Int == 2)
      #expect(found["extra"] as? String == "only theirs")
      #expect(found.recordChangeTag == mine.recordChangeTag)
    }
  }

  @Test func `a save with allKeys overwrites all keys except those that only the server has`()
    async throws
  {
    try await diverged { mine, here, there in
      mine["count"] = 2
      let (results, _) = try await here.modifyRecords(
        saving: [mine], deleting: [], savePolicy: .allKeys)
      _ = try results[id("a")]?.get()
      let found = try await there.record(for: id("a"))
      #expect(found["title"] as? String == "first")
      #expect(found["count"] as? Int == 2)
      #expect(found["extra"] as? String == "only theirs")
    }
  }

  @Test func `a conflict between two creations of a record has no ancestor record`() async throws {
    try await withCloud { cloud in
      try await cloud.zone().save(note("a", title: "theirs"))
      let here = try await cloud.zone()
      let error = await expect(.serverRecordChanged) {
        try await here.save(note("a", title: "mine"))
      }
      #expect(error?.serverRecord?["title"] as? String == "theirs")
      #expect(error?.clientRecord?["title"] as? String == "mine")
      #expect(error?.ancestorRecord == nil)
    }
  }

  @Test(arguments: [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys])
  func `two devices can create the same record with policies that compare no change tag`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await withCloud { cloud in
      let theirs = note("a", title: "theirs")
      theirs["extra"] = 1
      try await cloud.zone().save(theirs)
      let here = try await cloud.zone()
      let (results, _) = try await here.modifyRecords(
        saving: [note("a", title: "mine")], deleting: [], savePolicy: policy)
      _ = try results[id("a")]?.get()
      let found = try await here.record(for: id("a"))
      #expect(found["title"] as? String == "mine")
      #expect(found["extra"] as? Int == 1)
    }
  }

  @Test
  func `a save of a record that another device has deleted fails with unknownItem`() async throws {
    try await diverged { mine, here, there in
      try await there.deleteRecord(withID: id("a"))
      mine["title"] = "mine"
      await expect(.unknownItem) { try await here.save(mine) }
      await expect(.unknownItem) { try await here.record(for: id("a")) }
      try await here.save(note("a", title: "again"))
      #expect(try await there.record(for: id("a"))["title"] as? String == "again")
    }
  }

  @Test func `two devices can delete the same record`() async throws {
    try await diverged { _, here, there in
      try await there.deleteRecord(withID: id("a"))
      #expect(try await here.deleteRecord(withID: id("a")) == id("a"))
    }
  }
}
