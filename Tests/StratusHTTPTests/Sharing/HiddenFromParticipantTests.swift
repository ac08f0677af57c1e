import StratusDomain
import StratusTesting
import Testing

/// Data of a zone that participants of a hierarchical share may neither see nor destroy.
@Suite struct `A participant of a shared hierarchy` {
  private func withBob(
    _ permission: String = "READ_WRITE", in root: String = "Rome",
    _ body: (ShareScene, Client) async throws -> Void
  ) async throws {
    try await withShares { scene in
      let share = try await scene.share(root, with: [scene.invited("bob", permission)])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      try await body(scene, bob)
    }
  }

  private func subscribe(_ client: Client, to type: String? = nil) async throws {
    var subscription: JSON = [
      "subscriptionID": .string("s-" + (type ?? "all")), "subscriptionType": "database",
    ]
    if let type { subscription = subscription.with("recordType", .string(type)) }
    let made = try await client.post(
      "subscriptions/modify",
      ["operations": [["operationType": "create", "subscription": subscription]]])
    try #require(made["subscriptions"][0]["serverErrorCode"].isNull, "\(made)")
  }

  /// The number of notifications that the user's device has received so far.
  private func notifications(
    of client: Client, _ scene: ShareScene
  ) async throws -> Int {
    try await scene.server.matchChanges()
    let answer = try await client.ask("notifications/changes").json
    return answer["notifications"].array?.count ?? 0
  }

  @Test func `a participant is not notified of changes outside the share`() async throws {
    try await withBob { scene, bob in
      try await subscribe(bob)
      try await subscribe(bob, to: "Place")
      #expect(try await notifications(of: bob, scene) == 0)
      try await scene.save("Louvre", below: "Paris")
      try await scene.save("Plans")
      #expect(try await notifications(of: bob, scene) == 0)
      try await scene.save("Arch", below: "Forum")
      #expect(try await notifications(of: bob, scene) == 2)
    }
  }

  @Test func `a participant and the owner are notified of each other's changes`() async throws {
    try await withBob { scene, bob in
      try await subscribe(bob)
      try await scene.save("Forum", below: "Rome")
      #expect(try await notifications(of: bob, scene) == 1)
      try await subscribe(scene.ann)
      _ = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      #expect(try await notifications(of: scene.ann, scene) == 1)
    }
  }

  @Test func `a participant is notified of the removal from the share`() async throws {
    try await withBob { scene, bob in
      try await subscribe(bob)
      try await scene.update { $0.with("participants", []) }
      #expect(try await notifications(of: bob, scene) == 1)
    }
  }

  @Test
  func `a participant neither sees nor replaces the owner's client change token`() async throws {
    try await withBob { scene, bob in
      _ = try await scene.ann.post(
        "records/modify",
        [
          "zoneID": scene.own, "clientChangeToken": "device 7",
          "operations": [operation("forceUpdate", "Plans")],
        ])
      let page = try await bob.post("changes/zone", ["zones": [["zoneID": scene.zoneID]]])
      #expect(page["zones"][0]["clientChangeToken"].isNull)
      _ = try await bob.post(
        "records/modify",
        [
          "zoneID": scene.zoneID, "clientChangeToken": "mine",
          "operations": [operation("forceUpdate", "Arch")],
        ])
      #expect(try await scene.ann.changes(in: "Trips")["clientChangeToken"] == "device 7")
    }
  }

  /// The root of the share is Forum. Its parent is Rome, which is not shared.
  @Test
  func `a participant neither sees nor changes the parent of the share's root`() async throws {
    try await withBob(in: "Forum") { scene, bob in
      let found = try await bob.post(
        "records/lookup", ["zoneID": scene.zoneID, "records": [["recordName": "Forum"]]])
      #expect(found["records"][0]["parent"].isNull)
      let without = operation("forceReplace", "Forum")
      let removing = without.with("record", without["record"].with("parent", [:]))
      let sending = operation("forceUpdate", "Forum", parent: "Rome")
      for save in [without, removing, sending] {
        let answer = try await scene.modify([save], as: bob)
        #expect(answer.json["records"][0]["serverErrorCode"].isNull, "\(answer.json)")
        #expect(answer.json["records"][0]["parent"].isNull)
        let kept = try await scene.ann.lookup(["Forum"], in: "Trips")[0]
        #expect(kept["parent"]["recordName"] == "Rome")
        #expect(kept["share"]["recordName"] == "Share-1")
      }
    }
  }

  @Test
  func `a participant gets the same answers for hidden and for missing records`() async throws {
    try await withBob { scene, bob in
      for name in ["Plans", "missing"] {
        for atomic in [true, false] {
          let answer = try await scene.modify(
            [operation("forceDelete", name), operation("create", "new", parent: name)], as: bob,
            atomic: .bool(atomic))
          let codes = (answer.json["records"].array ?? []).map { $0["serverErrorCode"] }
          #expect(
            codes == [atomic ? "ATOMIC_ERROR" : nil, "VALIDATING_REFERENCE_ERROR"],
            "\(name) \(atomic)")
        }
      }
      #expect(try await scene.ann.lookup(["Plans"], in: "Trips")[0]["serverErrorCode"].isNull)
    }
  }

  @Test
  func `a participant cannot become an administrator or get a higher permission`() async throws {
    try await withBob { scene, bob in
      for kind in ["update", "forceUpdate", "forceReplace", "replace"] {
        let found = try await bob.post(
          "records/lookup", ["zoneID": scene.zoneID, "records": [["recordName": "Share-1"]]])
        var own = found["records"][0]["currentUserParticipant"]
        own = own.with("type", "ADMINISTRATOR")
        let record = found["records"][0].with("participants", [own])
        let answer = try await scene.modify(
          [["operationType": .string(kind), "record": record]], as: bob)
        #expect(answer.json["records"][0]["serverErrorCode"] == "ACCESS_DENIED", "\(kind)")
      }
    }
  }

  @Test func `a participant cannot create shares`() async throws {
    try await withBob { scene, bob in
      let answer = try await scene.modify([scene.sharing("Arch", named: "Share-9")], as: bob)
      #expect(answer.json["records"][0]["serverErrorCode"] == "ACCESS_DENIED")
    }
  }

  @Test func `a participant cannot prevent the owner from ending the share`() async throws {
    try await withBob { scene, bob in
      _ = try await scene.modify([operation("create", "nail", parent: "Share-1")], as: bob)
      let ended = try await scene.ann.modify([operation("forceDelete", "Share-1")], in: "Trips")
      #expect(ended[0]["deleted"] == true)
    }
  }

  @Test
  func `a share in a zone does not make deeply nested records read-only for the owner`()
    async throws
  {
    try await withShares { scene in
      var parent = "Plans"
      for level in 1...70 {
        try await scene.save("level \(level)", below: parent)
        parent = "level \(level)"
      }
      try await scene.share("Rome")
      let saved = try await scene.save("level 66", below: "level 65")
      #expect(saved["serverErrorCode"].isNull, "\(saved)")
      let moved = try await scene.save("level 70", below: "level 67")
      #expect(moved["serverErrorCode"] == "BAD_REQUEST")
    }
  }

  @Test
  func `a request that leaves a share and saves a record is refused as a whole`() async throws {
    try await withBob { scene, bob in
      let answer = try await scene.modify(
        [operation("forceUpdate", "Arch"), operation("forceDelete", "Share-1")], as: bob)
      #expect(answer.json["serverErrorCode"] == "BAD_REQUEST")
      #expect(try await bob.post("zones/list")["zones"].array?.count == 1)
    }
  }
}
