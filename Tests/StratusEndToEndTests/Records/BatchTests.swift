import CloudKit
import Testing

@Suite struct `A batch of saves and deletes` {
  @Test func `a batch returns a result for each item`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["old"])
      let (saves, deletes) = try await database.modifyRecords(
        saving: [note("a", title: "A"), note("b")], deleting: [id("old"), id("never")])
      #expect(Set(saves.keys) == [id("a"), id("b")])
      #expect(try saves[id("a")]?.get().recordChangeTag != nil)
      #expect(Set(deletes.keys) == [id("old"), id("never")])
      for result in deletes.values { try result.get() }
      let found = try await database.records(for: [id("a"), id("b"), id("old")])
      #expect(try found[id("a")]?.get()["title"] as? String == "A")
      #expect(try found[id("b")]?.get().recordType == "Note")
      #expect(code(found[id("old")]) == .unknownItem)
    }
  }

  @Test
  func `a batch is atomic within each zone, and its zones do not affect each other`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.save(CKRecordZone(zoneID: zoneY))
      try await database.saveNotes(["taken", "kept"])
      let (saves, deletes) = try await database.modifyRecords(
        saving: [note("a"), note("taken"), note("b", in: zoneY)], deleting: [id("kept")])
      #expect(code(saves[id("taken")]) == .serverRecordChanged)
      #expect(code(saves[id("a")]) == .batchRequestFailed)
      #expect(code(deletes[id("kept")]) == .batchRequestFailed)
      #expect(try saves[id("b", in: zoneY)]?.get().recordChangeTag != nil)
      let found = try await database.records(
        for: [id("a"), id("kept"), id("b", in: zoneY)])
      #expect(code(found[id("a")]) == .unknownItem)
      #expect(try found[id("kept")]?.get() != nil)
      #expect(try found[id("b", in: zoneY)]?.get() != nil)
    }
  }

  @Test func `a batch that is not atomic saves every valid record`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["taken", "gone"])
      let (saves, deletes) = try await database.modifyRecords(
        saving: [note("a"), note("taken")], deleting: [id("gone")], atomically: false)
      #expect(code(saves[id("taken")]) == .serverRecordChanged)
      #expect(try saves[id("a")]?.get().recordChangeTag != nil)
      try deletes[id("gone")]?.get()
      #expect(try await database.record(for: id("a")).recordID == id("a"))
      await expect(.unknownItem) { try await database.record(for: id("gone")) }
    }
  }

  @Test func `a batch is never atomic in the default zone`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let zone = CKRecordZone.default().zoneID
      try await database.saveNotes(["taken"], in: zone)
      let (saves, _) = try await database.modifyRecords(
        saving: [note("a", in: zone), note("taken", in: zone)], deleting: [])
      #expect(code(saves[id("taken", in: zone)]) == .serverRecordChanged)
      #expect(try saves[id("a", in: zone)]?.get().recordChangeTag != nil)
    }
  }

  @Test
  func `a malformed record makes all items of its zone fail, even in the default zone`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.device().privateCloudDatabase
      let zone = CKRecordZone.default().zoneID
      let bad = note("bad", in: zone)
      bad["x"] = Double.nan
      let (saves, _) = try await database.modifyRecords(
        saving: [note("a", in: zone), bad], deleting: [])
      #expect(code(saves[id("bad", in: zone)]) == .invalidArguments)
      #expect(code(saves[id("a", in: zone)]) == .batchRequestFailed)
      await expect(.unknownItem) { try await database.record(for: id("a", in: zone)) }
    }
  }

  @Test func `a batch of 400 records is saved as a whole or not at all`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let names = (0..<400).map { "r\($0)" }
      try await database.saveNotes(["r399"])
      let (failed, _) = try await database.modifyRecords(
        saving: names.map { note($0) }, deleting: [])
      #expect(failed.values.count { code($0) == .batchRequestFailed } == 399)
      #expect(code(failed[id("r399")]) == .serverRecordChanged)
      try await database.deleteRecord(withID: id("r399"))
      let (saved, _) = try await database.modifyRecords(
        saving: names.map { note($0, title: $0) }, deleting: [])
      #expect(try saved.values.map { try $0.get() }.count == 400)
      let found = try await database.records(for: names.map { id($0) })
      #expect(try found.values.map { try $0.get() }.count == 400)
    }
  }

  @Test func `a batch of more than 400 items fails with limitExceeded`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let names = (0..<401).map { "r\($0)" }
      await expect(.limitExceeded) {
        try await database.modifyRecords(saving: names.map { note($0) }, deleting: [])
      }
      await expect(.limitExceeded) { try await database.records(for: names.map { id($0) }) }
      let (changes, _, _, _) = try await database.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      #expect(changes.isEmpty)
    }
  }

  @Test
  func `a record above 1 MB fails with limitExceeded, and its atomic batch fails as well`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let big = note("big")
      big["text"] = String(repeating: "x", count: 1_100_000)
      await expect(.limitExceeded) { try await database.save(big) }
      let (saves, _) = try await database.modifyRecords(saving: [note("a"), big], deleting: [])
      #expect(code(saves[id("big")]) == .limitExceeded)
      #expect(code(saves[id("a")]) == .batchRequestFailed)
      big["text"] = String(repeating: "x", count: 1_000_000)
      try await database.save(big)
    }
  }

  @Test func `a record may contain nearly 1 MB of bytes`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let big = note("big")
      let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      big["bytes"] = bytes
      try await database.save(big)
      #expect(try await database.record(for: id("big"))["bytes"] as? Data == bytes)
      big["bytes"] = bytes + bytes.prefix(100_000)
      await expect(.limitExceeded) { try await database.save(big) }
    }
  }

  @Test func `a batch of more than 2 MB fails with limitExceeded`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let records = ["a", "b", "c"].map { note($0, title: String(repeating: $0, count: 800_000)) }
      await expect(.limitExceeded) {
        try await database.modifyRecords(saving: records, deleting: [])
      }
      try await database.modifyRecords(saving: Array(records.prefix(2)), deleting: [])
        .saveResults.values.forEach { _ = try $0.get() }
    }
  }

  @Test func `a batch with a client change token that is too long is refused`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let write = CKModifyRecordsOperation(recordsToSave: [note("a")], recordIDsToDelete: nil)
      write.clientChangeTokenData = Data(count: 2_000)
      let journal = Journal()
      write.modifyRecordsResultBlock = { journal.note("\(code($0)?.rawValue ?? 0)") }
      await database.run(write)
      #expect(journal.all == ["12"])
      await expect(.unknownItem) { try await database.record(for: id("a")) }
    }
  }

  @Test func `each item of a batch for an unknown zone fails with zoneNotFound`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let nowhere = CKRecordZone.ID(zoneName: "Nowhere")
      let (saves, deletes) = try await database.modifyRecords(
        saving: [note("a"), note("b", in: nowhere)], deleting: [id("c", in: nowhere)])
      #expect(try saves[id("a")]?.get().recordChangeTag != nil)
      #expect(code(saves[id("b", in: nowhere)]) == .zoneNotFound)
      #expect(code(deletes[id("c", in: nowhere)]) == .zoneNotFound)
      await expect(.zoneNotFound) { try await database.save(note("b", in: nowhere)) }
      let found = try await database.records(for: [id("a"), id("b", in: nowhere)])
      #expect(try found[id("a")]?.get() != nil)
      #expect(code(found[id("b", in: nowhere)]) == .zoneNotFound)
    }
  }

  @Test func `a batch that contains a record twice fails with invalidArguments`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      await expect(.invalidArguments) {
        try await database.modifyRecords(saving: [note("a")], deleting: [id("a")])
      }
    }
  }
}
