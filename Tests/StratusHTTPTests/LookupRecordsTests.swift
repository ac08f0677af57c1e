import Testing

/// The endpoint `records/lookup`.
@Suite struct LookupRecordsEndpoint {
  @Test func `the records and errors of a lookup come in the requested order`() async throws {
    try await withAnna { anna in
      let saved = try await anna.save("n-1", fields: ["a": ["value": 1]])
      let records = try await anna.lookup(["gone", "n-1", "gone too", "n-1"])
      #expect(records.array?.count == 4)
      #expect(records[0]["recordName"] == "gone")
      #expect(records[0]["serverErrorCode"] == "NOT_FOUND")
      #expect(records[0]["reason"] == "Record not found")
      #expect(records[0]["uuid"].string?.isEmpty == false)
      #expect(records[1] == saved)
      #expect(records[2]["recordName"] == "gone too")
      #expect(records[3] == saved)
    }
  }

  @Test func `a lookup without names has an empty answer`() async throws {
    try await withAnna { anna in
      let answer = try await anna.post("records/lookup", ["records": []])
      #expect(answer == ["records": []])
    }
  }

  @Test func `two record names that only look alike belong to two records`() async throws {
    try await withAnna { anna in
      let names = ["caf\u{E9}", "cafe\u{301}"]
      for (index, name) in names.enumerated() {
        try await anna.save(name, fields: ["v": ["value": .int(Int64(index))]], "create")
      }
      let records = try await anna.lookup(names)
      for (index, name) in names.enumerated() {
        #expect(records[index]["fields"]["v"]["value"] == .int(Int64(index)))
        #expect(records[index]["recordName"].string.map { Array($0.utf8) } == Array(name.utf8))
      }
    }
  }

  @Test func `a lookup of 401 records is refused`() async throws {
    try await withAnna { anna in
      let many = [JSON](repeating: ["recordName": "n"], count: 401)
      let answer = try await anna.answer("records/lookup", ["records": .array(many)])
      answer.expectRefusal("401 lookups", code: "BAD_REQUEST")
    }
  }

  @Test func `an anonymous caller can read the public database`() async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      anna.database = "public"
      let saved = try await anna.save("n-1")
      #expect(saved["zoneID"]["zoneName"] == "_defaultZone")
      #expect(try await server.otherUser.lookup(["n-1"])[0] == saved)
    }
  }

  @Test func `a lookup in a missing zone fails as a whole`() async throws {
    try await withAnna { anna in
      let answer = try await anna.answer(
        "records/lookup",
        ["records": [["recordName": "a"]], "zoneID": ["zoneName": "Nowhere"]])
      answer.expectRefusal("lookup in an unknown zone", code: "ZONE_NOT_FOUND")
    }
  }

  @Test
  func `the desired keys of a record take precedence over the keys at top level`() async throws {
    try await withAnna { anna in
      try await anna.save("n-1", fields: ["a": ["value": 1], "b": ["value": 2]])
      let body: JSON = [
        "records": [
          ["recordName": "n-1"], ["recordName": "n-1", "desiredKeys": ["b", "b"]],
          ["recordName": "n-1", "desiredKeys": []],
        ],
        "desiredKeys": ["a", "nothing"],
      ]
      let records = try await anna.post("records/lookup", body)["records"]
      #expect(records[0]["fields"].keys == ["a"])
      #expect(records[1]["fields"].keys == ["b"])
      #expect(records[2]["fields"] == [:])
    }
  }

  @Test(arguments: ["numbersAsStrings", "numberAsStrings"])
  func `a lookup returns numbers as strings if the request asks for strings`(key: String)
    async throws
  {
    try await withAnna { anna in
      try await anna.save(
        "n-1",
        fields: [
          "i": ["value": 9_007_199_254_740_993], "d": ["value": 0.5], "s": ["value": "x"],
          "t": ["value": 1_767_225_600_000, "type": "TIMESTAMP"],
          "l": ["value": [1, 2], "type": "INT64_LIST"],
        ])
      let body = (["records": [["recordName": "n-1"]]] as JSON).with(key, true)
      let fields = try await anna.post("records/lookup", body)["records"][0]["fields"]
      #expect(fields["i"] == ["value": "9007199254740993", "type": "INT64"])
      #expect(fields["d"] == ["value": "0.5", "type": "DOUBLE"])
      #expect(fields["t"] == ["value": "1767225600000", "type": "TIMESTAMP"])
      #expect(fields["l"] == ["value": ["1", "2"], "type": "INT64_LIST"])
      #expect(fields["s"] == ["value": "x", "type": "STRING"])
      #expect(try await anna.lookup(["n-1"])[0]["fields"]["i"]["value"] == 9_007_199_254_740_993)
    }
  }
}
