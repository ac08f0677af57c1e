import Testing

/// The zones that a query searches.
@Suite struct QueryZones {
  private func withZones(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { (anna) async throws in
      for zone in ["A", "B"] {
        try await anna.makeZone(zone)
        for number in 0..<5 { try await anna.saveNumber(number, in: zone) }
      }
      try await anna.saveNumber(9)
      try await body(anna)
    }
  }

  private let all: JSON = ["recordType": "Note", "sortBy": [.sort("number")]]

  @Test func `a query searches one zone, the default zone, or all zones`() async throws {
    try await withZones { (anna) async throws in
      #expect(try await anna.names(all) == ["n-9"])
      let zone: JSON = ["zoneID": ["zoneName": "B"]]
      #expect(try await anna.names(all, pageSize: 2, zone).count == 5)
      let wide: JSON = ["zoneWide": true]
      for size in [1, 3, 20] as [Int64] {
        #expect(
          try await anna.names(all, pageSize: size, wide)
            == ["n-0", "n-0", "n-1", "n-1", "n-2", "n-2", "n-3", "n-3", "n-4", "n-4", "n-9"])
      }
      #expect(try await anna.names(all, zone.with("zoneWide", true)).count == 5)
    }
  }

  @Test func `a query in a missing zone fails`() async throws {
    try await withZones { (anna) async throws in
      let answer = try await anna.answer(
        "records/query", ["query": all, "zoneID": ["zoneName": "C"]])
      answer.expectRefusal("an unknown zone", code: "ZONE_NOT_FOUND")
    }
  }

  @Test func `a query in a new zone does not find records of a deleted zone of the same name`()
    async throws
  {
    try await withZones { (anna) async throws in
      let wide: JSON = ["zoneWide": true]
      #expect(try await anna.names(all, wide).count == 11)
      var body: JSON = ["query": all, "zoneWide": true, "resultsLimit": 2]
      let first = try await anna.post("records/query", body)
      try await anna.deleteZone("A")
      #expect(try await anna.names(all, pageSize: 2, wide).count == 6)
      body = body.with("continuationMarker", first["continuationMarker"])
      let second = try await anna.post("records/query", body)
      #expect(second["records"].array?.allSatisfy { $0["zoneID"]["zoneName"] != "A" } == true)
      try await anna.makeZone("A")
      try await anna.saveNumber(0, in: "A")
      #expect(try await anna.names(all, ["zoneID": ["zoneName": "A"]]) == ["n-0"])
      #expect(try await anna.names(all, pageSize: 2, wide).count == 7)
    }
  }

  @Test func `a query does not find another user's records`() async throws {
    try await withServer { (server) async throws in
      let anna = try await server.client("anna@example.org")
      let bea = try await server.client("bea@example.org")
      try await anna.saveNumber(1)
      try await bea.saveNumber(2)
      #expect(try await anna.names(all) == ["n-1"])
      #expect(try await bea.names(all, ["zoneWide": true]) == ["n-2"])
    }
  }

  @Test func `an anonymous query searches the public database's only zone`() async throws {
    try await withServer { (server) async throws in
      var anna = try await server.client("anna@example.org")
      anna.database = "public"
      try await anna.saveNumber(1)
      #expect(try await server.otherUser.names(all, ["zoneWide": true]) == ["n-1"])
      #expect(try await server.otherUser.names(["recordType": "Note"]) == ["n-1"])
    }
  }

  @Test func `a reference filter compares the record name, not the zone or action`() async throws {
    try await withAnna { (anna) async throws in
      try await anna.makeZone("A")
      try await anna.save(
        "child", in: "A",
        fields: [
          "target": ["value": ["recordName": "t", "action": "DELETE_SELF"], "type": "REFERENCE"]
        ])
      let filter: JSON = .filter("EQUALS", "target", ["recordName": "t", "action": "NONE"])
      let found = try await anna.names(
        ["recordType": "Note", "filterBy": [filter]], ["zoneID": ["zoneName": "A"]])
      #expect(found == ["child"])
    }
  }
}
