import StratusTesting
import Testing

/// Attempts to get more rights than a share gives.
@Suite struct `The rights to a share` {
  /// Ann withdraws Bob's permission, and keeps his entry.
  @Test
  func `a participant whose permission becomes NONE loses all rights, but stays in the list`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      try await scene.update { share in
        let entries = (share["participants"].array ?? []).dropFirst()
        return share.with("participants", .array(entries.map { $0.with("permission", "NONE") }))
      }
      for answer in [
        try await scene.resolve(share["shortGUID"], as: bob),
        try await scene.accept(share["shortGUID"], as: bob),
      ] {
        #expect(answer["serverErrorCode"] == "NOT_FOUND")
        #expect(answer["rootRecord"].isNull)
        #expect(answer["share"].isNull)
        #expect(answer["reason"] == "Share not found")
      }
      // The entry of Bob's address has the permission NONE. A new invitation gives it READ_ONLY.
      try await scene.update { share in
        share.with(
          "participants",
          .array((share["participants"].array ?? []).map { $0.with("permission", "READ_ONLY") }))
      }
      #expect(
        try await scene.accept(share["shortGUID"], as: bob)["participantStatus"] == "ACCEPTED")
      #expect(try await scene.records(of: bob).contains("Arch"))
    }
  }

  @Test func `a user who has not joined a share does not see the names of its participants`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", publicly: "READ_ONLY")
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      let dora = try await scene.guest("dora")
      let before = try await scene.resolve(share["shortGUID"], as: dora)
      #expect(before["share"]["participants"].array?.count == 1)
      #expect(before["share"]["participants"][0]["type"] == "OWNER")
      let after = try await scene.accept(share["shortGUID"], as: dora)
      #expect(after["share"]["participants"].array?.count == 3)
    }
  }

  /// Forum is below Rome, which is not shared.
  @Test func `no query shows a participant the parent of the shared root`() async throws {
    try await withShares { scene in
      let share = try await scene.share("Forum", publicly: "READ_WRITE")
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      func found(_ comparator: String, _ parent: String) async throws -> [String] {
        let reference: JSON = [
          "value": ["recordName": .string(parent), "action": "NONE"], "type": "REFERENCE",
        ]
        let answer = try await bob.post(
          "records/query",
          [
            "zoneID": scene.zoneID,
            "query": [
              "recordType": "Place",
              "filterBy": [
                [
                  "comparator": .string(comparator), "fieldName": "___parent",
                  "fieldValue": reference,
                ]
              ],
            ],
          ])
        return (answer["records"].array ?? []).compactMap { $0["recordName"].string }
      }
      #expect(try await found("EQUALS", "Forum") == ["Arch"])
      #expect(try await found("EQUALS", "Rome") == [])
      #expect(try await found("NOT_EQUALS", "Paris") == ["Arch"])
      #expect(try await found("NOT_EQUALS", "Rome") == ["Arch"])
    }
  }

  /// Operations that would set or remove the parent of the share's record.
  private static let moves: [JSON] = [
    [
      "operationType": "forceUpdate",
      "record": ["recordName": "Share-1", "parent": ["recordName": "Paris"], "fields": [:]],
    ],
    [
      "operationType": "forceUpdate",
      "record": ["recordName": "Share-1", "parent": [:], "fields": [:]],
    ],
    ["operationType": "forceReplace", "record": ["recordName": "Share-1", "fields": [:]]],
  ]

  @Test
  func `no operation hides a share's record from the participants of the share`() async throws {
    try await withShares { scene in
      let share = try await scene.share(
        "Rome", with: [scene.invited("bob"), scene.invited("cid", type: "ADMINISTRATOR")])
      let (bob, cid) = (try await scene.guest("bob"), try await scene.guest("cid"))
      for guest in [bob, cid] { try await scene.accept(share["shortGUID"], as: guest) }
      let other = try await scene.share("Paris", named: "Share-2", publicly: "READ_WRITE")
      try await scene.accept(other["shortGUID"], as: cid)
      let dora = try await scene.guest("dora")
      try await scene.accept(other["shortGUID"], as: dora)
      var token = try await scene.changes(of: bob).token
      for move in Self.moves {
        for mover in [cid, scene.ann] {
          let answer =
            mover.database == "shared"
            ? try await scene.modify([move], as: mover).json["records"][0]
            : try await scene.ann.modify([move], in: "Trips")[0]
          #expect(answer["serverErrorCode"].isNull, "\(answer)")
          let news = try await scene.changes(of: bob, since: token)
          #expect(news.live == ["Share-1"], "\(move)")
          #expect(news.deleted == [], "\(move)")
          token = news.token
          #expect(try await !scene.records(of: dora).contains("Share-1"), "\(move)")
        }
      }
    }
  }

  @Test func `a record does not join the share if the same batch moves its parent out`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      let forum = operation("forceUpdate", "Forum")
      _ = try await scene.ann.modify(
        [
          forum.with("record", forum["record"].with("parent", [:])),
          operation("forceUpdate", "Plans", parent: "Arch"),
        ], in: "Trips")
      // Neither before nor after the background work does Bob see a record below Forum.
      for isSettled in [false, true] {
        if isSettled { try await scene.server.continueCascades() }
        let found = try await bob.post(
          "records/lookup",
          [
            "zoneID": scene.zoneID,
            "records": .array(["Plans", "Arch", "Forum"].map { ["recordName": .string($0)] }),
          ])["records"]
        #expect(
          found.array?.map { $0["serverErrorCode"] } == ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND"])
      }
      #expect(try await scene.records(of: bob) == ["Rome", "Share-1"])
    }
  }

  @Test func `a record joins the share if the same batch moves a record above it into the share`()
    async throws
  {
    try await withShares { scene in
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      _ = try await scene.ann.modify(
        [
          operation("forceUpdate", "Paris", parent: "Rome"),
          operation("forceUpdate", "Plans", parent: "Louvre"),
        ], in: "Trips")
      try await scene.server.continueCascades()
      #expect(
        try await scene.records(of: bob) == [
          "Rome", "Forum", "Arch", "Paris", "Louvre", "Plans", "Share-1",
        ])
    }
  }

  @Test func `rights to one share give no rights to another share of the zone`() async throws {
    try await withShares { scene in
      try await scene.share("Rome", with: [scene.invited("bob")])
      let other = try await scene.share(
        "Paris", named: "Share-2", with: [scene.invited("cid", type: "ADMINISTRATOR")])
      let cid = try await scene.guest("cid")
      try await scene.accept(other["shortGUID"], as: cid)
      let refused = try await scene.modify(Self.moves.json, as: cid)
      for place in Self.moves.indices {
        #expect(!refused.json["records"][place]["serverErrorCode"].isNull)
      }
    }
  }
}

extension [JSON] {
  fileprivate var json: JSON { .array(self) }
}
