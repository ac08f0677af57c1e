import CloudKit
import StratusTesting
import Testing

/// Ann's zone Z with a list and a note. The list consists of the record `root` and its items `a`
/// and `b`. The note `outside` does not belong to the list. Bob has his own account.
struct SharedScene: Sendable {
  static let annsEmail = "ann@example.org"
  static let bobsEmail = "bob@example.org"

  let cloud: Cloud
  let ann: CKContainer
  let bob: CKContainer

  init(_ cloud: Cloud) async throws {
    self.cloud = cloud
    ann = try await cloud.device(of: Self.annsEmail)
    bob = try await cloud.device(of: Self.bobsEmail)
    try await ann.privateCloudDatabase.save(CKRecordZone(zoneID: zoneZ))
    let root = note("root", title: "List")
    let items = ["a", "b"].map { name in
      let item = note(name, title: name)
      item.setParent(root)
      return item
    }
    let saves = [root] + items + [note("outside", title: "outside")]
    let (results, _) = try await ann.privateCloudDatabase.modifyRecords(saving: saves, deleting: [])
    for result in results.values { _ = try result.get() }
  }

  /// Shares the list with people, and returns the saved share.
  @discardableResult
  func shareList(
    with emails: [String] = [bobsEmail],
    permission: CKShare.ParticipantPermission = .readWrite,
    publicPermission: CKShare.ParticipantPermission = .none
  ) async throws -> CKShare {
    let root = try await ann.privateCloudDatabase.record(for: id("root"))
    let share = CKShare(rootRecord: root)
    share[CKShare.SystemFieldKey.title] = "List"
    share.publicPermission = publicPermission
    try await invite(emails, to: share, permission)
    try await save([root, share])
    return share
  }

  /// Shares the zone with people.
  func shareZone(
    with emails: [String] = [bobsEmail], permission: CKShare.ParticipantPermission = .readWrite
  ) async throws -> CKShare {
    let share = CKShare(recordZoneID: zoneZ)
    try await invite(emails, to: share, permission)
    try await save([share])
    return share
  }

  func invite(
    _ emails: [String], to share: CKShare, _ permission: CKShare.ParticipantPermission = .readWrite
  ) async throws {
    for email in emails {
      let participant = try await ann.shareParticipant(forEmailAddress: email)
      participant.permission = permission
      share.addParticipant(participant)
    }
  }

  /// Saves records in Ann's private database.
  func save(_ records: [CKRecord]) async throws {
    let (results, _) = try await ann.privateCloudDatabase.modifyRecords(
      saving: records, deleting: [])
    // Throws the error that caused the failure rather than the errors of the other records.
    for result in results.values where code(result) != .batchRequestFailed { _ = try result.get() }
    for result in results.values { _ = try result.get() }
  }

  /// Opens a share's URL on a device and accepts the share.
  @discardableResult
  func open(_ share: CKShare, on device: CKContainer) async throws -> CKShare {
    let metadata = try await device.shareMetadata(for: try #require(share.url))
    return try await device.accept(metadata)
  }

  /// The ID of Ann's zone in the shared databases of other users.
  func annsZone() async throws -> CKRecordZone.ID {
    CKRecordZone.ID(zoneName: "Z", ownerName: try await ann.userRecordID().recordName)
  }

  /// The names of all records of Ann's zone that a user can fetch from the shared database.
  func names(on device: CKContainer) async throws -> Set<String> {
    let changes = try await device.sharedCloudDatabase.recordZoneChanges(
      inZoneWith: try await annsZone(), since: nil)
    return Set(changes.modificationResultsByID.keys.map(\.recordName))
  }
}

/// Runs a test with a server, Ann's zone and Bob's account.
func withSharing(_ body: (SharedScene) async throws -> Void) async throws {
  try await withCloud { cloud in try await body(try await SharedScene(cloud)) }
}
