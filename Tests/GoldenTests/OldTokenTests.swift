import Foundation
import StratusFoundation
import StratusTesting
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `Tokens from the last release before sharing` {
  private let later: Set<String> = ["note-2", "note-7", "big-2", "interrupted-1"]
  private let gone: Set<String> = ["note-3", "folder-2", "doomed-1", "doomed-2", "doomed-3"]

  private func token(_ name: String) throws -> CKServerChangeToken {
    try GoldenFiles.object(name, of: CKServerChangeToken.self)
  }

  @Test(arguments: [false, true])
  func `a fetch with an old zone token continues without a gap`(isReopened: Bool) async throws {
    try await withGoldenServer(isReopened: isReopened) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let early = try await database.recordZoneChanges(
        inZoneWith: GoldenFiles.notes, since: token("zone-token-Notes-early"))
      #expect(Set(early.modificationResultsByID.keys.map(\.recordName)) == later)
      #expect(Set(early.deletions.map(\.recordID.recordName)) == gone)
      let types = Dictionary(
        uniqueKeysWithValues: early.deletions.map { ($0.recordID.recordName, $0.recordType) })
      #expect(types["folder-2"] == "Folder")
      #expect(types["note-3"] == "Note")
      let late = try await database.recordZoneChanges(
        inZoneWith: GoldenFiles.notes, since: token("zone-token-Notes-late"))
      #expect(
        Set(late.modificationResultsByID.keys.map(\.recordName)) == ["big-2", "interrupted-1"])
      #expect(late.deletions.isEmpty)
      let empty = try await database.recordZoneChanges(
        inZoneWith: CKRecordZone.ID(zoneName: "Empty"), since: token("zone-token-Empty-early"))
      #expect(empty.modificationResultsByID.isEmpty && empty.deletions.isEmpty)
    }
  }

  @Test func `a fetch with an old zone token can continue in the middle of a zone`() async throws {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let rest = try await database.recordZoneChanges(
        inZoneWith: GoldenFiles.notes, since: token("zone-token-Notes-part-late"))
      let all = try await database.recordZoneChanges(
        inZoneWith: GoldenFiles.notes, since: nil)
      let names = Set(rest.modificationResultsByID.keys.map(\.recordName))
      // The token belongs to a first page of two changes, so at most two changes are missing.
      #expect(names.isSubset(of: Set(all.modificationResultsByID.keys.map(\.recordName))))
      #expect(names.isSuperset(of: later))
      let changes = all.modificationResultsByID.count + all.deletions.count
      #expect(rest.modificationResultsByID.count + rest.deletions.count >= changes - 2)
    }
  }

  @Test
  func `an old token of a zone that was deleted and created again has expired`() async throws {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let again = CKRecordZone.ID(zoneName: "Again")
      let error = await #expect(throws: CKError.self) {
        _ = try await database.recordZoneChanges(
          inZoneWith: again, since: token("zone-token-Again-early"))
      }
      #expect(error?.code == .changeTokenExpired)
      let late = try await database.recordZoneChanges(
        inZoneWith: again, since: token("zone-token-Again-late"))
      #expect(late.modificationResultsByID.isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `a fetch with an old database token continues without a gap`(isReopened: Bool) async throws {
    try await withGoldenServer(isReopened: isReopened) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let early = try await database.databaseChanges(since: token("database-token-early"))
      #expect(
        Set(early.modifications.map(\.zoneID.zoneName)) == ["Notes", "Again", "Late"])
      #expect(early.deletions.map(\.zoneID.zoneName) == ["Gone"])
      let late = try await database.databaseChanges(since: token("database-token-late"))
      #expect(late.modifications.map(\.zoneID.zoneName) == ["Notes"])
      #expect(late.deletions.isEmpty)
    }
  }

  @Test(arguments: ["early", "late"])
  func `a sync engine with an old state continues without a gap`(time: String) async throws {
    try await withGoldenServer { golden in
      let app = ChangesApp()
      var configuration = CKSyncEngine.Configuration(
        database: try golden.container(of: "alice").privateCloudDatabase,
        stateSerialization: try GoldenFiles.engineState("fetched-\(time)"), delegate: app)
      configuration.automaticallySync = false
      let engine = CKSyncEngine(configuration)
      try await engine.fetchChanges()
      await engine.cancelOperations()
      let seen = app.seen.withLock { $0 }
      #expect(!seen.hasAccountChange)
      if time == "early" {
        #expect(seen.records == later.union(["again-2"]))
        #expect(seen.deletedRecords == gone)
        // The zone was deleted and created again. The engine reports first its deletion, then its
        // records.
        #expect(seen.deletedZones == ["Gone", "Again"])
      } else {
        #expect(seen.records == ["big-2", "interrupted-1"])
        #expect(seen.deletedRecords.isEmpty && seen.deletedZones.isEmpty)
      }
    }
  }

  @Test(arguments: ["early", "late"])
  func `a query with an old cursor continues with the next page`(time: String) async throws {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      var cursor: CKQueryOperation.Cursor? = try GoldenFiles.object(
        "query-cursor-\(time)", of: CKQueryOperation.Cursor.self)
      var counts: [Int] = []
      while let next = cursor {
        let page = try await database.records(continuingMatchFrom: next)
        for (_, result) in page.matchResults {
          counts.append(try result.get()["count"] as? Int ?? 0)
        }
        cursor = page.queryCursor
      }
      // The first page had two records whose count is 1. There were more such records before some
      // were deleted.
      #expect(counts.filter { $0 > 1 } == [2, 4, 5, 6, 7, 101, 102])
      if time == "late" { #expect(counts.count == 7) }
    }
  }

  @Test
  func `a fetch with an old notifications token gets the last notification`() async throws {
    try await withGoldenServer { golden in
      let container = try golden.container(of: "alice")
      // NB: the server matches changes with subscriptions only in open stores.
      _ = try await container.privateCloudDatabase.allRecordZones()
      try await golden.server.matchChanges()
      let late = try await container.notifications(
        since: token("notifications-token-late")
      ).notifications
      let query = late.compactMap { $0 as? CKQueryNotification }
      #expect(query.map(\.recordID?.recordName) == ["big-2"])
      #expect(query.map(\.subscriptionID) == ["big-notes"])
      #expect(query.first?.recordFields?["title"] as? String == "Unmatched")
      let early = try await container.notifications(
        since: token("notifications-token-early")
      ).notifications
      // Between the two tokens, there was one notification of a database subscription. The
      // notification of the last change has replaced it.
      #expect(early.map(\.notificationID) == late.map(\.notificationID))
    }
  }

  @Test func `a server with old data has the subscriptions of the earlier release`() async throws {
    try await withGoldenServer { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let all = try await database.allSubscriptions()
      #expect(Set(all.map(\.subscriptionID)) == ["big-notes", "all-changes", "places"])
      let query = try #require(
        all.first { $0.subscriptionID == "big-notes" } as? CKQuerySubscription)
      #expect(query.recordType == "Note")
      #expect(query.querySubscriptionOptions == [.firesOnRecordCreation, .firesOnRecordUpdate])
      #expect(query.predicate == NSPredicate(format: "count > 100"))
      #expect(query.notificationInfo?.desiredKeys == ["title"])
      let zone = try #require(
        all.first { $0.subscriptionID == "places" } as? CKRecordZoneSubscription)
      #expect(zone.zoneID == CKRecordZone.ID(zoneName: "Places"))
      let posts = try await golden.container(of: "bob").publicCloudDatabase.allSubscriptions()
      #expect(posts.map(\.subscriptionID) == ["posts"])
    }
  }
}

/// An app that records the events of its engine.
private final class ChangesApp: CKSyncEngineDelegate {
  struct Seen {
    var records: Set<String> = []
    var deletedRecords: Set<String> = []
    var deletedZones: Set<String> = []
    var hasAccountChange = false
  }

  let seen = Mutex(Seen())

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    seen.withLock { seen in
      switch event {
      case .accountChange: seen.hasAccountChange = true
      case .fetchedDatabaseChanges(let changes):
        seen.deletedZones.formUnion(changes.deletions.map(\.zoneID.zoneName))
      case .fetchedRecordZoneChanges(let changes):
        seen.records.formUnion(changes.modifications.map(\.record.recordID.recordName))
        seen.deletedRecords.formUnion(changes.deletions.map(\.recordID.recordName))
      case .stateUpdate, .sentDatabaseChanges, .sentRecordZoneChanges, .willFetchChanges,
        .willFetchRecordZoneChanges, .didFetchRecordZoneChanges, .didFetchChanges,
        .willSendChanges, .didSendChanges:
        break
      }
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}
