import Testing

/// Indexes that queries bring about, seen from outside.
@Suite struct QueryIndexes {
  @Test func `an equality and a sort read what they return, and one entry more`() async throws {
    try await withAnna { (anna) async throws in
      for number in 0..<40 { try await anna.saveNumber(number) }
      let query: JSON = [
        "recordType": "Note", "filterBy": [.filter("EQUALS", "parity", 0)],
        "sortBy": [.sort("number", ascending: false)],
      ]
      let answer = try await anna.post(
        "records/query", ["query": query, "resultsLimit": 5, "explain": true])
      let explanation = answer["explanation"]
      #expect(explanation["plan"] == "scan")
      #expect(explanation["index"] == "parity, number")
      #expect(explanation["remainingFilters"] == [])
      #expect(explanation["recordsRead"] == 5)
      #expect(explanation["entriesRead"] == 6)
    }
  }

  @Test func `what is written after an index was made is in it`() async throws {
    try await withAnna { (anna) async throws in
      try await anna.saveNumber(1)
      let query: JSON = ["recordType": "Note", "filterBy": [.filter("EQUALS", "number", 7)]]
      #expect(try await anna.names(query) == [])
      try await anna.saveNumber(1, as: 7)
      try await anna.saveNumber(2, as: 7)
      #expect(try await anna.names(query).sorted() == ["n-1", "n-2"])
      try await anna.saveNumber(2, as: 8)
      #expect(try await anna.names(query) == ["n-1"])
      _ = try await anna.modify(
        [["operationType": "forceDelete", "record": ["recordName": "n-1"]]])
      #expect(try await anna.names(query) == [])
    }
  }

  @Test func `a field that goes away leaves its index`() async throws {
    try await withAnna { (anna) async throws in
      try await anna.save("a", fields: ["tags": ["value": ["x", "y"], "type": "STRING_LIST"]])
      #expect(try await anna.found("LIST_CONTAINS_ANY", "tags", ["x", "y"]) == ["a"])
      try await anna.save("a", fields: ["tags": ["value": ["y"], "type": "STRING_LIST"]])
      #expect(try await anna.found("LIST_CONTAINS", "tags", "x") == [])
      #expect(try await anna.found("LIST_CONTAINS", "tags", "y") == ["a"])
      try await anna.save("a", fields: ["tags": ["value": nil]])
      #expect(try await anna.found("LIST_CONTAINS", "tags", "y") == [])
    }
  }

  @Test func `records whose names only look alike have entries of their own`() async throws {
    try await withAnna { (anna) async throws in
      try await anna.saveNumber(1)
      #expect(try await anna.found("EQUALS", "number", 7) == [])
      let operations = ["M\u{E9}", "Me\u{301}"].map { name -> JSON in
        [
          "operationType": "create",
          "record": [
            "recordName": "\(name)", "recordType": "Note", "fields": ["number": ["value": 7]],
          ],
        ]
      }
      _ = try await anna.modify(.array(operations))
      #expect(try await anna.found("EQUALS", "number", 7).count == 2)
    }
  }

  @Test func `the rarest word leads`() async throws {
    try await withAnna { (anna) async throws in
      for number in 0..<20 {
        try await anna.save(
          "n-\(number)", fields: ["text": ["value": "common \(number == 7 ? "rare" : "words")"]])
      }
      let query: JSON = [
        "recordType": "Note", "filterBy": [.filter("CONTAINS_ALL_TOKENS", "text", "common rare")],
      ]
      let answer = try await anna.post("records/query", ["query": query, "explain": true])
      #expect(answer["records"].array?.count == 1)
      #expect(answer["explanation"]["recordsRead"] == 1)
      #expect(answer["explanation"]["index"] == "text token")
    }
  }

  @Test func `after many shapes of queries the order is still kept, or refused`() async throws {
    try await withAnna { (anna) async throws in
      var fields: JSON = [:]
      for number in 0..<9 { fields = fields.with("f\(number)", ["value": .int(Int64(number))]) }
      try await anna.save("a", fields: fields)
      try await anna.save("b", fields: fields)
      var refused = 0
      for first in 0..<9 {
        for second in 0..<9 where first != second {
          let filtered: JSON = [
            "recordType": "Note", "filterBy": [.filter("EQUALS", "f\(first)", .int(Int64(first)))],
            "sortBy": [.sort("f\(second)")],
          ]
          #expect(try await anna.names(filtered) == ["a", "b"])
          let sorted: JSON = [
            "recordType": "Note", "sortBy": [.sort("f\(first)"), .sort("f\(second)")],
          ]
          let answer = try await anna.answer("records/query", ["query": sorted])
          if answer.status == 200 { continue }
          answer.expectRefusal("an order that no index has", code: "BAD_REQUEST")
          refused += 1
        }
      }
      #expect(refused == 72 - 32)
    }
  }
}
