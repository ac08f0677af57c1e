import StratusTesting
import Testing

/// Requests for access, blocked users and one-time URLs, over HTTP.
@Suite struct `Requests for access over HTTP` {
  private func ask(_ scene: ShareScene, _ guid: JSON, as client: Client) async throws -> JSON {
    var client = client
    client.database = "public"
    return try await client.post("records/access", ["shortGUIDs": [["value": guid]]])["results"][0]
  }

  /// Makes a private share of Rome that takes requests. Returns its short GUID.
  private func openShare(_ scene: ShareScene) async throws -> JSON {
    try await scene.share("Rome")
    let share = try await scene.update { $0.with("denyAccessRequests", false) }
    #expect(share["denyAccessRequests"] == false)
    return share["shortGUID"]
  }

  @Test
  func `the owner sees a requester with name and address, and the requester gets no access`()
    async throws
  {
    try await withShares { scene in
      let guid = try await openShare(scene)
      let bob = try await scene.guest("bob")
      let answer = try await ask(scene, guid, as: bob)
      #expect(answer["serverErrorCode"].isNull, "\(answer)")
      let share = try await scene.ann.lookup(["Share-1"], in: "Trips")[0]
      let requester = share["requesters"][0]["userIdentity"]
      #expect(requester["userRecordName"] == .string(try await scene.name(of: bob)))
      #expect(requester["lookupInfo"]["emailAddress"] == "bob@example.org")
      #expect(try await scene.resolve(guid, as: bob)["serverErrorCode"] == "NOT_FOUND")
      #expect(try await bob.post("zones/list")["zones"] == [])
      // The same user's second request changes nothing.
      let tag = share["recordChangeTag"]
      _ = try await ask(scene, guid, as: bob)
      #expect(try await scene.ann.lookup(["Share-1"], in: "Trips")[0]["recordChangeTag"] == tag)
    }
  }

  @Test func `an approved requester can accept, and the share marks the participant`() async throws
  {
    try await withShares { scene in
      let guid = try await openShare(scene)
      let bob = try await scene.guest("bob")
      _ = try await ask(scene, guid, as: bob)
      let name = try await scene.name(of: bob)
      let share = try await scene.update { share in
        share.with(
          "participants",
          [
            [
              "type": "USER", "permission": "READ_ONLY", "acceptanceStatus": "INVITED",
              "userIdentity": ["lookupInfo": ["userRecordName": .string(name)]],
            ]
          ])
      }
      #expect(share["requesters"].isNull)
      #expect(share["participants"][1]["isApprovedRequester"] == true)
      #expect(share["participants"][1]["dateAddedToShare"].isNull == false)
      try await scene.accept(guid, as: bob)
      #expect(try await scene.records(of: bob) == ["Rome", "Forum", "Arch", "Share-1"])
      let own = try await bob.post(
        "records/lookup", ["zoneID": scene.zoneID, "records": [["recordName": "Share-1"]]])
      #expect(own["records"][0]["requesters"].isNull)
      #expect(own["records"][0]["blockedIdentities"].isNull)
    }
  }

  @Test func `a share that takes no requests answers a request like an unknown share`() async throws
  {
    try await withShares { scene in
      let guid = try await scene.share("Rome")["shortGUID"]
      let bob = try await scene.guest("bob")
      var refused = try await ask(scene, guid, as: bob)
      var unknown = try await ask(scene, "AAAnEa3AEPXwK71VM4gHFnvh2", as: bob)
      #expect(refused["reason"] == "Share not found")
      for key in ["uuid", "shortGUID"] {
        refused = refused.with(key, nil)
        unknown = unknown.with(key, nil)
      }
      #expect(refused == unknown)
    }
  }

  @Test func `a blocked participant loses access at once and cannot ask again`() async throws {
    try await withShares { scene in
      let guid = try await scene.share("Rome", with: [scene.invited("bob")])["shortGUID"]
      let bob = try await scene.guest("bob")
      try await scene.accept(guid, as: bob)
      let name = try await scene.name(of: bob)
      let share = try await scene.update { share in
        share.with("blockRequesters", [.string(name)]).with("denyAccessRequests", false)
      }
      #expect(share["participants"].array?.count == 1)
      #expect(
        share["blockedIdentities"][0]["userIdentity"]["userRecordName"] == .string(name))
      let refused = try await scene.modify([operation("forceUpdate", "Arch")], as: bob)
      #expect(refused.json["serverErrorCode"] == "ZONE_NOT_FOUND")
      #expect(try await ask(scene, guid, as: bob)["reason"] == "Share not found")
      #expect(try await scene.resolve(guid, as: bob)["reason"] == "Share not found")
      try await scene.update { $0.with("unblockIdentities", [.string(name)]) }
      #expect(try await ask(scene, guid, as: bob)["serverErrorCode"].isNull)
    }
  }

  @Test func `a participant cannot allow requests for access`() async throws {
    try await withShares { scene in
      let guid = try await scene.share("Rome", with: [scene.invited("bob")])["shortGUID"]
      let bob = try await scene.guest("bob")
      try await scene.accept(guid, as: bob)
      let refused = try await scene.update(by: bob) { $0.with("denyAccessRequests", false) }
      #expect(refused["serverErrorCode"] == "ACCESS_DENIED")
    }
  }

  @Test func `an invited user who asks for access learns that the share can be accepted`()
    async throws
  {
    try await withShares { scene in
      let guid = try await scene.share("Rome", with: [scene.invited("bob")])["shortGUID"]
      let bob = try await scene.guest("bob")
      let answer = try await ask(scene, guid, as: bob)
      #expect(answer["serverErrorCode"] == "BAD_REQUEST")
      #expect(
        answer["reason"] == "the user is invited already; accept the share instead")
    }
  }

  @Test func `a request for access needs a signed-in user`() async throws {
    try await withShares { scene in
      var stranger = scene.ann
      stranger.webAuthToken = nil
      stranger.database = "public"
      try await stranger.answer("records/access", ["shortGUIDs": [["value": "abc"]]])
        .expectRefusal("a request without a user", code: "AUTHENTICATION_REQUIRED")
    }
  }
}

@Suite struct `One-time URLs over HTTP` {
  private static let entry: JSON = [
    "permission": "READ_WRITE", "isOneTimeURLParticipant": true,
  ]

  @Test func `exactly one of two users can join by a one-time URL`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [Self.entry])
      let guid = share["participants"][1]["oneTimeShortGUID"]
      #expect(guid.string?.hasPrefix(share["shortGUID"].string ?? "none") == true)
      #expect(guid.string?.count == 47)
      let (bob, cid) = (try await scene.guest("bob"), try await scene.guest("cid"))
      #expect(try await scene.resolve(guid, as: bob)["participantStatus"] == "INVITED")
      async let first = scene.accept(guid, as: bob)
      async let second = scene.accept(guid, as: cid)
      let answers = [try await first, try await second]
      #expect(answers.count { $0["participantStatus"] == "ACCEPTED" } == 1, "\(answers)")
      #expect(answers.count { $0["serverErrorCode"] == "NOT_FOUND" } == 1)
      let entries = try await scene.ann.lookup(["Share-1"], in: "Trips")[0]["participants"]
      #expect(entries.array?.count == 2)
      #expect(entries[1]["acceptanceStatus"] == "ACCEPTED")
    }
  }

  @Test
  func `the plain URL of a share does not lead to the participant of a one-time URL`() async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [Self.entry])
      let bob = try await scene.guest("bob")
      #expect(try await scene.accept(share["shortGUID"], as: bob)["reason"] == "Share not found")
    }
  }

  @Test func `the one-time URL of a removed participant leads to no share`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [Self.entry])
      let guid = share["participants"][1]["oneTimeShortGUID"]
      try await scene.update { $0.with("participants", []) }
      let bob = try await scene.guest("bob")
      #expect(try await scene.accept(guid, as: bob)["reason"] == "Share not found")
    }
  }

  @Test func `participants do not see the one-time URLs of others`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [Self.entry, scene.invited("bob")])
      let bob = try await scene.guest("bob")
      let accepted = try await scene.accept(share["shortGUID"], as: bob)
      let guid = try #require(share["participants"][1]["oneTimeShortGUID"].string)
      #expect(!"\(accepted)".contains(guid))
      #expect(try await scene.records(of: bob).contains("Share-1"))
    }
  }
}
