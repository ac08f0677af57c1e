import CloudKit
import Testing

@Suite struct `Records that refer to other records` {
  private func note(
    _ name: String, to target: String? = nil, in zoneID: CKRecordZone.ID = zoneZ
  ) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: id(name, in: zoneID))
    record["owner"] = target.map {
      CKRecord.Reference(recordID: id($0, in: zoneID), action: .deleteSelf)
    }
    return record
  }

  @Test func `records are deleted with the target of their reference`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      // The records of a batch may refer to each other in any order.
      _ = try await database.modifyRecords(
        saving: [note("b", to: "a"), note("a", to: "t"), note("t"), note("c")], deleting: [])
      let token = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil).changeToken
      let (_, deletes) = try await database.modifyRecords(saving: [], deleting: [id("t")])
      #expect(Array(deletes.keys) == [id("t")])
      let changes = try await database.recordZoneChanges(inZoneWith: zoneZ, since: token)
      #expect(Set(changes.deletions.map(\.recordID)) == [id("t"), id("a"), id("b")])
      #expect(Set(changes.deletions.map(\.recordType)) == ["Note"])
      #expect(changes.modificationResultsByID.isEmpty)
      await expect(.unknownItem) { try await database.record(for: id("b")) }
      #expect(try await database.record(for: id("c")).recordID == id("c"))
    }
  }

  @Test
  func `a deletion in the default zone also deletes the records that refer to the target`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      try await database.save(note("t", in: .default))
      try await database.save(note("a", to: "t", in: .default))
      try await database.deleteRecord(withID: id("t", in: .default))
      await expect(.unknownItem) { try await database.record(for: id("a", in: .default)) }
    }
  }

  @Test func `a record may refer to a missing record, but not to a missing parent`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.save(note("a", to: "nowhere"))
      let child = note("c")
      child.setParent(id("nowhere"))
      let error = await expect(.referenceViolation) { try await database.save(child) }
      #expect(error?.retryAfterSeconds == nil)
    }
  }

  @Test
  func `only the record that breaks a reference rule gets the error of the rule`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let child = note("c")
      child.setParent(id("nowhere"))
      let (saves, _) = try await database.modifyRecords(saving: [child, note("a")], deleting: [])
      #expect(code(saves[id("c")]) == .referenceViolation)
      #expect(code(saves[id("a")]) == .batchRequestFailed)
      let (apart, _) = try await database.modifyRecords(
        saving: [child, note("a")], deleting: [], atomically: false)
      #expect(code(apart[id("c")]) == .referenceViolation)
      #expect(try apart[id("a")]?.get().recordChangeTag != nil)
    }
  }

  @Test func `a parent cannot be deleted before its children`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let parent = note("p")
      let child = note("c")
      child.setParent(parent)
      _ = try await database.modifyRecords(saving: [child, parent], deleting: [])
      #expect(try await database.record(for: id("c")).parent?.recordID == id("p"))
      await expect(.referenceViolation) { try await database.deleteRecord(withID: id("p")) }
      let (_, deletes) = try await database.modifyRecords(
        saving: [], deleting: [id("p"), id("c")])
      for result in deletes.values { try result.get() }
      #expect(deletes.count == 2)
    }
  }

  @Test
  func `children are deleted with their parent if they also refer to it with deleteSelf`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let parent = note("p")
      let child = note("c", to: "p")
      child.setParent(parent)
      _ = try await database.modifyRecords(saving: [child, parent], deleting: [])
      try await database.deleteRecord(withID: id("p"))
      await expect(.unknownItem) { try await database.record(for: id("c")) }
    }
  }

  @Test func `a record does not prevent the deletion of its former parent`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let child = note("c")
      child.setParent(id("p"))
      _ = try await database.modifyRecords(saving: [child, note("p")], deleting: [])
      let fetched = try await database.record(for: id("c"))
      fetched.parent = nil
      _ = try await database.modifyRecords(saving: [fetched], deleting: [id("p")])
      #expect(try await database.record(for: id("c")).parent == nil)
      await expect(.unknownItem) { try await database.record(for: id("p")) }
    }
  }
}
