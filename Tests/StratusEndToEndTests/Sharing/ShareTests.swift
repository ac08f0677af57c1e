import CloudKit
import StratusTesting
import Testing

@Suite struct `Sharing a list` {
  @Test
  func `a shared list has a share with a URL, and its root refers to the share`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList()
      let url = try #require(share.url)
      #expect(url.scheme == "http")
      #expect(url.path.hasPrefix("/share/"))
      #expect(url.fragment == "List")
      #expect(share.recordChangeTag != nil)
      #expect(share.currentUserParticipant == share.owner)
      let root = try await scene.ann.privateCloudDatabase.record(for: id("root"))
      #expect(root.share?.recordID == share.recordID)
      let fetched = try await scene.ann.privateCloudDatabase.record(for: share.recordID)
      #expect((fetched as? CKShare)?.url == url)
      #expect((fetched as? CKShare)?.participants.count == 2)
    }
  }

  @Test func `an invited user sees the share's metadata before accepting it`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList()
      let operation = CKFetchShareMetadataOperation(shareURLs: [try #require(share.url)])
      operation.shouldFetchRootRecord = true
      let metadata = try await withCheckedThrowingContinuation { continuation in
        operation.perShareMetadataResultBlock = { continuation.resume(with: $1) }
        scene.bob.add(operation)
      }
      #expect(metadata.containerIdentifier == Cloud.containerID)
      #expect(metadata.participantRole == .privateUser)
      #expect(metadata.participantStatus == .pending)
      #expect(metadata.participantPermission == .readWrite)
      #expect(metadata.rootRecord?["title"] as? String == "List")
      #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "List")
      let ann = try await scene.ann.userRecordID().recordName
      #expect(metadata.ownerIdentity.userRecordID?.recordName == ann)
      #expect(try await scene.bob.sharedCloudDatabase.allRecordZones().isEmpty)
    }
  }

  @Test func `an invited user sees the shared hierarchy and nothing else`() async throws {
    try await withSharing { scene in
      let share = try await scene.open(scene.shareList(), on: scene.bob)
      #expect(share.currentUserParticipant?.acceptanceStatus == .accepted)
      let zoneID = try await scene.annsZone()
      let zones = try await scene.bob.sharedCloudDatabase.allRecordZones()
      #expect(zones.map(\.zoneID) == [zoneID])
      #expect(
        try await scene.names(on: scene.bob) == ["root", "a", "b", share.recordID.recordName])
      let shared = scene.bob.sharedCloudDatabase
      let item = try await shared.record(for: id("a", in: zoneID))
      #expect(item.parent?.recordID == id("root", in: zoneID))
      await expect(.unknownItem) { try await shared.record(for: id("outside", in: zoneID)) }
    }
  }

  @Test
  func `an invited user can edit and add records, and the owner sees the changes`() async throws {
    try await withSharing { scene in
      try await scene.open(scene.shareList(), on: scene.bob)
      let zoneID = try await scene.annsZone()
      let shared = scene.bob.sharedCloudDatabase
      let item = try await shared.record(for: id("a", in: zoneID))
      item["title"] = "changed"
      try await shared.save(item)
      let new = note("new", in: zoneID, title: "new")
      new.setParent(id("root", in: zoneID))
      try await shared.save(new)
      let own = scene.ann.privateCloudDatabase
      let changed = try await own.record(for: id("a"))
      #expect(changed["title"] as? String == "changed")
      let bob = try await scene.bob.userRecordID().recordName
      #expect(changed.lastModifiedUserRecordID?.recordName == bob)
      #expect(try await own.record(for: id("new"))["title"] as? String == "new")
      let orphan = note("orphan", in: zoneID)
      await expect(.permissionFailure) { try await shared.save(orphan) }
    }
  }

  /// Bob joins after Ann's device has saved the share, so Ann's copy does not contain Bob. The
  /// policies `allKeys` and `changedKeys` compare no change tags.
  @Test
  func `a save of an old copy of a share without a tag comparison keeps newly joined users`()
    async throws
  {
    try await withSharing { scene in
      let share = try await scene.shareList(with: [], publicPermission: .readWrite)
      try await scene.open(share, on: scene.bob)
      share[CKShare.SystemFieldKey.title] = "New title"
      for policy in [CKModifyRecordsOperation.RecordSavePolicy.allKeys, .changedKeys] {
        let (results, _) = try await scene.ann.privateCloudDatabase.modifyRecords(
          saving: [share], deleting: [], savePolicy: policy)
        _ = try results[share.recordID]?.get()
        #expect(try await scene.names(on: scene.bob).contains("a"))
      }
      #expect(share.participants.count == 2)
    }
  }

  @Test func `a participant with only the permission to read cannot write`() async throws {
    try await withSharing { scene in
      try await scene.open(scene.shareList(permission: .readOnly), on: scene.bob)
      let shared = scene.bob.sharedCloudDatabase
      let item = try await shared.record(for: id("a", in: scene.annsZone()))
      item["title"] = "changed"
      await expect(.permissionFailure) { try await shared.save(item) }
    }
  }

  @Test func `a user who is not invited gets no metadata of a share`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList(with: [scene.bob].map { _ in SharedScene.bobsEmail })
      let eve = try await scene.cloud.device(of: "eve@example.org")
      // The server does not know whether Eve also owns the invited address.
      await expect(.participantMayNeedVerification) {
        try await eve.shareMetadata(for: try #require(share.url))
      }
      try await scene.open(share, on: scene.bob)
      await expect(.unknownItem) { try await eve.shareMetadata(for: try #require(share.url)) }
    }
  }

  @Test func `a share with a public permission lets all users with its URL join`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList(with: [], publicPermission: .readOnly)
      let eve = try await scene.cloud.device(of: "eve@example.org")
      let joined = try await scene.open(share, on: eve)
      #expect(joined.currentUserParticipant?.role == .publicUser)
      #expect(try await scene.names(on: eve).contains("a"))
    }
  }

  @Test func `a record of a shared list cannot be the root of a second share`() async throws {
    try await withSharing { scene in
      try await scene.shareList()
      let own = scene.ann.privateCloudDatabase
      for name in ["root", "a"] {
        let root = try await own.record(for: id(name))
        let again = CKShare(rootRecord: root)
        let (results, _) = try await own.modifyRecords(saving: [root, again], deleting: [])
        #expect(code(results[again.recordID]) == .alreadyShared, "\(name)")
      }
    }
  }

  @Test
  func `a list that is shared again gets the URL of its deleted share`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList()
      let first = try #require(share.url)
      let own = scene.ann.privateCloudDatabase
      try await own.deleteRecord(withID: share.recordID)
      #expect(try await own.record(for: id("root")).share == nil)
      await expect(.unknownItem) { try await scene.bob.shareMetadata(for: first) }
      #expect(try await scene.shareList().url == first)
    }
  }
}

@Suite struct `A participant` {
  @Test
  func `a participant leaves by deleting the share, and the owner keeps the records`() async throws
  {
    try await withSharing { scene in
      let share = try await scene.open(scene.shareList(), on: scene.bob)
      let shared = scene.bob.sharedCloudDatabase
      try await shared.deleteRecord(withID: share.recordID)
      #expect(try await shared.allRecordZones().isEmpty)
      await expect(.zoneNotFound) { try await shared.record(for: id("a", in: scene.annsZone())) }
      let own = scene.ann.privateCloudDatabase
      #expect(try await own.record(for: id("a"))["title"] as? String == "a")
      #expect(try await own.record(for: id("root")).share != nil)
    }
  }

  @Test func `a participant leaves a shared list by deleting its zone`() async throws {
    try await withSharing { scene in
      try await scene.open(scene.shareList(), on: scene.bob)
      let shared = scene.bob.sharedCloudDatabase
      try await shared.deleteRecordZone(withID: scene.annsZone())
      #expect(try await shared.allRecordZones().isEmpty)
      #expect(try await scene.ann.privateCloudDatabase.record(for: id("a"))["title"] != nil)
    }
  }

  @Test func `a participant loses access when the owner removes the participant`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList()
      try await scene.open(share, on: scene.bob)
      let own = scene.ann.privateCloudDatabase
      let fetched = try #require(try await own.record(for: share.recordID) as? CKShare)
      let bob = try #require(fetched.participants.first { $0 != fetched.owner })
      #expect(bob.acceptanceStatus == .accepted)
      fetched.removeParticipant(bob)
      try await scene.save([fetched])
      #expect(fetched.participants.count == 1)
      let shared = scene.bob.sharedCloudDatabase
      #expect(try await shared.allRecordZones().isEmpty)
      await expect(.zoneNotFound) { try await shared.record(for: id("a", in: scene.annsZone())) }
    }
  }

  @Test
  func `a participant may write after the owner has raised the participant's permission`()
    async throws
  {
    try await withSharing { scene in
      let share = try await scene.shareList(permission: .readOnly)
      try await scene.open(share, on: scene.bob)
      let fetched = try #require(
        try await scene.ann.privateCloudDatabase.record(for: share.recordID) as? CKShare)
      fetched.participants.first { $0 != fetched.owner }?.permission = .readWrite
      try await scene.save([fetched])
      let shared = scene.bob.sharedCloudDatabase
      let item = try await shared.record(for: id("a", in: scene.annsZone()))
      item["title"] = "by Bob"
      try await shared.save(item)
      #expect(
        try await scene.ann.privateCloudDatabase.record(for: id("a"))["title"] as? String
          == "by Bob")
    }
  }
}

@Suite struct `Sharing a zone` {
  @Test
  func `the participant of a shared zone sees all records, and the zone refers to its share`()
    async throws
  {
    try await withSharing { scene in
      let share = try await scene.shareZone()
      let zone = try await scene.ann.privateCloudDatabase.recordZone(for: zoneZ)
      #expect(zone.share?.recordID == share.recordID)
      let metadata = try await scene.bob.shareMetadata(for: try #require(share.url))
      #expect(metadata.hierarchicalRootRecordID == nil)
      try await scene.bob.accept(metadata)
      #expect(
        try await scene.names(on: scene.bob)
          == ["root", "a", "b", "outside", CKRecordNameZoneWideShare])
      try await scene.bob.sharedCloudDatabase.save(note("new", in: scene.annsZone(), title: "x"))
      #expect(try await scene.ann.privateCloudDatabase.record(for: id("new"))["title"] != nil)
    }
  }

  @Test func `a zone and a list in it cannot both be shared`() async throws {
    try await withSharing { scene in
      _ = try await scene.shareZone()
      await expect(.serverRejectedRequest) { try await scene.shareList() }
      await expect(.serverRecordChanged) { try await scene.shareZone(with: []) }
    }
    try await withSharing { scene in
      try await scene.shareList()
      await expect(.invalidArguments) { try await scene.shareZone() }
    }
  }
}
