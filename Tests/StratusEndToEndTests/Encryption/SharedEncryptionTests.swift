import CloudKit
import StratusTesting
import Testing

/// Ann shares a zone with encrypted values. Each person has a key file of their own
/// (docs/internals/encryption.md, "Shared zones").
struct SealedScene {
  let cloud: Cloud
  let keys = KeyFolder()
  let ann: CKContainer

  static func with(_ body: (SealedScene) async throws -> Void) async throws {
    try await withCloud { cloud in try await body(try await SealedScene(cloud)) }
  }

  init(_ cloud: Cloud) async throws {
    self.cloud = cloud
    ann = try await cloud.container("ann", keys)
    try await ann.privateCloudDatabase.save(CKRecordZone(zoneID: zoneZ))
    try await ann.privateCloudDatabase.save(secret("first", "the first"))
  }

  func device(_ name: String, of person: String? = nil) async throws -> CKContainer {
    try await cloud.container(name, keys, of: (person ?? name) + "@example.org")
  }

  /// Saves the zone's share with exactly these participants, and returns it.
  func share(with people: [String]) async throws -> CKShare {
    let name = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneZ)
    let known = try? await ann.privateCloudDatabase.record(for: name) as? CKShare
    let share = known ?? CKShare(recordZoneID: zoneZ)
    share[CKShare.SystemFieldKey.title] = "Our notes"
    for participant in share.participants where participant.role != .owner {
      let address = participant.userIdentity.lookupInfo?.emailAddress ?? ""
      if !people.contains(where: { address == $0 + "@example.org" }) {
        share.removeParticipant(participant)
      }
    }
    for person in people {
      let participant = try await ann.shareParticipant(
        forEmailAddress: person + "@example.org")
      participant.permission = .readWrite
      share.addParticipant(participant)
    }
    try await ann.privateCloudDatabase.save(share)
    return share
  }

  @discardableResult
  func open(_ url: URL?, on device: CKContainer) async throws -> CKShare {
    try await device.accept(try await device.shareMetadata(for: try #require(url)))
  }

  func zone() async throws -> CKRecordZone.ID {
    CKRecordZone.ID(zoneName: "Z", ownerName: try await ann.userRecordID().recordName)
  }

  func read(_ name: String, on device: CKContainer) async throws -> CKRecord {
    try await device.sharedCloudDatabase.record(for: id(name, in: try await zone()))
  }

  /// Returns a URL without its secret, because a person may shorten the URL.
  func plain(_ url: URL?) throws -> URL {
    let whole = try #require(url)
    var parts = try #require(URLComponents(url: whole, resolvingAgainstBaseURL: false))
    parts.fragment = nil
    return try #require(parts.url)
  }
}

@Suite struct `Encrypted values of a shared zone` {
  @Test func `participants with the complete URL read and write encrypted values`() async throws {
    try await SealedScene.with { scene in
      let share = try await scene.share(with: ["bob"])
      let fragment = try #require(share.url?.fragment)
      #expect(fragment.hasPrefix("Our_notes~key="))
      let bob = try await scene.device("bob")
      try await scene.open(share.url, on: bob)
      let record = try await scene.read("first", on: bob)
      #expect(record.text == "the first")
      record.encryptedValues["text"] = "changed by Bob"
      try await bob.sharedCloudDatabase.save(record)
      try await bob.sharedCloudDatabase.save(
        secret("second", "Bob's own", in: try await scene.zone()))
      for (name, text) in [("first", "changed by Bob"), ("second", "Bob's own")] {
        #expect(try await scene.ann.privateCloudDatabase.record(for: id(name)).text == text)
      }
    }
  }

  @Test func `each member's fetched share has the same complete URL`() async throws {
    try await SealedScene.with { scene in
      let share = try await scene.share(with: ["bob"])
      let bob = try await scene.device("bob")
      try await scene.open(share.url, on: bob)
      let name = CKRecordNameZoneWideShare
      let own = try await scene.ann.privateCloudDatabase.record(for: id(name)) as? CKShare
      let bobs = try await scene.read(name, on: bob) as? CKShare
      #expect(own?.url == share.url)
      #expect(bobs?.url == share.url)
    }
  }

  @Test func `a participant without the URL's secret cannot decrypt values`() async throws {
    try await SealedScene.with { scene in
      let share = try await scene.share(with: ["bob"])
      let bob = try await scene.device("bob")
      try await scene.open(try scene.plain(share.url), on: bob)
      let record = try await scene.read("first", on: bob)
      #expect(record["title"] == "plain")
      #expect(record.text == nil)
      #expect(record.unreadableEncryptedKeys == ["text"])
      record.encryptedValues["text"] = "overwritten"
      let error = await expect(.notAuthenticated) {
        try await bob.sharedCloudDatabase.save(record)
      }
      #expect(error?.localizedDescription.contains("complete URL") == true)
      // The complete URL opens the values later, also on the same device.
      try await scene.open(share.url, on: bob)
      #expect(try await scene.read("first", on: bob).text == "the first")
    }
  }

  @Test func `a participant's second device needs only the account key, not the URL`() async throws
  {
    try await SealedScene.with { scene in
      let share = try await scene.share(with: ["bob"])
      try await scene.open(share.url, on: try await scene.device("bob"))
      let stranger = try await scene.device("other", of: "bob")
      #expect(try await scene.read("first", on: stranger).text == nil)
      try scene.keys.move(from: "bob", to: "second")
      let second = try await scene.device("second", of: "bob")
      #expect(try await scene.read("first", on: second).text == "the first")
    }
  }

  @Test func `after a user's removal, new values have a key that this user does not get`()
    async throws
  {
    try await SealedScene.with { scene in
      let share = try await scene.share(with: ["bob", "cid"])
      let (bob, cid) = (try await scene.device("bob"), try await scene.device("cid"))
      for device in [bob, cid] {
        try await scene.open(share.url, on: device)
        #expect(try await scene.read("first", on: device).text == "the first")
      }
      let old = share.url
      _ = try await scene.share(with: ["cid"])
      await expect(.zoneNotFound) { try await scene.read("first", on: bob) }
      // After the removal, Cid's device is the first device that seals a value. The device still
      // has the retired key in memory.
      try await cid.sharedCloudDatabase.save(
        secret("second", "after the removal", in: try await scene.zone()))
      let ann = scene.ann.privateCloudDatabase
      #expect(try await ann.record(for: id("second")).text == "after the removal")
      try await ann.save(secret("third", "by Ann"))
      #expect(try await scene.read("third", on: cid).text == "by Ann")
      // The old URL gives Bob no keys, even if the owner invites him again.
      let again = try await scene.share(with: ["bob", "cid"])
      #expect(again.url != old)
      let fresh = try await scene.device("fresh", of: "bob")
      try await scene.open(old, on: fresh)
      #expect(try await scene.read("third", on: fresh).text == nil)
      // The new URL opens all values, including the values from before the removal.
      try await scene.open(again.url, on: fresh)
      #expect(try await scene.read("third", on: fresh).text == "by Ann")
      #expect(try await scene.read("first", on: fresh).text == "the first")
    }
  }

  @Test func `a share gets another complete URL when a participant leaves`() async throws {
    try await SealedScene.with { scene in
      let share = try await scene.share(with: ["bob"])
      let bob = try await scene.device("bob")
      try await scene.open(share.url, on: bob)
      try await bob.sharedCloudDatabase.deleteRecordZone(withID: try await scene.zone())
      let ann = scene.ann.privateCloudDatabase
      try await ann.save(secret("second", "after Bob"))
      #expect(try await ann.record(for: id("second")).text == "after Bob")
      let name = CKRecordNameZoneWideShare
      let fetched = try await ann.record(for: id(name)) as? CKShare
      #expect(fetched?.url != nil)
      #expect(fetched?.url != share.url)
    }
  }
}
