import StratusTesting
import Testing

/// Only the owner can read or write a private database.
@Suite struct Privacy {
  private func withTwo(
    _ body: (_ anna: Client, _ bea: Client, _ annaName: String) async throws -> Void
  ) async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let bea = try await server.client("bea@example.org")
      let name = try #require(try await anna.post("users/caller")["userRecordName"].string)
      try await anna.makeZone("Diary")
      try await anna.save("secret", in: "Diary", fields: ["t": ["value": "hush-4711"]])
      try await anna.save("secret", fields: ["t": ["value": "hush-4711"]])
      try await body(anna, bea, name)
    }
  }

  /// Requests through which another caller might reach Anna's zone.
  private static func attempts(_ zoneID: JSON, _ token: JSON) -> [(String, JSON)] {
    [
      ("records/lookup", ["records": [["recordName": "secret"]], "zoneID": zoneID]),
      ("records/lookup", ["records": [["recordName": "secret", "zoneID": zoneID]]]),
      ("records/changes", ["zoneID": zoneID]),
      ("records/changes", ["zoneID": zoneID, "syncToken": token]),
      ("changes/zone", ["zones": [["zoneID": zoneID]]]),
      ("changes/zone", ["zones": [["zoneID": zoneID, "syncToken": token]]]),
      ("zones/lookup", ["zones": [zoneID]]),
      ("zones/modify", ["operations": [["operationType": "delete", "zone": ["zoneID": zoneID]]]]),
      ("zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": zoneID]]]]),
      (
        "records/modify",
        [
          "zoneID": zoneID,
          "operations": [["operationType": "forceDelete", "record": ["recordName": "secret"]]],
        ]
      ),
      (
        "records/modify",
        [
          "operations": [
            [
              "operationType": "forceReplace",
              "record": ["recordName": "secret", "recordType": "Note", "zoneID": zoneID],
            ]
          ]
        ]
      ),
    ]
  }

  @Test func `no endpoint shows or changes another user's zone`() async throws {
    try await withTwo { anna, bea, name in
      let token = try await anna.changes(in: "Diary")["syncToken"]
      let before = try await Contents(of: anna)
      for key in ["ownerRecordName", "ownerName"] {
        for zone in ["Diary", "_defaultZone"] {
          let zoneID = (["zoneName": "\(zone)"] as JSON).with(key, .string(name))
          for (endpoint, body) in Self.attempts(zoneID, token) {
            for database in ["private", "shared"] {
              var caller = bea
              caller.database = database
              let answer = try await caller.answer(endpoint, body)
              answer.expectRefusal("\(database) \(endpoint) \(body)")
              #expect(!String(decoding: answer.bytes, as: UTF8.self).contains("hush-4711"))
            }
          }
        }
      }
      #expect(try await Contents(of: anna) == before)
      #expect(try await anna.lookup(["secret"])[0]["fields"]["t"]["value"] == "hush-4711")
    }
  }

  @Test func `two users' zones with the same name are different zones`() async throws {
    try await withTwo { anna, bea, _ in
      try await bea.makeZone("Diary")
      #expect(try await bea.lookup(["secret"], in: "Diary")[0]["serverErrorCode"] == "NOT_FOUND")
      #expect(try await bea.changes(in: "Diary")["records"] == [])
      let token = try await anna.changes(in: "Diary")["syncToken"]
      let item: JSON = ["zoneID": ["zoneName": "Diary"], "syncToken": token]
      let answer = try await bea.answer("changes/zone", ["zones": [item]])
      answer.expectRefusal("another user's token", code: "BAD_REQUEST")
    }
  }

  @Test func `a change token of another user's database is refused`() async throws {
    try await withTwo { anna, bea, _ in
      let token = try await anna.post("changes/database")["syncToken"]
      let answer = try await bea.answer("changes/database", ["syncToken": token])
      answer.expectRefusal("another user's token", code: "BAD_REQUEST")
    }
  }

  @Test func `a user's lists show only the user's own zones`() async throws {
    try await withTwo { _, bea, _ in
      let list = try await bea.post("zones/list")
      #expect(list["zones"].array?.count == 1)
      #expect(try await bea.post("changes/database")["zones"] == [])
      #expect(try await bea.lookup(["secret"])[0]["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test
  func `a private record is neither in the public database nor in other stores`() async throws {
    try await withTwo { anna, _, _ in
      for (container, environment, database) in [
        (anna.container, "development", "public"), (anna.container, "production", "private"),
        ("iCloud.org.example.Other", "development", "private"),
      ] {
        var caller = anna
        (caller.container, caller.environment, caller.database) = (container, environment, database)
        let found = try await caller.lookup(["secret"])
        #expect(found[0]["serverErrorCode"] == "NOT_FOUND")
      }
    }
  }

  @Test func `an anonymous caller must sign in before any private request`() async throws {
    try await withTwo { anna, _, name in
      let zoneID: JSON = ["zoneName": "Diary", "ownerRecordName": "\(name)"]
      for (endpoint, body) in Self.attempts(zoneID, nil) + [("zones/list", [:])] {
        var otherUser = anna
        otherUser.webAuthToken = nil
        try await otherUser.answer(endpoint, body)
          .expectRefusal(endpoint, code: "AUTHENTICATION_REQUIRED")
      }
    }
  }

  @Test func `only the creator of a public record can change the record`() async throws {
    try await withTwo { anna, bea, _ in
      var (anna, bea) = (anna, bea)
      (anna.database, bea.database) = ("public", "public")
      let saved = try await anna.save("n-1", fields: ["t": ["value": "mine"]])
      let tag = try #require(saved["recordChangeTag"].string)
      for kind in ["update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"] {
        let item = try await bea.save("n-1", fields: ["t": ["value": "x"]], kind, tag: tag)
        #expect(item["serverErrorCode"] == "ACCESS_DENIED", "\(kind)")
      }
      #expect(try await bea.lookup(["n-1"])[0] == saved)
      #expect(try await anna.save("n-1", "update", tag: tag)["serverErrorCode"].isNull)
    }
  }
}
