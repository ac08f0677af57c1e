import Testing

/// The shared database of a user who participates in no shared zone.
@Suite struct EmptySharedDatabase {
  private func withShared(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      var shared = anna
      shared.database = "shared"
      try await body(shared)
    }
  }

  @Test func `the zone lists of an empty shared database are empty`() async throws {
    try await withShared { shared in
      for endpoint in ["zones/list", "changes/database", "zones/changes"] {
        let answer = try await shared.post(endpoint)
        #expect(answer["zones"] == [])
      }
    }
  }

  @Test
  func `a change token of the shared database is valid only for the shared database`() async throws
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

  @Test func `a shared database has no default zone and none of the caller's zones`() async throws {
    try await withShared { shared in
      let zones: JSON = ["zones": [["zoneName": "_defaultZone"], ["zoneName": "Work"]]]
      let found = try await shared.post("zones/lookup", zones)
      for place in 0...1 { #expect(found["zones"][place]["serverErrorCode"] == "ZONE_NOT_FOUND") }
      let lookup = try await shared.answer(
        "records/lookup", ["records": [["recordName": "secret"]]])
      #expect(lookup.json["serverErrorCode"] == "ZONE_NOT_FOUND")
    }
  }

  @Test func `a user cannot create a zone in the shared database`() async throws {
    try await withShared { shared in
      let answer = try await shared.answer(
        "zones/modify",
        ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "New"]]]]])
      #expect(answer.json["serverErrorCode"] == "BAD_REQUEST")
    }
  }

  @Test func `a query over all zones of an empty shared database finds no record`() async throws {
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
