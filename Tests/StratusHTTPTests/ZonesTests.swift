import Testing

/// The endpoints `zones/list`, `zones/lookup` and `zones/modify`.
@Suite struct ZonesEndpoints {
  private func names(_ zones: JSON) -> [String] {
    (zones["zones"].array ?? []).compactMap { $0["zoneID"]["zoneName"].string }
  }

  private func operation(_ kind: String, _ name: String) -> JSON {
    ["operationType": "\(kind)", "zone": ["zoneID": ["zoneName": "\(name)"]]]
  }

  @Test func `a new database has its default zone`() async throws {
    try await withAnna { anna in
      let list = try await anna.post("zones/list")
      #expect(names(list) == ["_defaultZone"])
      #expect(list["zones"][0]["zoneID"]["zoneType"] == "DEFAULT_ZONE")
      #expect(list["zones"][0]["deleted"] == false)
    }
  }

  @Test
  func `an anonymous caller finds only the default zone in the public database`() async throws {
    try await withServer { server in
      let list = try await server.otherUser.post("zones/list")
      #expect(names(list) == ["_defaultZone"])
    }
  }

  @Test func `a zone can be created, listed, looked up and deleted`() async throws {
    try await withAnna { anna in
      let made = try await anna.post("zones/modify", ["operations": [operation("create", "Work")]])
      let zone = made["zones"][0]
      let owner = try await anna.post("users/caller")["userRecordName"]
      #expect(
        zone["zoneID"] == [
          "zoneName": "Work", "ownerRecordName": owner, "zoneType": "REGULAR_CUSTOM_ZONE",
        ])
      #expect(zone["atomic"] == true)
      #expect(zone["syncToken"].string?.isEmpty == false)
      #expect(Set(names(try await anna.post("zones/list"))) == ["_defaultZone", "Work"])
      let found = try await anna.post(
        "zones/lookup",
        ["zones": [["zoneName": "Work"], ["zoneName": "None"], ["zoneName": "_defaultZone"]]])
      #expect(found["zones"][0]["zoneID"] == zone["zoneID"])
      #expect(found["zones"][1]["serverErrorCode"] == "ZONE_NOT_FOUND")
      #expect(found["zones"][1]["zoneID"]["zoneName"] == "None")
      #expect(found["zones"][1]["reason"].string?.isEmpty == false)
      #expect(found["zones"][1]["uuid"].string?.isEmpty == false)
      #expect(found["zones"][2]["atomic"] == false)
      let gone = try await anna.post("zones/modify", ["operations": [operation("delete", "Work")]])
      #expect(gone["zones"][0]["deleted"] == true)
      #expect(gone["zones"][0]["zoneID"]["zoneName"] == "Work")
      #expect(names(try await anna.post("zones/list")) == ["_defaultZone"])
    }
  }

  @Test func `the save of an existing zone changes nothing`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work")
      let before = try await Contents(of: anna)
      try await anna.makeZone("Work")
      #expect(try await Contents(of: anna) == before)
    }
  }

  @Test func `a zone that is created again after its deletion is empty`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work")
      try await anna.deleteZone("Work")
      try await anna.makeZone("Work")
      #expect(try await anna.lookup(["n-1"], in: "Work")[0]["serverErrorCode"] == "NOT_FOUND")
      #expect(try await anna.changes(in: "Work")["records"] == [])
    }
  }

  @Test
  func `an invalid operation on one zone does not prevent the other operations of a request`()
    async throws
  {
    try await withAnna { anna in
      let long = String(repeating: "z", count: 10_000)
      let answer = try await anna.post(
        "zones/modify",
        [
          "operations": [
            operation("create", "Good"), operation("create", ""), operation("create", "_bad"),
            operation("create", long), operation("create", "a\u{1}"),
            operation("delete", "_defaultZone"), operation("delete", "Never"),
            operation("create", "Also good"),
          ]
        ])
      let codes = (answer["zones"].array ?? []).map { $0["serverErrorCode"].string }
      #expect(
        codes == [
          nil, "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST",
          "ZONE_NOT_FOUND", nil,
        ])
    }
  }

  @Test func `the public database has no custom zones`() async throws {
    try await withAnna { anna in
      var everyone = anna
      everyone.database = "public"
      let made = try await everyone.answer(
        "zones/modify", ["operations": [operation("create", "Work")]])
      made.expectRefusal("a custom zone in public", code: "BAD_REQUEST")
    }
  }

  @Test(arguments: ["zones/lookup", "zones/modify"])
  func `an anonymous caller can neither look up nor modify zones`(endpoint: String) async throws {
    try await withServer { server in
      let body: JSON = ["zones": [["zoneName": "_defaultZone"]], "operations": []]
      let answer = try await server.otherUser.answer(endpoint, body)
      answer.expectRefusal(endpoint, code: "AUTHENTICATION_REQUIRED")
    }
  }
}
