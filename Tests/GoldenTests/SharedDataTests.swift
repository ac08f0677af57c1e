import Foundation
import StratusTesting
import StratusWire
import Testing

@testable import StratusKit

/// Tests/GoldenMaker/ServerDataMaker+Shares.swift wrote the data.
@Suite struct `Server data from the first release with sharing` {
  private static let release = GoldenFiles.sharing

  private func text(_ name: String) throws -> String {
    try GoldenFiles.text(name, of: Self.release)
  }

  /// The ID of a zone of Alice's, as Bob sees it.
  private func alices(_ zone: String) throws -> CKRecordZone.ID {
    CKRecordZone.ID(zoneName: zone, ownerName: try text("userRecordName.alice"))
  }

  private func names(
    in zone: CKRecordZone.ID, of database: CKDatabase
  ) async throws -> Set<String> {
    let page = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
    #expect(!page.moreComing)
    return Set(page.modificationResultsByID.keys.map(\.recordName))
  }

  @Test(arguments: [false, true])
  func `a server with data of the sharing release has all zones and records`(isReopened: Bool)
    async throws
  {
    try await withGoldenServer(of: Self.release, isReopened: isReopened) { golden in
      let database = try golden.container(of: "alice").privateCloudDatabase
      let zones = try await database.allRecordZones().map(\.zoneID.zoneName)
      #expect(
        Set(zones) == [
          "_defaultZone", "Notes", "Places", "Again", "Empty", "Late", "Trips", "Team",
        ])
      let trips = CKRecordZone.ID(zoneName: "Trips")
      #expect(
        try await names(in: trips, of: database) == [
          "trip-1", "trip-share", "stop-1", "stop-2", "stop-3", "stop-4", "diary-1",
        ])
      #expect(
        try await names(in: GoldenFiles.notes, of: database) == [
          "all-1", "secret-1", "folder-1", "note-1", "note-2", "note-4", "note-5", "note-6",
          "note-7", "child-1", "big-1", "big-2", "interrupted-1",
        ])
      let second = try await database.record(for: GoldenFiles.id("stop-2", in: trips))
      #expect(second["title"] as? String == "Stop 2, by Bob")
      #expect(try (second["photo"] as? CKAsset)?.text == "bobs bytes")
      #expect(second.parent?.recordID == GoldenFiles.id("trip-1", in: trips))
      let third = try await database.record(for: GoldenFiles.id("stop-3", in: trips))
      #expect(third.parent == nil)
      let all = try await database.record(for: GoldenFiles.id("all-1"))
      GoldenValues.expectFields(of: all, isWhole: false)
      let secret = try await database.record(for: GoldenFiles.id("secret-1"))
      GoldenValues.expectSecrets(of: secret, isWhole: false)
    }
  }

  @Test(arguments: [false, true])
  func `with data of the sharing release, a participant still sees exactly the shared records`(
    isReopened: Bool
  ) async throws {
    try await withGoldenServer(of: Self.release, isReopened: isReopened) { golden in
      let shared = try golden.container(of: "bob").sharedCloudDatabase
      let zones = try await shared.allRecordZones().map(\.zoneID)
      #expect(Set(zones) == [try alices("Trips"), try alices("Team")])
      #expect(
        try await names(in: alices("Trips"), of: shared) == [
          "trip-1", "trip-share", "stop-1", "stop-2", "stop-4",
        ])
      #expect(try await names(in: alices("Team"), of: shared).contains("task-1"))
      let first = try await shared.record(for: GoldenFiles.id("stop-1", in: alices("Trips")))
      first["title"] = "Stop 1, by Bob"
      #expect(try await shared.save(first)["title"] as? String == "Stop 1, by Bob")
      let task = try await shared.record(for: GoldenFiles.id("task-1", in: alices("Team")))
      task["title"] = "not allowed"
      let error = await #expect(throws: CKError.self) { _ = try await shared.save(task) }
      #expect(error?.code == .permissionFailure)
    }
  }

  @Test func `a participant's tokens of the sharing release are still valid`() async throws {
    try await withGoldenServer(of: Self.release) { golden in
      let shared = try golden.container(of: "bob").sharedCloudDatabase
      let database = try GoldenFiles.object(
        "shared-database-token", of: CKServerChangeToken.self, by: Self.release)
      let changed = try await shared.databaseChanges(since: database)
      #expect(changed.modifications.map(\.zoneID) == [try alices("Trips")])
      let zone = try GoldenFiles.object(
        "shared-zone-token-Trips", of: CKServerChangeToken.self, by: Self.release)
      let page = try await shared.recordZoneChanges(inZoneWith: alices("Trips"), since: zone)
      #expect(page.modificationResultsByID.isEmpty)
      #expect(page.deletions.map(\.recordID.recordName) == ["stop-3"])
    }
  }

  @Test func `a share of the sharing release keeps its title, URL and participants`() async throws {
    try await withGoldenServer(of: Self.release) { golden in
      let alice = try golden.container(of: "alice")
      let id = GoldenFiles.id("trip-share", in: CKRecordZone.ID(zoneName: "Trips"))
      let found = try await alice.privateCloudDatabase.record(for: id)
      let share = try #require(found as? CKShare)
      #expect(share[CKShare.SystemFieldKey.title] as? String == "Summer trip")
      #expect(share.url?.absoluteString == (try text("shareURL.trip")))
      #expect(share.participants.count == 2)
      let bob = try #require(share.participants.first { $0.role != .owner })
      #expect(bob.acceptanceStatus == .accepted)
      #expect(bob.permission == .readWrite)
      #expect(bob.userIdentity.lookupInfo?.emailAddress == "bob@example.org")
      let url = try #require(URL(string: try text("shareURL.team")))
      let metadata = try await golden.container(of: "bob").shareMetadata(for: url)
      #expect(metadata.share.publicPermission == .readOnly)
      #expect(metadata.participantStatus == .accepted)
    }
  }

  @Test func `a server with data of the sharing release keeps its quotas and accounts`()
    async throws
  {
    try await withGoldenServer(of: Self.release) { golden in
      let shown = try await golden.manage(
        ShowQuota.self,
        .init(
          containerID: GoldenFiles.golden, environment: .development, email: "alice@example.org"))
      #expect(shown.quotaBytes == 80_000_000)
      #expect(shown.userQuotaBytes == 50_000_000)
      #expect(shown.types.first { $0.recordType == "Trip" }?.records == 1)
      #expect(shown.types.first { $0.recordType == "Stop" }?.records == 5)
      let accounts = try await golden.manage(ListAccounts.self, .init()).accounts
      let standing = Dictionary(uniqueKeysWithValues: accounts.map { ($0.email, $0.isDisabled) })
      #expect(standing["bob@example.org"] == false)
      #expect(standing["carol@example.org"] == true)
    }
  }
}
