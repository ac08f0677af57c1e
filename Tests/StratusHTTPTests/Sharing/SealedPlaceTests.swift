import Foundation
import StratusWire
import Testing

/// The places in which records may have values that are sealed with the key of a shared hierarchy
/// (docs/internals/encryption.md, "Shared hierarchies").
@Suite struct `Sealed values and the places of records` {
  /// Ann's zone has the key 7. The hierarchy of Rome has the key 8, and that of Paris the key 9. In
  /// Rome's hierarchy, Forum is below Rome and Arch is below Forum. Louvre is below Paris, and
  /// Plans is in no hierarchy.
  private struct PlaceScene {
    let shares: ShareScene
    let rome: JSON

    static func with(_ body: (PlaceScene) async throws -> Void) async throws {
      try await withShares { shares in
        let rome = try await shares.share("Rome", publicly: "READ_WRITE")
        try await shares.share("Paris", named: "Share-2")
        let scene = PlaceScene(shares: shares, rome: rome)
        _ = try await shares.ann.post(
          "encryption/register", ["publicKey": PlaceScene.text([UInt8](repeating: 1, count: 32))])
        try await scene.addKey(7)
        try await scene.addKey(8, of: "Rome")
        try await scene.addKey(9, of: "Paris")
        try await body(scene)
      }
    }

    static func text(_ bytes: [UInt8]) -> JSON { .string(Data(bytes).base64EncodedString()) }

    func addKey(_ id: UInt8, of root: String? = nil) async throws {
      var key: JSON = [
        "keyID": Self.text([UInt8](repeating: id, count: 8)),
        "recipient": Self.text([UInt8](repeating: 1, count: 32)), "wrapped": Self.text([1, id]),
      ]
      if let root { key = key.with("rootRecordName", .string(root)) }
      _ = try await shares.ann.post("encryption/wrap", ["zoneID": shares.own, "key": key])
    }

    /// The save of a value that is sealed with a key. Another nonce makes another value.
    func saving(
      _ name: String, sealedWith id: UInt8, nonce: UInt8 = 0, below parent: String? = nil
    ) -> JSON {
      let sealed = SealedEnvelope.bytes(
        keyID: [UInt8](repeating: id, count: 8), nonce: [UInt8](repeating: nonce, count: 12),
        ciphertext: [], tag: [UInt8](repeating: 0, count: 16))
      var record: JSON = [
        "recordName": .string(name), "recordType": "Place",
        "fields": ["mood": ["value": Self.text(sealed), "type": "INT64", "isEncrypted": true]],
      ]
      if let parent { record = record.with("parent", ["recordName": .string(parent)]) }
      return ["operationType": "forceUpdate", "record": record]
    }

    func save(_ operations: [JSON], atomic: Bool = true) async throws -> [JSON] {
      let answer = try await shares.ann.modify(
        .array(operations), in: "Trips", atomic: atomic ? true : false)
      return answer.array ?? []
    }
  }

  private func expectMisplaced(_ item: JSON?, root: String?, _ what: String) {
    #expect(item?["serverErrorCode"] == "TRY_AGAIN_LATER", "\(what)")
    #expect(item?["reason"].string == Reason.sealedElsewhere, "\(what)")
    #expect(item?["retryAfter"] == 1, "\(what)")
    #expect(item?["sealingRootRecordName"].string == root, "\(what)")
  }

  @Test
  func `a value with the key of another hierarchy is refused, and the answer names the place`()
    async throws
  {
    try await PlaceScene.with { scene in
      for (name, key) in [("Rome", UInt8(8)), ("Arch", 8), ("Louvre", 9)] {
        let saved = try await scene.save([scene.saving(name, sealedWith: key)])
        #expect(saved.first?["serverErrorCode"].isNull == true, "\(name)")
      }
      // Participants of hierarchies do not have the key of the zone.
      for name in ["Arch", "Plans"] {
        let saved = try await scene.save([scene.saving(name, sealedWith: 7)])
        #expect(saved.first?["serverErrorCode"].isNull == true, "\(name)")
      }
      let arch = try await scene.save([scene.saving("Arch", sealedWith: 9)])
      expectMisplaced(arch.first, root: "Rome", "the key of Paris")
      let plans = try await scene.save([scene.saving("Plans", sealedWith: 8)])
      expectMisplaced(plans.first, root: nil, "a record in no hierarchy")
      let moved = try await scene.save([scene.saving("Arch", sealedWith: 8, below: "Louvre")])
      expectMisplaced(moved.first, root: "Paris", "a moved record")
    }
  }

  @Test
  func `a value is refused if the batch moves a record above it out of the key's hierarchy`()
    async throws
  {
    try await PlaceScene.with { scene in
      // Arch is not in the batch, and follows Forum.
      let batch = [
        scene.saving("Louvre", sealedWith: 8, below: "Arch"),
        operation("forceUpdate", "Forum", parent: "Plans"),
      ]
      let atomic = try await scene.save(batch)
      expectMisplaced(atomic.first, root: nil, "an atomic batch")
      #expect(atomic.last?["serverErrorCode"] == "ATOMIC_ERROR")
      let separate = try await scene.save(batch, atomic: false)
      expectMisplaced(separate.first, root: nil, "a batch that is not atomic")
      #expect(separate.last?["serverErrorCode"].isNull == true)
      // Now a chain of parents leads back to Louvre, so Louvre is in no hierarchy.
      _ = try await scene.save([operation("forceUpdate", "Forum", parent: "Louvre")])
      let circle = try await scene.save([scene.saving("Louvre", sealedWith: 9, below: "Arch")])
      expectMisplaced(circle.first, root: nil, "a circle of parents")
    }
  }

  @Test
  func `a refused move in the same batch leaves the record below it in its hierarchy`() async throws
  {
    try await PlaceScene.with { scene in
      let batch = [
        operation("update", "Forum", parent: "Paris", tag: "outdated"),
        scene.saving("Arch", sealedWith: 9),
      ]
      let answers = try await scene.save(batch, atomic: false)
      #expect(answers.first?["serverErrorCode"] == "CONFLICT")
      expectMisplaced(answers.last, root: "Rome", "the record below")
    }
  }

  @Test func `the key of a hierarchy is accepted from the batch that begins its share to the end`()
    async throws
  {
    try await PlaceScene.with { scene in
      try await scene.addKey(6, of: "Plans")
      let early = try await scene.save([scene.saving("Plans", sealedWith: 6)])
      expectMisplaced(early.first, root: nil, "before the share")
      let begin = try await scene.save([
        scene.saving("Plans", sealedWith: 6), scene.shares.sharing("Plans", named: "Share-3"),
      ])
      for item in begin { #expect(item["serverErrorCode"].isNull) }
      #expect(begin.count == 2)
      let end = try await scene.save([
        scene.saving("Plans", sealedWith: 6, nonce: 1), operation("forceDelete", "Share-3"),
      ])
      expectMisplaced(end.first, root: nil, "the end of the share")
      #expect(end.last?["serverErrorCode"] == "ATOMIC_ERROR")
    }
  }

  @Test func `an unchanged value is accepted after its record has left the key's hierarchy`()
    async throws
  {
    try await PlaceScene.with { scene in
      _ = try await scene.save([scene.saving("Arch", sealedWith: 8)])
      _ = try await scene.save([operation("forceUpdate", "Forum", parent: "Plans")])
      let unchanged = try await scene.save([scene.saving("Arch", sealedWith: 8)])
      #expect(unchanged.first?["serverErrorCode"].isNull == true)
      let changed = try await scene.save([scene.saving("Arch", sealedWith: 8, nonce: 1)])
      expectMisplaced(changed.first, root: nil, "another value")
    }
  }

  @Test func `a participant may seal values only with the key of the record's hierarchy`()
    async throws
  {
    try await PlaceScene.with { scene in
      let bob = try await scene.shares.guest("bob")
      try await scene.shares.accept(scene.rome["shortGUID"], as: bob)
      for (key, isAccepted) in [(UInt8(8), true), (9, false)] {
        let answer = try await scene.shares.modify(
          [scene.saving("Pizza", sealedWith: key, below: "Forum")], as: bob)
        let item = answer.json["records"][0]
        if isAccepted {
          #expect(item["serverErrorCode"].isNull)
        } else {
          expectMisplaced(item, root: "Rome", "the key of Paris")
        }
      }
    }
  }
}
