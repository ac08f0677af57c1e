import Foundation
import StratusTesting
import StratusWire
import Testing

/// Which callers get and store the keys of a shared zone (docs/internals/encryption.md).
@Suite struct `Rights to the keys of a zone` {
  /// Ann's zone Trips has the key 7. Each user has a public key of one repeated byte.
  private struct KeyScene {
    let shares: ShareScene

    static func with(_ body: (KeyScene) async throws -> Void) async throws {
      try await withShares { shares in
        let scene = KeyScene(shares: shares)
        try await scene.register(1, as: shares.ann)
        _ = try await scene.wrap(7, for: 1, as: shares.ann)
        try await body(scene)
      }
    }

    static func text(_ bytes: [UInt8]) -> JSON { .string(Data(bytes).base64EncodedString()) }

    static func row(
      _ id: UInt8, for recipient: UInt8, form: WrappedZoneKey.Form = .own, root: String? = nil
    ) -> JSON {
      let row: JSON = [
        "keyID": text([UInt8](repeating: id, count: 8)),
        "recipient": text([UInt8](repeating: recipient, count: 32)),
        "wrapped": text([form.rawValue, id]),
      ]
      return root.map { row.with("rootRecordName", .string($0)) } ?? row
    }

    func register(_ key: UInt8, as client: Client) async throws {
      var client = client
      client.database = "private"
      _ = try await client.post(
        "encryption/register", ["publicKey": Self.text([UInt8](repeating: key, count: 32))])
    }

    func wrap(
      _ id: UInt8, for recipient: UInt8, others: [JSON] = [], root: String? = nil,
      as client: Client
    ) async throws -> Client.Answer {
      try await client.answer(
        "encryption/wrap",
        [
          "zoneID": zone(of: client), "key": Self.row(id, for: recipient, root: root),
          "others": .array(others),
        ])
    }

    private func zone(of client: Client) -> JSON {
      client.database == "shared" ? shares.zoneID : shares.own
    }

    /// Returns the zone's keys that a caller gets, each as `ID/recipient/form`.
    func keys(as client: Client) async throws -> Set<String> {
      let answer = try await client.post("encryption/keys", ["zones": [zone(of: client)]])
      return Set(
        (answer["zones"][0]["keys"].array ?? []).map { key in
          func byte(_ name: String) -> String {
            Data(base64Encoded: key[name].string ?? "")?.first.map(String.init) ?? "?"
          }
          return [byte("keyID"), byte("recipient"), byte("wrapped")].joined(separator: "/")
            + (key["isRetired"] == true ? " retired" : "")
        })
    }

    /// Saves a value that is sealed with a key.
    func save(_ id: UInt8, as client: Client) async throws -> String? {
      let sealed = SealedEnvelope.bytes(
        keyID: [UInt8](repeating: id, count: 8), nonce: [UInt8](repeating: 0, count: 12),
        ciphertext: [], tag: [UInt8](repeating: 0, count: 16))
      let record: JSON = [
        "recordName": "Rome", "recordType": "Place",
        "fields": ["mood": ["value": Self.text(sealed), "type": "INT64", "isEncrypted": true]],
      ]
      let answer = try await client.answer(
        "records/modify",
        [
          "zoneID": zone(of: client),
          "operations": [["operationType": "forceUpdate", "record": record]],
        ])
      return answer.status == 200
        ? answer.json["records"][0]["serverErrorCode"].string : answer.reason
    }

    func shareZone(with people: [String]) async throws -> (share: JSON, bob: Client) {
      let share = try await shares.share(nil, with: people.map { shares.invited($0) })
      for person in people {
        try await shares.accept(share["shortGUID"], as: try await shares.guest(person))
      }
      let bob = try await shares.guest("bob")
      try await register(2, as: bob)
      return (share, bob)
    }
  }

  @Test
  func
    `a participant of a shared zone gets the keys for the share's URL and stores keys for itself`()
    async throws
  {
    try await KeyScene.with { scene in
      let (_, bob) = try await scene.shareZone(with: ["bob"])
      let ann = scene.shares.ann
      #expect(try await scene.keys(as: bob) == [])
      _ = try await scene.wrap(7, for: 1, others: [KeyScene.row(7, for: 9, form: .link)], as: ann)
      #expect(try await scene.keys(as: bob) == ["7/9/2"])
      #expect(try await scene.wrap(7, for: 2, as: bob).status == 200)
      #expect(try await scene.keys(as: bob) == ["7/9/2", "7/2/1"])
      // The owner does not get the keys that are wrapped for participants.
      #expect(try await scene.keys(as: ann) == ["7/9/2", "7/1/1"])
      #expect(try await scene.save(7, as: bob) == nil)
    }
  }

  @Test func `a participant can neither add another zone key nor replace the keys of others`()
    async throws
  {
    try await KeyScene.with { scene in
      let (_, bob) = try await scene.shareZone(with: ["bob"])
      let ann = scene.shares.ann
      _ = try await scene.wrap(7, for: 1, others: [KeyScene.row(7, for: 9, form: .link)], as: ann)
      // While the zone has a key in use, the server does not store another key.
      _ = try await scene.wrap(8, for: 2, as: bob)
      #expect(try await scene.save(8, as: bob) == Reason.zoneKeyUnknown)
      // Only the owner stores keys for the share's URL. While a key is in use, no participant
      // stores keys for other users.
      let others = [
        KeyScene.row(7, for: 8, form: .link), KeyScene.row(7, for: 1, form: .rotated),
        KeyScene.row(7, for: 1),
      ]
      _ = try await scene.wrap(7, for: 2, others: others, as: bob)
      #expect(try await scene.keys(as: ann) == ["7/9/2", "7/1/1"])
      let foreign = try await scene.wrap(7, for: 1, as: bob)
      foreign.expectRefusal("the key of another user", code: "CONFLICT")
    }
  }

  @Test func `a participant of a hierarchy gets and stores only the keys of this hierarchy`()
    async throws
  {
    try await KeyScene.with { scene in
      let rome = try await scene.shares.share("Rome", publicly: "READ_WRITE")
      _ = try await scene.shares.save("Oslo")
      _ = try await scene.shares.share("Oslo", named: "Share-2", publicly: "READ_WRITE")
      let (ann, bob) = (scene.shares.ann, try await scene.shares.guest("bob"))
      try await scene.shares.accept(rome["shortGUID"], as: bob)
      try await scene.register(2, as: bob)
      for (id, root) in [(UInt8(8), "Rome"), (9, "Oslo")] {
        _ = try await scene.wrap(
          id, for: 1, others: [KeyScene.row(id, for: id + 10, form: .link, root: root)],
          root: root, as: ann)
      }
      #expect(try await scene.keys(as: ann) == ["7/1/1", "8/1/1", "8/18/2", "9/1/1", "9/19/2"])
      #expect(try await scene.keys(as: bob) == ["8/18/2"])
      #expect(try await scene.wrap(8, for: 2, root: "Rome", as: bob).status == 200)
      #expect(try await scene.keys(as: bob) == ["8/18/2", "8/2/1"])
      for root in ["Oslo", nil] {
        let refused = try await scene.wrap(9, for: 2, root: root, as: bob)
        #expect(refused.reason == Reason.keysNotShared)
      }
      // Another key must not replace the hierarchy's key while that key is in use.
      _ = try await scene.wrap(6, for: 2, root: "Rome", as: bob)
      #expect(try await scene.keys(as: bob) == ["8/18/2", "8/2/1"])
      // The server names only the hierarchies whose keys the caller gets.
      let asked: JSON = [
        "zones": [scene.shares.zoneID], "recordNames": ["Rome", "Oslo", "Nowhere"],
      ]
      let roots = try await bob.post("encryption/keys", asked)["zones"][0]["roots"]
      #expect(roots == [["recordName": "Rome", "rootRecordName": "Rome"]])
      // After Bob leaves the hierarchy of Rome, only the key of this hierarchy is retired.
      var shared = bob
      shared.database = "shared"
      _ = try await shared.post(
        "zones/modify",
        ["operations": [["operationType": "delete", "zone": ["zoneID": scene.shares.zoneID]]]])
      #expect(
        try await scene.keys(as: ann) == [
          "7/1/1", "8/1/1 retired", "8/18/2 retired", "9/1/1", "9/19/2",
        ])
      #expect(try await scene.keys(as: bob) == [])
    }
  }

  @Test func `a participant of a hierarchy neither gets nor stores keys of the whole zone`()
    async throws
  {
    try await KeyScene.with { scene in
      let share = try await scene.shares.share("Rome", publicly: "READ_WRITE")
      let bob = try await scene.shares.guest("bob")
      try await scene.shares.accept(share["shortGUID"], as: bob)
      try await scene.register(2, as: bob)
      let link = [KeyScene.row(7, for: 9, form: .link)]
      _ = try await scene.wrap(7, for: 1, others: link, as: scene.shares.ann)
      #expect(try await scene.keys(as: bob) == [])
      let refused = try await scene.wrap(7, for: 2, as: bob)
      #expect(refused.reason == Reason.keysNotShared)
    }
  }

  @Test func `a user without access to the zone gets no keys of the zone`() async throws {
    try await KeyScene.with { scene in
      _ = try await scene.shareZone(with: ["bob"])
      let link = [KeyScene.row(7, for: 9, form: .link)]
      _ = try await scene.wrap(7, for: 1, others: link, as: scene.shares.ann)
      let cid = try await scene.shares.guest("cid")
      try await scene.register(3, as: cid)
      #expect(try await scene.keys(as: cid) == [])
      let refused = try await scene.wrap(7, for: 3, as: cid)
      refused.expectRefusal("no access", code: "ZONE_NOT_FOUND")
    }
  }

  @Test func `after a user's removal, no key is in use until a device stores one for all members`()
    async throws
  {
    try await KeyScene.with { scene in
      let (_, bob) = try await scene.shareZone(with: ["bob", "cid"])
      let ann = scene.shares.ann
      let cid = try await scene.shares.guest("cid")
      try await scene.register(3, as: cid)
      _ = try await scene.wrap(7, for: 1, others: [KeyScene.row(7, for: 9, form: .link)], as: ann)
      _ = try await scene.wrap(7, for: 2, as: bob)
      try await scene.shares.update("cloudkit.zoneshare") { share in
        share.with(
          "participants",
          .array(
            (share["participants"].array ?? []).filter {
              $0["userIdentity"]["lookupInfo"]["emailAddress"] != "cid@example.org"
            }))
      }
      #expect(try await scene.keys(as: bob) == ["7/9/2 retired", "7/2/1 retired"])
      #expect(try await scene.save(7, as: ann) == Reason.zoneKeyUnknown)
      let asked: JSON = ["zones": [scene.shares.zoneID]]
      let members = try await bob.post("encryption/keys", asked)["zones"][0]["memberKeys"]
      // Cid is not a member any more.
      #expect(
        members == .array([1, 2].map { KeyScene.text([UInt8](repeating: $0, count: 32)) }))
      let others = [
        KeyScene.row(8, for: 1, form: .rotated), KeyScene.row(8, for: 3, form: .rotated),
        KeyScene.row(7, for: 5, form: .link), KeyScene.row(8, for: 5, form: .link),
      ]
      #expect(try await scene.wrap(8, for: 2, others: others, as: bob).status == 200)
      // The keys for the share's earlier URL are deleted.
      #expect(
        try await scene.keys(as: ann) == ["7/1/1 retired", "8/1/3", "7/5/2 retired", "8/5/2"])
      #expect(try await scene.save(8, as: ann) == nil)
      #expect(try await scene.save(7, as: ann) == Reason.zoneKeyUnknown)
      #expect(try await scene.keys(as: cid) == [])
    }
  }
}
