import CloudKit
import Testing

@Suite struct `A record of the server` {
  @Test
  func `all requested records are fetched even if they do not fit into one answer`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let text = String(repeating: "x", count: 1_000_000)
      let names = (0..<20).map { "n\($0)" }
      for name in names {
        let large = note(name)
        large["text"] = text
        _ = try await database.save(large)
      }
      let found = try await database.records(for: names.map { id($0) })
      #expect(found.count == 20)
      for result in found.values { #expect(try result.get()["text"] as? String == text) }
    }
  }

  /// docs/reference/compatibility.md names the two exceptions.
  @Test func `a saved record and a fetched record are equal, with two exceptions`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      func values(_ record: CKRecord) -> [String: String] {
        Dictionary(uniqueKeysWithValues: record.allKeys().map { ($0, "\(record[$0] ?? "nil")") })
      }
      let saved = note("a", title: "x")
      saved["count"] = 7
      saved["date"] = Date(timeIntervalSince1970: 1.000_1)
      saved["texts"] = ["a", "b"]
      try await database.save(saved)
      let fetched = try await cloud.zone().record(for: id("a"))
      #expect(values(saved) == values(fetched))
      #expect(saved.recordChangeTag == fetched.recordChangeTag)
      #expect(saved.modificationDate == fetched.modificationDate)

      saved["empty"] = [String]()
      try await database.save(saved)
      let withEmpty = try await cloud.zone().record(for: id("a"))
      #expect(saved["empty"] as? [String] == [])
      #expect(withEmpty["empty"] == nil)

      saved["count"] = 8
      try await database.save(saved)
      fetched["title"] = "y"
      let results = try await database.modifyRecords(
        saving: [fetched], deleting: [], savePolicy: .changedKeys)
      _ = try results.saveResults[id("a")]?.get()
      let newest = try await cloud.zone().record(for: id("a"))
      #expect(newest["title"] as? String == "y")
      #expect((newest["count"] as? Int, fetched["count"] as? Int) == (8, 7))
    }
  }

  @Test func `a saved record has its creator, its last modifier and both dates`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let record = note("a", title: "x")
      #expect(record.creationDate == nil && record.recordChangeTag == nil)
      let saved = try await database.save(record)
      #expect(saved === record)
      let tag = try #require(saved.recordChangeTag)
      let made = try #require(saved.creationDate)
      #expect(saved.modificationDate == made)
      #expect(saved.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
      #expect(saved.lastModifiedUserRecordID?.recordName == CKCurrentUserDefaultName)
      #expect(saved.changedKeys().isEmpty)
      saved["title"] = "y"
      #expect(saved.changedKeys() == ["title"])
      try await database.save(saved)
      #expect(saved.recordChangeTag != tag)
      #expect(saved.creationDate == made)
      let fetched = try await cloud.zone().record(for: id("a"))
      #expect(fetched.recordChangeTag == saved.recordChangeTag)
      #expect(fetched.modificationDate == saved.modificationDate)
      #expect(fetched.recordID == id("a"))
      #expect(fetched.recordType == "Note")
    }
  }

  @Test
  func `a record that was fetched with some keys can be saved with those keys`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let whole = note("a", title: "x")
      whole["text"] = "long"
      whole["count"] = 1
      try await database.save(whole)
      let found = try await database.records(for: [id("a")], desiredKeys: ["title", "count"])
      let part = try #require(try found[id("a")]?.get())
      #expect(part.allKeys() == ["count", "title"])
      part["title"] = "y"
      try await database.save(part)
      let after = try await database.record(for: id("a"))
      #expect(after["title"] as? String == "y")
      #expect(after["text"] as? String == "long")
      #expect(after["count"] as? Int == 1)
      let (results, _) = try await database.modifyRecords(
        saving: [part], deleting: [], savePolicy: .allKeys)
      _ = try results[id("a")]?.get()
      #expect(try await database.record(for: id("a"))["text"] as? String == "long")
      let none = try await database.records(for: [id("a")], desiredKeys: [])
      #expect(try none[id("a")]?.get().allKeys() == [])
    }
  }

  @Test func `a record can be restored from its encoded system fields`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let record = note("a", title: "x")
      record["text"] = "long"
      record.parent = nil
      try await database.save(record)
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      record.encodeSystemFields(with: archiver)
      archiver.finishEncoding()
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
      unarchiver.requiresSecureCoding = true
      let copy = try #require(CKRecord(coder: unarchiver))
      #expect(copy.allKeys().isEmpty && copy.changedKeys().isEmpty)
      #expect(copy.recordChangeTag == record.recordChangeTag)
      copy["title"] = "y"
      try await database.save(copy)
      let after = try await database.record(for: id("a"))
      #expect(after["title"] as? String == "y")
      #expect(after["text"] as? String == "long")
      record["title"] = "stale"
      await expect(.serverRecordChanged) { try await database.save(record) }
    }
  }

  @Test func `a record keeps its parent until the parent is removed`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let child = note("child", title: "x")
      child.setParent(id("parent"))
      let (results, _) = try await database.modifyRecords(
        saving: [child, note("parent")], deleting: [])
      for result in results.values { _ = try result.get() }
      let found = try await database.record(for: id("child"))
      #expect(found.parent?.recordID == id("parent"))
      #expect(found.parent?.action == CKRecord.ReferenceAction.none)
      found["title"] = "y"
      try await database.save(found)
      #expect(try await database.record(for: id("child")).parent?.recordID == id("parent"))
      found.parent = nil
      try await database.save(found)
      #expect(try await database.record(for: id("child")).parent == nil)
    }
  }

  @Test func `a record can have a name in any script`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let name = "Größe/世界?&#%+ 👋"
      try await database.save(note(name, title: "x"))
      #expect(try await database.record(for: id(name)).recordID.recordName == name)
    }
  }

  @Test func `a record name must not begin with an underscore or exceed 255 characters`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      await expect(.invalidArguments) { try await database.save(note("_a")) }
      let long = String(repeating: "n", count: 256)
      await expect(.invalidArguments) { try await database.save(note(long)) }
      try await database.save(note(String(repeating: "n", count: 255)))
    }
  }

  @Test func `a record without a given name is saved under a generated name`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let record = CKRecord(recordType: "Note")
      try await database.save(record)
      #expect(UUID(uuidString: record.recordID.recordName) != nil)
      #expect(try await database.record(for: record.recordID).recordID == record.recordID)
    }
  }

  @Test func `a record type consists of letters, digits and underscores`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let record = CKRecord(recordType: "My Note", recordID: id("a"))
      await expect(.invalidArguments) { try await database.save(record) }
      try await database.save(note("b"))
      await expect(.serverRecordChanged) {
        try await database.save(CKRecord(recordType: "Folder", recordID: id("b")))
      }
    }
  }

  @Test func `a record of a new type is refused in production`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device(in: .production).privateCloudDatabase
      try await database.save(CKRecordZone(zoneID: zoneZ))
      await expect(.invalidArguments) { try await database.save(note("a", title: "x")) }
    }
  }

  @Test func `a record in development does not exist in production`() async throws {
    try await withCloud { cloud in
      try await cloud.zone().saveNotes(["a"])
      let database = try await cloud.device(in: .production).privateCloudDatabase
      await expect(.zoneNotFound) { try await database.record(for: id("a")) }
    }
  }

  @Test func `a record in a private database belongs to one user only`() async throws {
    try await withCloud { cloud in
      try await cloud.zone().saveNotes(["a"])
      let other = try await cloud.zone(of: "bob@example.org")
      await expect(.unknownItem) { try await other.record(for: id("a")) }
    }
  }
}
