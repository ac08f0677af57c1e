import CloudKit
import StratusTesting
import StratusTransport
import Testing

/// Ann shares the record "first" of a zone with encrypted values, and the records below it
/// (docs/internals/encryption.md, "Shared hierarchies").
private struct HierarchyScene {
  let scene: SealedScene
  let share: CKShare

  var ann: CKDatabase { scene.ann.privateCloudDatabase }

  static func with(
    _ people: [String], _ body: (HierarchyScene) async throws -> Void
  ) async throws {
    try await SealedScene.with { scene in
      let ann = scene.ann.privateCloudDatabase
      let root = try await ann.record(for: id("first"))
      let share = CKShare(rootRecord: root)
      for person in people {
        let participant = try await scene.ann.shareParticipant(
          forEmailAddress: person + "@example.org")
        participant.permission = .readWrite
        share.addParticipant(participant)
      }
      let (results, _) = try await ann.modifyRecords(saving: [root, share], deleting: [])
      for result in results.values { _ = try result.get() }
      try await body(HierarchyScene(scene: scene, share: share))
    }
  }

  /// Returns a new record below the root.
  func child(_ name: String, _ text: String, in zoneID: CKRecordZone.ID = zoneZ) -> CKRecord {
    let record = secret(name, text, in: zoneID)
    record.setParent(id("first", in: zoneID))
    return record
  }

  /// Moves a record below another parent. The save sends only the changed parent, so the record's
  /// encrypted values keep their key.
  func move(_ name: String, below parent: String?) async throws {
    let record = try await ann.record(for: id(name))
    record.setParent(parent.map { id($0) })
    let (results, _) = try await ann.modifyRecords(
      saving: [record], deleting: [], savePolicy: .changedKeys)
    for result in results.values { _ = try result.get() }
  }

  /// Saves records of Ann in one atomic batch.
  func save(_ records: [CKRecord]) async throws {
    let (results, _) = try await ann.modifyRecords(saving: records, deleting: [])
    for result in results.values { _ = try result.get() }
  }

  /// Saves the chain "middle" and "leaf" and the record "child" below the root. Returns Bob's
  /// device, which has the hierarchy's key.
  func openedWithChain() async throws -> CKContainer {
    let leaf = secret("leaf", "the leaf")
    leaf.setParent(id("middle"))
    try await save([child("middle", "the middle"), leaf, child("child", "the child")])
    let bob = try await scene.device("bob")
    try await scene.open(share.url, on: bob)
    for (name, text) in [("leaf", "the leaf"), ("child", "the child")] {
      #expect(try await scene.read(name, on: bob).text == text)
    }
    return bob
  }

  /// Checks that a record has the text "private", and that Bob's keys do not open this text. For
  /// this purpose, Bob gets the stored bytes: the record moves back below the root.
  func expectClosed(_ name: String, on bob: CKContainer) async throws {
    #expect(try await ann.record(for: id(name)).text == "private")
    try await move(name, below: "first")
    #expect(try await scene.read(name, on: bob).unreadableEncryptedKeys == ["text"])
  }

  func fetchedShare() async throws -> CKShare {
    try #require(try await ann.record(for: share.recordID) as? CKShare)
  }
}

@Suite struct `Encrypted values of a shared hierarchy` {
  @Test func `participants with the complete URL read and write a hierarchy's encrypted values`()
    async throws
  {
    try await HierarchyScene.with(["bob"]) { tree in
      let scene = tree.scene
      #expect(tree.share.url?.fragment?.contains("~key=") == true)
      try await tree.ann.save(tree.child("child", "by Ann"))
      let bob = try await scene.device("bob")
      try await scene.open(tree.share.url, on: bob)
      // The root had its value before it was shared. The save of the share sealed the value again.
      #expect(try await scene.read("first", on: bob).text == "the first")
      let child = try await scene.read("child", on: bob)
      #expect(child.text == "by Ann")
      child.encryptedValues["text"] = "changed by Bob"
      try await bob.sharedCloudDatabase.save(child)
      try await bob.sharedCloudDatabase.save(
        tree.child("bobs", "Bob's own", in: try await scene.zone()))
      #expect(try await tree.ann.record(for: id("child")).text == "changed by Bob")
      #expect(try await tree.ann.record(for: id("bobs")).text == "Bob's own")
      // Another device of Ann knows only the account key.
      try scene.keys.move(from: "ann", to: "tablet")
      let tablet = try await scene.device("tablet", of: "ann")
      #expect(try await tablet.privateCloudDatabase.record(for: id("bobs")).text == "Bob's own")
    }
  }

  @Test func `a record moved into the hierarchy can be decrypted only after its owner saves it`()
    async throws
  {
    try await HierarchyScene.with(["bob"]) { tree in
      let scene = tree.scene
      try await tree.ann.save(secret("outside", "canary"))
      let bob = try await scene.device("bob")
      try await scene.open(tree.share.url, on: bob)
      await expect(.unknownItem) { try await scene.read("outside", on: bob) }
      try await tree.move("outside", below: "first")
      let closed = try await scene.read("outside", on: bob)
      #expect(closed["title"] == "plain")
      #expect(closed.unreadableEncryptedKeys == ["text"])
      try await tree.ann.save(try await tree.ann.record(for: id("outside")))
      #expect(try await scene.read("outside", on: bob).text == "canary")
    }
  }

  @Test func `a record that has left the hierarchy gets another key at its next save`() async throws
  {
    try await HierarchyScene.with(["bob"]) { tree in
      let scene = tree.scene
      try await tree.ann.save(tree.child("child", "shared"))
      let bob = try await scene.device("bob")
      try await scene.open(tree.share.url, on: bob)
      #expect(try await scene.read("child", on: bob).text == "shared")
      let child = try await tree.ann.record(for: id("child"))
      child.parent = nil
      child.encryptedValues["text"] = "private again"
      try await tree.ann.save(child)
      await expect(.unknownItem) { try await scene.read("child", on: bob) }
      // If the record returns to the hierarchy with the same bytes, Bob's key does not open them.
      try await tree.move("child", below: "first")
      #expect(try await scene.read("child", on: bob).unreadableEncryptedKeys == ["text"])
    }
  }

  /// The middle record of a chain is saved with an outdated change tag, so it does not move.
  @Test
  func `a record keeps its hierarchy's key if the move of its parent in the same batch fails`()
    async throws
  {
    try await HierarchyScene.with(["bob"]) { tree in
      let scene = tree.scene
      let (middle, leaf) = (tree.child("middle", "the middle"), secret("leaf", "the leaf"))
      leaf.setParent(id("middle"))
      let other = secret("other", "another hierarchy")
      try await tree.save([middle, leaf, other, CKShare(rootRecord: other)])
      let bob = try await scene.device("bob")
      try await scene.open(tree.share.url, on: bob)
      let stale = try await tree.ann.record(for: id("middle"))
      let newer = try await tree.ann.record(for: id("middle"))
      newer["title"] = "changed"
      try await tree.save([newer])
      stale.setParent(id("other"))
      stale.encryptedValues["text"] = "moved"
      let edited = try await tree.ann.record(for: id("leaf"))
      edited.encryptedValues["text"] = "for Bob"
      let (results, _) = try await tree.ann.modifyRecords(
        saving: [stale, edited], deleting: [], savePolicy: .ifServerRecordUnchanged,
        atomically: false)
      #expect(results.count == 2)
      await expect(.serverRecordChanged) { try #require(results[id("middle")]).get() }
      _ = try #require(results[id("leaf")]).get()
      #expect(try await scene.read("leaf", on: bob).text == "for Bob")
    }
  }

  /// The record "child" moves below "leaf", which is not in the batch. The same batch moves
  /// "middle", which is above "leaf", out of the hierarchy.
  @Test(arguments: [true, false])
  func `a record below a record that the batch moves has the key of the place where it ends up`(
    isAtomic: Bool
  ) async throws {
    try await HierarchyScene.with(["bob"]) { tree in
      let bob = try await tree.openedWithChain()
      let (moved, child) = (
        try await tree.ann.record(for: id("middle")), try await tree.ann.record(for: id("child"))
      )
      moved.parent = nil
      child.setParent(id("leaf"))
      child.encryptedValues["text"] = "private"
      let (results, _) = try await tree.ann.modifyRecords(
        saving: [child, moved], deleting: [], savePolicy: .ifServerRecordUnchanged,
        atomically: isAtomic)
      #expect(results.count == 2)
      for result in results.values { _ = try result.get() }
      await expect(.unknownItem) { try await tree.scene.read("child", on: bob) }
      try await tree.expectClosed("child", on: bob)
    }
  }

  @Test func `a record that another device moves during a save has the key of its new place`()
    async throws
  {
    try await HierarchyScene.with(["bob"]) { tree in
      let bob = try await tree.openedWithChain()
      let gate = Gate()
      let network = tree.scene.cloud.network([("records/modify", .waits(gate))])
      let slow = try await tree.scene.cloud.device("ann", tree.scene.keys, by: network)
      let leaf = try await slow.record(for: id("leaf"))
      leaf.encryptedValues["text"] = "private"
      async let saved = slow.save(leaf)
      // The device has asked for the record's place and has sealed the value.
      await gate.arrival()
      try await tree.move("middle", below: nil)
      gate.open()
      _ = try await saved
      #expect(network.requests("records/modify").count == 2)
      try await tree.expectClosed("leaf", on: bob)
    }
  }

  @Test func `a chain of records that is saved in one batch has the hierarchy's key`() async throws
  {
    try await HierarchyScene.with(["bob"]) { tree in
      let (middle, leaf) = (tree.child("middle", "the middle"), secret("leaf", "the leaf"))
      let lowest = secret("lowest", "the lowest")
      leaf.setParent(id("middle"))
      lowest.setParent(id("leaf"))
      let (results, _) = try await tree.ann.modifyRecords(
        saving: [lowest, leaf, middle], deleting: [], atomically: false)
      #expect(results.count == 3)
      for result in results.values { _ = try result.get() }
      let bob = try await tree.scene.device("bob")
      try await tree.scene.open(tree.share.url, on: bob)
      for (name, text) in [
        ("middle", "the middle"), ("leaf", "the leaf"), ("lowest", "the lowest"),
      ] {
        #expect(try await tree.scene.read(name, on: bob).text == text)
      }
    }
  }

  @Test func `after a user's removal, new values have a key that this user does not get`()
    async throws
  {
    try await HierarchyScene.with(["bob", "cid"]) { tree in
      let scene = tree.scene
      let (bob, cid) = (try await scene.device("bob"), try await scene.device("cid"))
      for device in [bob, cid] { try await scene.open(tree.share.url, on: device) }
      #expect(try await scene.read("first", on: bob).text == "the first")
      let share = try await tree.fetchedShare()
      let old = share.url
      let removed = try #require(
        share.participants.first {
          $0.userIdentity.lookupInfo?.emailAddress == "bob@example.org"
        })
      share.removeParticipant(removed)
      try await tree.ann.save(share)
      // After the removal, Cid's device is the first device that seals a value.
      try await cid.sharedCloudDatabase.save(
        tree.child("later", "after the removal", in: try await scene.zone()))
      #expect(try await tree.ann.record(for: id("later")).text == "after the removal")
      let again = try await tree.fetchedShare()
      #expect(again.url != old)
      let participant = try await scene.ann.shareParticipant(forEmailAddress: "bob@example.org")
      participant.permission = .readOnly
      again.addParticipant(participant)
      try await tree.ann.save(again)
      let fresh = try await scene.device("fresh", of: "bob")
      try await scene.open(old, on: fresh)
      #expect(try await scene.read("later", on: fresh).text == nil)
      try await scene.open(again.url, on: fresh)
      #expect(try await scene.read("later", on: fresh).text == "after the removal")
      #expect(try await scene.read("first", on: fresh).text == "the first")
    }
  }

  @Test func `the keys of two hierarchies of a zone are different`() async throws {
    try await HierarchyScene.with(["bob"]) { tree in
      let scene = tree.scene
      let other = secret("other", "not for Bob")
      let second = CKShare(rootRecord: other)
      second.publicPermission = .readOnly
      let (results, _) = try await tree.ann.modifyRecords(saving: [other, second], deleting: [])
      for result in results.values { _ = try result.get() }
      #expect(second.url?.fragment != tree.share.url?.fragment)
      let bob = try await scene.device("bob")
      try await scene.open(tree.share.url, on: bob)
      // Bob accepts the second share without its secret.
      try await scene.open(try scene.plain(second.url), on: bob)
      #expect(try await scene.read("other", on: bob).unreadableEncryptedKeys == ["text"])
      try await scene.open(second.url, on: bob)
      #expect(try await scene.read("other", on: bob).text == "not for Bob")
    }
  }
}
