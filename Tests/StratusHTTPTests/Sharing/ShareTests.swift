import StratusTesting
import Testing

/// Shares from their creation to their end, over HTTP.
@Suite struct `Sharing over HTTP` {
  @Test
  func `a shared root refers to its share, and both have the short GUID of the URL`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let guid = try #require(share["shortGUID"].string)
      #expect(guid.count == 25)
      #expect(share["recordType"] == "cloudkit.share")
      #expect(share["parent"].isNull)
      #expect(share["fields"].keys == ["cloudkit.title"])
      #expect(share["publicPermission"] == "NONE")
      #expect(share["owner"]["type"] == "OWNER")
      #expect(share["currentUserParticipant"]["type"] == "OWNER")
      #expect(share["participants"].array?.count == 2)
      let bob = share["participants"][1]
      #expect(bob["acceptanceStatus"] == "INVITED")
      #expect(bob["permission"] == "READ_WRITE")
      #expect(bob["participantId"].string?.isEmpty == false)
      // The answer does not show whether the address has an account.
      #expect(bob["userIdentity"]["userRecordName"].isNull)
      let root = try await scene.ann.lookup(["Rome"], in: "Trips")[0]
      #expect(root["share"]["recordName"] == "Share-1")
      #expect(root["shortGUID"] == .string(guid))
      #expect(root["fields"].keys == ["title"])
      #expect(root["displayedHostname"] == "stratus.test")
    }
  }

  @Test func `a share and its root can be saved in one batch`() async throws {
    try await withShares { scene in
      let answers = try await scene.ann.modify(
        [operation("create", "Oslo"), scene.sharing("Oslo")], in: "Trips")
      #expect(answers[0]["share"]["recordName"] == "Share-1")
      #expect(answers[0]["shortGUID"] == answers[1]["shortGUID"])
      let root = try await scene.ann.lookup(["Oslo"], in: "Trips")[0]
      #expect(root["recordChangeTag"] == answers[0]["recordChangeTag"])
    }
  }

  @Test
  func `an invited user can resolve, accept, read and write a share until the user is removed`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      let found = try await scene.resolve(share["shortGUID"], as: bob)
      #expect(found["databaseScope"] == "SHARED")
      #expect(found["participantStatus"] == "INVITED")
      #expect(found["participantType"] == "USER")
      #expect(found["participantPermission"] == "READ_WRITE")
      #expect(found["rootRecordName"] == "Rome")
      #expect(found["rootRecord"]["fields"]["title"]["value"] == "about Rome")
      #expect(found["ownerIdentity"]["userRecordName"] == .string(scene.annName))
      #expect(found["shortGUID"]["shouldFetchRootRecord"] == true)
      #expect(try await bob.post("zones/list")["zones"] == [])
      let accepted = try await scene.accept(share["shortGUID"], as: bob)
      #expect(accepted["participantStatus"] == "ACCEPTED")
      let zones = try await bob.post("zones/list")["zones"]
      #expect(zones[0]["zoneID"]["ownerRecordName"] == .string(scene.annName))
      #expect(try await bob.post("changes/database")["zones"].array?.count == 1)
      let first = try await scene.changes(of: bob)
      #expect(first.live == ["Rome", "Forum", "Arch", "Share-1"])
      let saved = try await scene.modify(
        [operation("forceUpdate", "Arch"), operation("create", "Dome", parent: "Forum")], as: bob)
      #expect(saved.json["records"][0]["serverErrorCode"].isNull, "\(saved.json)")
      #expect(saved.json["records"][1]["serverErrorCode"].isNull, "\(saved.json)")
      let seen = try await scene.ann.lookup(["Dome", "Arch"], in: "Trips")
      #expect(seen[0]["created"]["userRecordName"] == .string(try await scene.name(of: bob)))
      #expect(seen[1]["fields"]["title"]["value"] == "changed")
      try await scene.update { $0.with("participants", []) }
      let refused = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      #expect(refused.json["serverErrorCode"] == "ZONE_NOT_FOUND")
      #expect(try await bob.post("zones/list")["zones"] == [])
      let unknown = try await scene.resolve(share["shortGUID"], as: bob)
      #expect(unknown["serverErrorCode"] == "NOT_FOUND")
      #expect(unknown["reason"] == "Share not found")
    }
  }

  @Test
  func `other users get the same answer for a private share and for an unknown URL`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome")
      let dora = try await scene.guest("dora")
      for endpoint in ["records/resolve", "records/accept"] {
        var client = dora
        client.database = "public"
        let results = try await client.post(
          endpoint, ["shortGUIDs": [["value": share["shortGUID"]], ["value": "000unknown"]]])
        for place in 0...1 {
          #expect(results["results"][place]["serverErrorCode"] == "NOT_FOUND")
          #expect(results["results"][place]["reason"] == "Share not found")
        }
      }
    }
  }

  @Test func `a user without an invited address gets the masked addresses of open invitations`()
    async throws
  {
    try await withShares { scene in
      let people = [scene.invited("bob"), scene.invited("nobody", "NONE"), scene.invited("dora")]
      let share = try await scene.share("Rome", with: people)
      try await scene.accept(share["shortGUID"], as: try await scene.guest("dora"))
      let cid = try await scene.guest("cid")
      let bobID = try #require(
        share["participants"].array?.first {
          $0["userIdentity"]["lookupInfo"]["emailAddress"] == "bob@example.org"
        }?["participantId"])
      // The list contains only Bob. Dora has accepted, and the other entry gives no access.
      let expected: JSON = [
        ["participantId": bobID, "contactInformation": ["emailAddress": "b…@e….org"]]
      ]
      #expect(
        try await scene.resolve(share["shortGUID"], as: cid)["potentialMatchList"] == expected)
      #expect(
        try await scene.accept(share["shortGUID"], as: cid)["potentialMatchList"] == expected)
      // Bob's own address is invited, so Bob needs no list.
      let bob = try await scene.guest("bob")
      #expect(try await scene.resolve(share["shortGUID"], as: bob)["potentialMatchList"].isNull)
    }
  }

  @Test func `a share does not show whether an invited address has an account`() async throws {
    try await withShares { scene in
      // Bob has an account.
      _ = try await scene.guest("bob")
      let dora = try await scene.guest("dora")
      for (root, name) in [("Rome", "bob"), ("Paris", "nobody")] {
        let share = try await scene.share(
          root, named: "Share " + name, with: [scene.invited(name)])
        let answer = try await scene.resolve(share["shortGUID"], as: dora)
        #expect(answer["serverErrorCode"] == "NOT_FOUND")
        #expect(
          answer["reason"].string
            == "the share invites an address that has not accepted; "
            + "if it is yours, open the URL to confirm it", "\(name)")
      }
    }
  }

  @Test func `every user can accept a public share and gets the share's permission`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome", publicly: "READ_ONLY")
      let bob = try await scene.guest("bob")
      let found = try await scene.resolve(share["shortGUID"], as: bob)
      #expect(found["participantType"] == "PUBLIC_USER")
      #expect(found["participantStatus"] == "INVITED")
      #expect(found["participantPermission"] == "READ_ONLY")
      try await scene.accept(share["shortGUID"], as: bob)
      #expect(try await scene.records(of: bob).contains("Arch"))
      let refused = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      #expect(refused.json["records"][0]["serverErrorCode"] == "ACCESS_DENIED")
      try await scene.update { $0.with("publicPermission", "READ_WRITE") }
      let saved = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      #expect(saved.json["records"][0]["serverErrorCode"].isNull)
      // The permission NONE removes all public participants.
      try await scene.update { $0.with("publicPermission", "NONE") }
      let gone = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      #expect(gone.json["serverErrorCode"] == "ZONE_NOT_FOUND")
    }
  }

  @Test
  func `a record above, at or below the root of a share cannot be shared`() async throws {
    try await withShares { scene in
      try await scene.share("Forum")
      for (root, reason) in [
        ("Forum", "the record is already shared"),
        ("Arch", "a record above this one is already shared"),
        ("Rome", "a record below this one is already shared"),
      ] {
        let answer = try await scene.ann.modify(
          [scene.sharing(root, named: "Share-2")], in: "Trips")[0]
        #expect(answer["serverErrorCode"] == "BAD_REQUEST")
        #expect(answer["reason"] == .string(reason))
      }
      try await scene.share("Paris", named: "Share-3")
    }
  }

  @Test func `one batch cannot create two shares that overlap`() async throws {
    try await withShares { scene in
      let answers = try await scene.ann.modify(
        [scene.sharing("Forum"), scene.sharing("Rome", named: "Share-2")], in: "Trips")
      #expect(answers[1]["reason"] == "a record below this one is already shared")
      #expect(answers[0]["serverErrorCode"] == "ATOMIC_ERROR")
      let root = try await scene.ann.lookup(["Forum"], in: "Trips")[0]
      #expect(root["share"].isNull)
    }
  }

  @Test func `a zone has either one zone-wide share or shares of its records`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome")
      let refused = try await scene.ann.modify([scene.sharing(nil)], in: "Trips")[0]
      #expect(
        refused["reason"]
          == "records of the zone are already shared, so the zone itself cannot be")
      _ = try await scene.ann.modify([operation("forceDelete", "Share-1")], in: "Trips")
      try await scene.share(nil, publicly: "READ_WRITE")
      let again = try await scene.ann.modify([scene.sharing(nil)], in: "Trips")[0]
      #expect(again["serverErrorCode"] == "CONFLICT")
      let single = try await scene.ann.modify([scene.sharing("Rome")], in: "Trips")[0]
      #expect(
        single["reason"] == "the zone itself is shared, so its records cannot be shared one by one")
      #expect(!share["shortGUID"].isNull)
    }
  }

  @Test func `a participant of a zone-wide share sees the whole zone`() async throws {
    try await withShares { scene in
      let share = try await scene.share(nil, publicly: "READ_WRITE")
      let bob = try await scene.guest("bob")
      let accepted = try await scene.accept(share["shortGUID"], as: bob)
      #expect(accepted["rootRecordName"].isNull)
      #expect(
        try await scene.records(of: bob) == [
          "Rome", "Forum", "Arch", "Paris", "Louvre", "Plans", "cloudkit.zoneshare",
        ])
      let saved = try await scene.modify([operation("create", "Alone")], as: bob)
      #expect(saved.json["records"][0]["serverErrorCode"].isNull)
    }
  }

  @Test func `a record that is shared again has the same URL and no participants`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      _ = try await scene.ann.modify([operation("forceDelete", "Share-1")], in: "Trips")
      let root = try await scene.ann.lookup(["Rome"], in: "Trips")[0]
      #expect(root["share"].isNull)
      #expect(try await bob.post("zones/list")["zones"] == [])
      let again = try await scene.share("Rome", named: "Share-2")
      #expect(again["shortGUID"] == share["shortGUID"])
      #expect(again["participants"].array?.count == 1)
      #expect(
        try await scene.resolve(share["shortGUID"], as: bob)["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `a share ends when its root record is deleted`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Paris", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      let deleted = try await scene.ann.modify(
        [operation("forceDelete", "Louvre"), operation("forceDelete", "Paris")], in: "Trips")
      #expect(deleted[1]["deleted"] == true)
      #expect(try await bob.post("zones/list")["zones"] == [])
      #expect(
        try await scene.ann.lookup(["Share-1"], in: "Trips")[0]["serverErrorCode"] == "NOT_FOUND")
      // A later record with the name of the root is not shared.
      try await scene.save("Paris")
      #expect(try await scene.ann.lookup(["Paris"], in: "Trips")[0]["share"].isNull)
      let read = try await scene.modify([operation("forceUpdate", "Paris")], as: bob)
      #expect(read.json["serverErrorCode"] == "ZONE_NOT_FOUND")
    }
  }

  @Test func `a participant that deletes a share leaves the share and deletes no record`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob", "READ_ONLY")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      let answer = try await scene.modify(
        [
          operation("delete", "Arch"), operation("forceDelete", "Share-1"),
          operation("forceDelete", "Rome"),
        ], as: bob)
      for place in 0...2 { #expect(answer.json["records"][place]["deleted"] == true) }
      #expect(try await bob.post("zones/list")["zones"] == [])
      let kept = try await scene.ann.lookup(["Arch", "Rome", "Share-1"], in: "Trips")
      for place in 0...2 { #expect(kept[place]["serverErrorCode"].isNull) }
      #expect(kept[2]["participants"][1]["acceptanceStatus"] == "UNSUBSCRIBED")
      // An invited user may accept the share again.
      let again = try await scene.accept(share["shortGUID"], as: bob)
      #expect(again["participantStatus"] == "ACCEPTED")
      #expect(try await scene.records(of: bob).contains("Arch"))
    }
  }

  @Test func `a participant that deletes the shared zone leaves the share`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome", publicly: "READ_WRITE")
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      let answer = try await bob.post(
        "zones/modify",
        ["operations": [["operationType": "delete", "zone": ["zoneID": scene.zoneID]]]])
      #expect(answer["zones"][0]["deleted"] == true)
      #expect(try await bob.post("zones/list")["zones"] == [])
      let kept = try await scene.ann.lookup(["Arch", "Share-1"], in: "Trips")
      #expect(kept[0]["serverErrorCode"].isNull)
      // A user who joined by the URL is removed from the list of participants.
      #expect(kept[1]["participants"].array?.count == 1)
    }
  }

  @Test func `a share in the default zone or the public database is refused`() async throws {
    try await withShares { scene in
      let reason: JSON =
        "records and zones can be shared only in custom zones of the private database"
      let own = try await scene.ann.modify([operation("create", "X"), scene.sharing("X")])
      #expect(own[1]["reason"] == reason)
      var visitor = scene.ann
      visitor.database = "public"
      let open = try await visitor.modify([scene.sharing("X")])
      #expect(open[0]["reason"] == reason)
    }
  }

  @Test
  func `the save of a share with a stale change tag of its root is a conflict`() async throws {
    try await withShares { scene in
      let before = try await scene.ann.lookup(["Rome"], in: "Trips")[0]
      try await scene.save("Rome")
      var share = scene.sharing("Rome")
      share = share.with(
        "record",
        share["record"].with(
          "forRecord", ["recordName": "Rome", "recordChangeTag": before["recordChangeTag"]]))
      #expect(
        try await scene.ann.modify([share], in: "Trips")[0]["serverErrorCode"] == "CONFLICT")
    }
  }

  @Test func `a share can have 100 participants and no more`() async throws {
    try await withShares { scene in
      for count in [101, 102, 300] {
        let people = (1...count).map { scene.invited("p\($0)") }
        let refused = try await scene.ann.modify(
          [scene.sharing("Rome", with: people)], in: "Trips")
        #expect(refused[0]["reason"] == "the share has too many participants", "\(count)")
      }
      let people = (1...100).map { scene.invited("p\($0)") }
      let share = try await scene.share("Rome", with: people)
      #expect(share["participants"].array?.count == 101)
    }
  }

  @Test
  func `participants see the other participants who have accepted, but not their addresses`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share(
        "Rome",
        with: [
          scene.invited("bob", "READ_ONLY"), scene.invited("cid", type: "ADMINISTRATOR"),
          scene.invited("nobody"),
        ])
      let (bob, cid) = (try await scene.guest("bob"), try await scene.guest("cid"))
      try await scene.accept(share["shortGUID"], as: bob)
      func seen(by client: Client) async throws -> [JSON] {
        let found = try await client.post(
          "records/lookup", ["zoneID": scene.zoneID, "records": [["recordName": "Share-1"]]])
        return found["records"][0]["participants"].array ?? []
      }
      #expect(try await seen(by: bob).count == 2)
      try await scene.accept(share["shortGUID"], as: cid)
      let ofBob = try await seen(by: bob)
      #expect(ofBob.count == 3)
      #expect(ofBob[2]["userIdentity"]["lookupInfo"].isNull)
      #expect(ofBob[1]["userIdentity"]["lookupInfo"]["emailAddress"] == "bob@example.org")
      // An administrator sees all participants and their addresses.
      let ofCid = try await seen(by: cid)
      #expect(ofCid.count == 4)
      #expect(ofCid[3]["userIdentity"]["lookupInfo"]["emailAddress"] == "nobody@example.org")
    }
  }

  @Test func `an administrator can change a share's participants, and other participants cannot`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share(
        "Rome",
        with: [scene.invited("bob"), scene.invited("cid", "READ_ONLY", type: "ADMINISTRATOR")])
      let (bob, cid) = (try await scene.guest("bob"), try await scene.guest("cid"))
      for guest in [bob, cid] { try await scene.accept(share["shortGUID"], as: guest) }
      let refused = try await scene.update(by: bob) { $0.with("publicPermission", "READ_WRITE") }
      #expect(refused["serverErrorCode"] == "ACCESS_DENIED")
      let bobName = try await scene.name(of: bob)
      let changed = try await scene.update(by: cid) { share in
        share.with(
          "participants",
          .array(
            (share["participants"].array ?? []).filter {
              $0["userIdentity"]["userRecordName"] != .string(bobName)
            }))
      }
      #expect(changed["serverErrorCode"].isNull, "\(changed)")
      let gone = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      #expect(gone.json["serverErrorCode"] == "ZONE_NOT_FOUND")
    }
  }

  @Test
  func `a participant's database changes list the shared zone after a record changes`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      let token = try await bob.post("changes/database")["syncToken"]
      _ = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      try await scene.save("Forum", below: "Rome")
      let changed = try await bob.post("changes/database", ["syncToken": token])
      #expect(changed["zones"].array?.count == 1)
    }
  }

  @Test
  func `the short GUID of a share can be reserved before the record is shared`() async throws {
    try await withShares { scene in
      var save = operation("forceUpdate", "Paris")
      save = save.with("record", save["record"].with("createShortGUID", true))
      let saved = try await scene.ann.modify([save], in: "Trips")[0]
      let guid = try #require(saved["shortGUID"].string)
      #expect(saved["share"].isNull)
      #expect(
        try await scene.resolve(.string(guid), as: scene.ann)["serverErrorCode"] == "NOT_FOUND")
      #expect(try await scene.share("Paris")["shortGUID"] == .string(guid))
    }
  }
}
