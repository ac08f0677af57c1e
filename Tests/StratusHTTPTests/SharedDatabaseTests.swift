import Testing

/// The shared database of a user who participates in no zone (web-services §4.8, sharing §2.2).
@Suite struct EmptySharedDatabase {
  private func withShared(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      var shared = anna
      shared.database = "shared"
      try await body(shared)
    }
  }

  @Test func `its lists of zones are empty`() async throws {
    try await withShared { shared in
      for endpoint in ["zones/list", "changes/database", "zones/changes"] {
        let answer = try await shared.post(endpoint)
        #expect(answer["zones"] == [])
      }
    }
  }

  @Test func `its change token is good for the next poll, and for no other database`() async throws
  {
    try await withShared { shared in
      let first = try await shared.post("changes/database")
      #expect(first["moreComing"] == false)
      let token = first["syncToken"]
      let again = try await shared.post("changes/database", ["syncToken": token])
      #expect(again["zones"] == [])
      #expect(again["syncToken"] == token)
      var own = shared
      own.database = "private"
      let refused = try await own.answer("changes/database", ["syncToken": token])
      #expect(refused.status == 400)
    }
  }

  @Test func `it has neither a default zone nor the caller's own zones`() async throws {
    try await withShared { shared in
      let zones: JSON = ["zones": [["zoneName": "_defaultZone"], ["zoneName": "Work"]]]
      let found = try await shared.post("zones/lookup", zones)
      for place in 0...1 { #expect(found["zones"][place]["serverErrorCode"] == "ZONE_NOT_FOUND") }
      let lookup = try await shared.answer(
        "records/lookup", ["records": [["recordName": "secret"]]])
      #expect(lookup.json["serverErrorCode"] == "ZONE_NOT_FOUND")
    }
  }

  @Test func `no zone is made in it`() async throws {
    try await withShared { shared in
      let answer = try await shared.answer(
        "zones/modify",
        ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "New"]]]]])
      #expect(answer.json["serverErrorCode"] == "BAD_REQUEST")
    }
  }

  @Test func `a query over all of its zones finds nothing`() async throws {
    try await withShared { shared in
      var own = shared
      own.database = "private"
      try await own.save("n-1", in: "Work", fields: ["t": ["value": "text"]])
      let found = try await shared.post(
        "records/query", ["query": ["recordType": "Note"], "zoneWide": true])
      #expect(found["records"] == [])
    }
  }
}
