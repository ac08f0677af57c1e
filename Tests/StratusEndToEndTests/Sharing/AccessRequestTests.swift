import CloudKit
import StratusTesting
import Testing

@Suite struct `Asking for access to a list` {
  /// Sends a request for access, and returns the code of its error or nil.
  private func ask(_ share: CKShare, on device: CKContainer) async throws -> CKError.Code? {
    let url = try #require(share.url)
    let results = try await device.requestShareAccess(for: [url])
    switch try #require(results[url]) {
    case .success: return nil
    case .failure(let error): return (error as? CKError)?.code
    }
  }

  private func fetch(_ share: CKShare, of scene: SharedScene) async throws -> CKShare {
    let record = try await scene.ann.privateCloudDatabase.record(for: share.recordID)
    return try #require(record as? CKShare)
  }

  @Test
  func `an approved requester can accept the share and read the list`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList(with: [])
      #expect(try await ask(share, on: scene.bob) == .unknownItem)
      share.allowsAccessRequests = true
      try await scene.save([share])
      #expect(try await ask(share, on: scene.bob) == nil)
      let found = try await fetch(share, of: scene)
      let requester = try #require(found.requesters.first)
      #expect(requester.userIdentity.lookupInfo?.emailAddress == SharedScene.bobsEmail)
      let people = try await scene.ann.shareParticipants(for: [requester.participantLookupInfo])
      found.addParticipant(try #require(people.values.first).get())
      try await scene.save([found])
      #expect(found.requesters.isEmpty)
      #expect(found.participants.last?.isApprovedRequester == true)
      #expect(try await ask(share, on: scene.bob) == .participantAlreadyInvited)
      try await scene.open(share, on: scene.bob)
      #expect(try await scene.names(on: scene.bob).contains("root"))
    }
  }

  @Test func `a request for access by a blocked user fails as for an unknown share`() async throws {
    try await withSharing { scene in
      let share = try await scene.shareList(with: [])
      share.allowsAccessRequests = true
      try await scene.save([share])
      #expect(try await ask(share, on: scene.bob) == nil)
      let found = try await fetch(share, of: scene)
      found.blockRequesters(found.requesters)
      try await scene.save([found])
      #expect(found.blockedIdentities.count == 1)
      #expect(try await ask(share, on: scene.bob) == .unknownItem)
      found.unblockIdentities(found.blockedIdentities)
      try await scene.save([found])
      #expect(try await ask(share, on: scene.bob) == nil)
    }
  }

  @Test func `the first user with a one-time URL joins, and the next user does not`() async throws {
    try await withSharing { scene in
      let guest = CKShare.Participant.oneTimeURLParticipant()
      guest.permission = .readWrite
      let root = try await scene.ann.privateCloudDatabase.record(for: id("root"))
      let share = CKShare(rootRecord: root)
      share.addParticipant(guest)
      try await scene.save([root, share])
      let url = try #require(share.oneTimeURL(for: guest.participantID))
      #expect(url != share.url)
      let metadata = try await scene.bob.shareMetadata(for: url)
      #expect(metadata.participantStatus == .pending)
      #expect(metadata.participantPermission == .readWrite)
      try await scene.bob.accept(metadata)
      #expect(try await scene.names(on: scene.bob).contains("root"))
      let cid = try await scene.cloud.device(of: "cid@example.org")
      await expect(.unknownItem) { try await cid.shareMetadata(for: url) }
      let found = try await fetch(share, of: scene)
      #expect(found.oneTimeURL(for: guest.participantID) == url)
    }
  }
}
