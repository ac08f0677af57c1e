import CloudKit
import StratusTesting
import Testing

@Suite struct `A server that starts again` {
  @Test
  func `a restarted server has every acknowledged write and accepts earlier change tokens`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-restart-" + CKRecord.ID().recordName)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try await TestServer(folder: folder)
    let before = try await Cloud(server: first).zone()
    try await before.saveNotes(["a", "b"])
    let seen = try await before.recordZoneChanges(inZoneWith: zoneZ, since: nil)
    let mine = try await before.record(for: id("a"))
    try await before.deleteRecord(withID: id("b"))
    await first.stop()

    let second = try await TestServer(folder: folder)
    let after = try await Cloud(server: second).zone()
    #expect(try await after.record(for: id("a")).recordChangeTag == mine.recordChangeTag)
    let changes = try await after.recordZoneChanges(inZoneWith: zoneZ, since: seen.changeToken)
    #expect(changes.modificationResultsByID.isEmpty)
    #expect(changes.deletions.map(\.recordID) == [id("b")])
    mine["title"] = "after"
    try await after.save(mine)
    await second.stop()
  }
}
