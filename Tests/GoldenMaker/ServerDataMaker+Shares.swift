import Foundation
import StratusFoundation
import StratusTesting
import StratusWire

@testable import StratusKit

/// Makes shares and quotas. Releases before sharing have none of these.
extension ServerDataMaker {
  static let trips = CKRecordZone.ID(zoneName: "Trips")
  static let team = CKRecordZone.ID(zoneName: "Team")

  /// Alice shares a trip with Bob, and Bob changes the trip. Alice also shares a whole zone with
  /// all users who have the share's URL.
  func sharing() async throws {
    let alice = scene.container(of: "alice", on: "laptop")
    let bob = scene.container(of: "bob", on: "bob")
    let database = alice.privateCloudDatabase
    for zone in [Self.trips, Self.team] { _ = try await database.save(CKRecordZone(zoneID: zone)) }
    let trip = record("trip-1", "Summer", type: "Trip")
    let stops = (1...3).map { record("stop-\($0)", "Stop \($0)", parent: trip) }
    try await save([trip] + stops + [record("diary-1", "Alone")], to: database)

    let share = CKShare(rootRecord: trip, shareID: GoldenValues.id("trip-share", in: Self.trips))
    share[CKShare.SystemFieldKey.title] = "Summer trip"
    let participant = try await alice.shareParticipant(forEmailAddress: "bob@example.org")
    participant.permission = .readWrite
    share.addParticipant(participant)
    try await save([trip, share], to: database)
    try await open(share, "trip", on: bob)

    try await save([record("task-1", "Task", type: "Task", in: Self.team)], to: database)
    let zoneShare = CKShare(recordZoneID: Self.team)
    zoneShare.publicPermission = .readOnly
    try await save([zoneShare], to: database)
    try await open(zoneShare, "team", on: bob)
    try await bobsPart(bob)

    // The third stop leaves the trip, so Bob must not see it any more.
    let leaving = try await database.record(for: GoldenValues.id("stop-3", in: Self.trips))
    leaving.parent = nil
    try await save([leaving], to: database)
    try await scene.server.continueCascades()
    try await settings()
  }

  private func record(
    _ name: String, _ title: String, type: String = "Stop", parent: CKRecord? = nil,
    in zone: CKRecordZone.ID = ServerDataMaker.trips
  ) -> CKRecord {
    let record = CKRecord(recordType: type, recordID: GoldenValues.id(name, in: zone))
    record["title"] = title
    if let parent { record.setParent(parent) }
    return record
  }

  private func open(_ share: CKShare, _ name: String, on container: CKContainer) async throws {
    guard let url = share.url else { throw MakerFailure("the share \(name) has no URL") }
    scene.note("shareURL.\(name)", url.absoluteString)
    let metadata = try await container.shareMetadata(for: url)
    _ = try await container.accept(metadata)
    scene.pass()
  }

  /// Bob writes to the shared trip, and his app stores its tokens.
  private func bobsPart(_ bob: CKContainer) async throws {
    let owner = scene.text("userRecordName.alice")
    let zone = CKRecordZone.ID(zoneName: "Trips", ownerName: owner)
    let shared = bob.sharedCloudDatabase
    let second = try await shared.record(for: GoldenValues.id("stop-2", in: zone))
    second["title"] = "Stop 2, by Bob"
    second["photo"] = CKAsset(fileURL: try scene.file("bobs.bin", "bobs bytes"))
    let own = CKRecord(recordType: "Stop", recordID: GoldenValues.id("stop-4", in: zone))
    own["title"] = "Stop 4, by Bob"
    own.setParent(GoldenValues.id("trip-1", in: zone))
    let (saved, _) = try await shared.modifyRecords(saving: [second, own], deleting: [])
    for result in saved.values { _ = try result.get() }
    scene.pass()
    let changes = try await shared.databaseChanges(since: nil)
    try archive.write(changes.changeToken, as: "shared-database-token")
    let page = try await shared.recordZoneChanges(inZoneWith: zone, since: nil)
    try archive.write(page.changeToken, as: "shared-zone-token-Trips")
  }

  private func settings() async throws {
    for (target, bytes) in [
      (SetQuota.Target.eachUser, Int64(50_000_000)),
      (.account(email: "alice@example.org"), 80_000_000),
    ] {
      _ = try await scene.manage(
        SetQuota.self,
        .init(
          containerID: MakerScene.golden, environment: .development, target: target,
          limit: .bytes(bytes)))
    }
    scene.pass()
  }
}
