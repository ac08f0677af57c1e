import HTTPTypes
import StratusTesting
import Testing

/// Requests that real clients send although the documentation does not mention them.
@Suite struct Tolerance {
  @Test(arguments: [
    "text/plain", "application/json", "application/json; charset=utf-8",
    "application/x-www-form-urlencoded", "image/png",
  ])
  func `the server ignores the content type of a request`(type: String) async throws {
    try await withAnna { anna in
      let answer = try await anna.send(
        .post, anna.target("records/lookup"), headers: ["Content-Type": type],
        body: Array(#"{"records":[]}"#.utf8))
      #expect(answer.status == 200)
    }
  }

  @Test(arguments: ["zones/list", "users/caller", "users/current", "changes/database"])
  func `GET, POST, an empty body and an empty dictionary are equivalent`(
    endpoint: String
  ) async throws {
    try await withAnna { anna in
      let answers = [
        try await anna.get(endpoint),
        try await anna.send(.post, anna.target(endpoint)),
        try await anna.answer(endpoint, [:]),
      ]
      #expect(answers.map(\.status) == [200, 200, 200])
      #expect(Set(answers.map(\.json)).count == 1)
    }
  }

  @Test
  func `the server ignores unknown parameters and the parameter order`() async throws {
    try await withAnna { anna in
      let token = Client.encode(try #require(anna.webAuthToken))
      let api = try #require(anna.apiToken)
      let path = "/database/1/\(anna.container)/development/private/users/caller"
      for query in [
        "ckAPIToken=\(api)&ckWebAuthToken=\(token)",
        "ckWebAuthToken=\(token)&ckAPIToken=\(api)",
        "clientId=x&remapEnums=True&ckAPIToken=\(api)&dsid=&ckWebAuthToken=\(token)&a",
        "&&=&ckAPIToken=\(api)&ckWebAuthToken=\(token)&",
      ] {
        #expect(try await anna.send(.get, path + "?" + query).status == 200, "\(query)")
      }
    }
  }

  @Test func `a web auth token in a URL works without percent-encoding`() async throws {
    try await withServer { server in
      // Tokens are random. The loop creates tokens until one contains a plus sign.
      for _ in 0..<100 {
        let anna = try await server.client("anna@example.org")
        let token = try #require(anna.webAuthToken)
        guard token.contains("+") else { continue }
        let path = "/database/1/\(anna.container)/development/private/users/caller"
        let query = "?ckAPIToken=\(try #require(anna.apiToken))&ckWebAuthToken=\(token)"
        #expect(try await anna.send(.get, path + query).status == 200)
        return
      }
      Issue.record("none of a hundred tokens contains a plus sign")
    }
  }

  @Test func `a record can be sent back with every key of the answer`() async throws {
    try await withAnna { anna in
      let saved = try await anna.save("n-1", fields: ["a": ["value": 1, "type": "INT64"]])
      let whole = saved.with("stableUrl", ["x": 1]).with("shortGUID", nil)
        .with("forRecord", saved).with("created", ["timestamp": 1]).with("chainParentKey", "x")
      let result = try await anna.modify([["operationType": "update", "record": whole]])[0]
      #expect(result["serverErrorCode"].isNull, "\(result)")
      #expect(result["created"] == saved["created"])
    }
  }

  @Test(arguments: ["ownerRecordName", "ownerName"])
  func `two keys and two placeholders can name the owner of a zone`(key: String)
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let user = try #require(try await anna.post("users/caller")["userRecordName"].string)
      for owner in [user, "_defaultOwner", "__defaultOwner__"] {
        let zoneID = (["zoneName": "Work"] as JSON).with(key, .string(owner))
        let found = try await anna.post("zones/lookup", ["zones": [zoneID]])
        #expect(found["zones"][0]["zoneID"]["ownerRecordName"].string == user, "\(owner)")
      }
    }
  }

  @Test
  func `the zone of a save may be at top level, in the record, or in both`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let zoneID: JSON = ["zoneName": "Work"]
      func body(_ top: JSON, _ own: JSON) -> JSON {
        [
          "zoneID": top,
          "operations": [
            [
              "operationType": "forceUpdate",
              "record": ["recordName": "n", "recordType": "Note", "zoneID": own],
            ]
          ],
        ]
      }
      for (top, own, zone) in [
        (zoneID, JSON.null, "Work"), (nil, zoneID, "Work"), (zoneID, zoneID, "Work"),
        (nil, nil, "_defaultZone"),
      ] {
        let answer = try await anna.post("records/modify", body(top, own))
        #expect(answer["records"][0]["zoneID"]["zoneName"].string == zone)
      }
      let differing = try await anna.answer(
        "records/modify", body(zoneID, ["zoneName": "_defaultZone"]))
      differing.expectRefusal("two zones for one record", code: "BAD_REQUEST")
    }
  }

  @Test
  func `the desired keys of a save may be in three places of the request`() async throws {
    try await withAnna { anna in
      let record: JSON = [
        "recordName": "n", "recordType": "Note", "fields": ["a": ["value": 1], "b": ["value": 2]],
      ]
      func fields(top: JSON, operation: JSON, record own: JSON) async throws -> Set<String> {
        let body: JSON = [
          "desiredKeys": top,
          "operations": [
            [
              "operationType": "forceUpdate", "desiredKeys": operation,
              "record": record.with("desiredKeys", own),
            ]
          ],
        ]
        return try await anna.post("records/modify", body)["records"][0]["fields"].keys
      }
      let all = try await fields(top: nil, operation: nil, record: nil)
      #expect(all == ["a", "b"])
      #expect(try await fields(top: ["a", "a"], operation: nil, record: nil) == ["a"])
      #expect(try await fields(top: ["a"], operation: ["b"], record: nil) == ["b"])
      #expect(try await fields(top: ["a"], operation: nil, record: []) == [])
      #expect(try await anna.lookup(["n"])[0]["fields"].keys == ["a", "b"])
    }
  }

  @Test
  func `a field's type may be missing or an alias, and a value is converted to the stored type`()
    async throws
  {
    try await withAnna { anna in
      try await anna.save(
        "n",
        fields: ["d": ["value": 1.5], "i": ["value": 1], "b": ["value": "AQI=", "type": "BYTES"]])
      let record = try await anna.save(
        "n",
        fields: [
          "d": ["value": 3], "i": ["value": true], "b": ["value": "AwQ="],
          "n": ["value": 4, "type": "NUMBER_INT64"],
        ])
      #expect(record["fields"]["d"] == ["value": 3, "type": "DOUBLE"])
      #expect(record["fields"]["i"] == ["value": 1, "type": "INT64"])
      #expect(record["fields"]["b"] == ["value": "AwQ=", "type": "BYTES"])
      #expect(record["fields"]["n"] == ["value": 4, "type": "INT64"])
    }
  }

  @Test(arguments: [JSON.object([:]), ["value": nil], nil])
  func `every form of a missing value clears a field`(nothing: JSON) async throws {
    try await withAnna { anna in
      try await anna.save("n", fields: ["a": ["value": 1], "b": ["value": 2]])
      let record = try await anna.save("n", fields: ["a": nothing])
      #expect(record["fields"].keys == ["b"])
    }
  }

  @Test(arguments: [JSON.int(1_000_000), "2", 0, nil])
  func `a page size that is too large is reduced, and a page size may be a string`(limit: JSON)
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      for index in 1...3 { try await anna.save("n-\(index)", in: "Work") }
      let page = try await anna.changes(in: "Work", ["resultsLimit": limit])
      #expect(page["records"].array?.count == (limit == "2" ? 2 : 3))
    }
  }

  @Test
  func `zones in a lookup may be zone IDs or dictionaries that contain a zone ID`()
    async throws
  {
    try await withAnna { anna in
      let zoneID: JSON = ["zoneName": "_defaultZone"]
      let found = try await anna.post("zones/lookup", ["zones": [zoneID, ["zoneID": zoneID]]])
      #expect(found["zones"][0] == found["zones"][1])
    }
  }
}
