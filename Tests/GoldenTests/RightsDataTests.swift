import Foundation
import StratusTesting
import StratusWire
import Testing

@testable import StratusKit

/// The data have layout 12. In this layout, the numbers in change tags, notifications and zone
/// tokens came from counters of all users together.
@Suite struct `Server data from the release with users' rights` {
  private static let release = GoldenFiles.rights

  private func text(_ name: String) throws -> String {
    try GoldenFiles.text(name, of: Self.release)
  }

  private func token(_ name: String) throws -> CKServerChangeToken {
    try GoldenFiles.object(name, of: CKServerChangeToken.self, by: Self.release)
  }

  @Test(arguments: [false, true])
  func `a server with data of the rights release has the change tags that devices hold`(
    isReopened: Bool
  ) async throws {
    try await withGoldenServer(of: Self.release, isReopened: isReopened) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      for (zone, names) in [
        ("Notes", ["all-1", "note-1", "note-2", "big-2", "child-1"]), ("Again", ["again-2"]),
        ("Trips", ["trip-1", "stop-3"]), ("Team", ["task-1"]),
      ] {
        for name in names {
          let id = GoldenFiles.id(name, in: CKRecordZone.ID(zoneName: zone))
          let record = try await database.record(for: id)
          #expect(record.recordChangeTag == (try text("changeTag.\(zone).\(name)")))
        }
      }
    }
  }

  @Test func `a device that holds a record of the rights release saves it without a conflict`()
    async throws
  {
    try await withGoldenServer(of: Self.release) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let held = try GoldenFiles.object(
        "record-fetched-late", of: CKRecord.self, by: Self.release)
      let stale = try #require(held.copy() as? CKRecord)
      #expect(held.recordChangeTag == (try text("changeTag.Notes.all-1")))
      held["count"] = 77
      let saved = try await database.save(held)
      // The old tag had the change number 3. The save is at 13:00 UTC on 1 November 2026, which is
      // 1,793,538,000,000 milliseconds since 1970.
      #expect(saved.recordChangeTag == "4mvxu7ts0")
      stale["count"] = 78
      let error = await #expect(throws: CKError.self) { _ = try await database.save(stale) }
      #expect(error?.code == .serverRecordChanged)
      saved["count"] = 79
      #expect(try await database.save(saved).recordChangeTag == "5mvxu7ts0")
    }
  }

  @Test
  func `in data of the rights release, the change tag of a new record counts only its own changes`()
    async throws
  {
    try await withGoldenServer(of: Self.release) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let new = CKRecord(recordType: "Note", recordID: GoldenFiles.id("new-1"))
      #expect(try await database.save(new).recordChangeTag == "1mvxu7ts0")
      // The earlier release deleted this record with the change number 18. The digit j is 19.
      let again = CKRecord(recordType: "Note", recordID: GoldenFiles.id("note-3"))
      #expect(try await database.save(again).recordChangeTag == "jmvxu7ts0")
    }
  }

  @Test(arguments: [false, true])
  func `zone tokens of the rights release are still valid`(isReopened: Bool) async throws {
    try await withGoldenServer(of: Self.release, isReopened: isReopened) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let late = try await database.recordZoneChanges(
        inZoneWith: GoldenFiles.notes, since: token("zone-token-Notes-late"))
      #expect(
        Set(late.modificationResultsByID.keys.map(\.recordName)) == ["big-2", "interrupted-1"])
      let again = CKRecordZone.ID(zoneName: "Again")
      let error = await #expect(throws: CKError.self) {
        _ = try await database.recordZoneChanges(
          inZoneWith: again, since: token("zone-token-Again-early"))
      }
      #expect(error?.code == .changeTokenExpired)
      let current = try await database.recordZoneChanges(
        inZoneWith: again, since: token("zone-token-Again-late"))
      #expect(current.modificationResultsByID.isEmpty)
      _ = try await database.deleteRecordZone(withID: again)
      _ = try await database.save(CKRecordZone(zoneID: again))
      let expired = await #expect(throws: CKError.self) {
        _ = try await database.recordZoneChanges(
          inZoneWith: again, since: token("zone-token-Again-late"))
      }
      #expect(expired?.code == .changeTokenExpired)
    }
  }

  @Test func `a notifications token of the rights release gets exactly the later notifications`()
    async throws
  {
    try await withGoldenServer(of: Self.release) { golden in
      let container = try golden.container(of: "alice")
      // NB: the server matches changes with subscriptions only in open stores.
      _ = try await container.privateCloudDatabase.allRecordZones()
      let before = try await container.notifications(since: token("notifications-token-late"))
      try await golden.server.matchChanges()
      let after = try await container.notifications(since: token("notifications-token-late"))
      #expect(before.notifications.isEmpty)
      let query = after.notifications.compactMap { $0 as? CKQueryNotification }
      #expect(query.map(\.recordID?.recordName) == ["big-2"])
      let last = try await container.notifications(since: after.token)
      #expect(last.notifications.isEmpty)
    }
  }
}
