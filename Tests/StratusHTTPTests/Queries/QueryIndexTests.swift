import Testing

/// Indexes that the server builds for queries, as clients see them.
@Suite struct QueryIndexes {
  @Test
  func `a query with a filter and a sort reads 6 index entries for a page of 5 records`()
    async throws
  {
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

  @Test
  func `an index also contains records that are saved after the build of the index`() async throws {
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

  @Test func `a value that is removed from a record is also removed from the index`() async throws {
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

  @Test func `record names that only look alike have separate index entries`() async throws {
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

  @Test func `a search for several words starts with the rarest word`() async throws {
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

  @Test func `a query sorts few records in memory when no more indexes are allowed`() async throws {
    try await withAnna { (anna) async throws in
      var fields: JSON = [:]
      for number in 0..<9 { fields = fields.with("f\(number)", ["value": .int(Int64(number))]) }
      try await anna.save("a", fields: fields)
      try await anna.save("b", fields: fields)
      var sorted = 0
      for first in 0..<9 {
        for second in 0..<9 where first != second {
          let filtered: JSON = [
            "recordType": "Note", "filterBy": [.filter("EQUALS", "f\(first)", .int(Int64(first)))],
            "sortBy": [.sort("f\(second)")],
          ]
          #expect(try await anna.names(filtered) == ["a", "b"])
          let query: JSON = [
            "recordType": "Note", "sortBy": [.sort("f\(first)"), .sort("f\(second)")],
          ]
          let answer = try await anna.post("records/query", ["query": query, "explain": true])
          #expect(answer["records"].array?.count == 2)
          if answer["explanation"]["plan"] == "gather" { sorted += 1 }
        }
      }
      #expect(sorted == 72 - 32)
    }
  }

  /// Saves notes. Their field `number` counts from 0, and `opposite` is the negated number.
  private static func fill(_ anna: Client, _ count: Int64) async throws {
    for start in stride(from: 0, to: count, by: 200) {
      let operations = (start..<min(start + 200, count)).map { number -> JSON in
        [
          "operationType": "create",
          "record": [
            "recordName": "n-\(number)", "recordType": "Note",
            "fields": ["number": ["value": .int(number)], "opposite": ["value": .int(-number)]],
          ],
        ]
      }
      _ = try await anna.modify(.array(operations))
    }
  }

  /// Queries a range of numbers, sorted by the field `opposite`.
  private static func explained(
    _ anna: Client, _ comparator: String, _ number: Int64, ascending: Bool = true
  ) async throws -> JSON {
    let query: JSON = [
      "recordType": "Note", "filterBy": [.filter(comparator, "number", .int(number))],
      "sortBy": [.sort("opposite", ascending: ascending)],
    ]
    let answer = try await anna.post(
      "records/query", ["query": query, "resultsLimit": 5, "explain": true])
    let names = answer["records"].array?.compactMap { $0["recordName"].string }
    return answer["explanation"].with("names", .array((names ?? []).map { .string($0) }))
  }

  @Test func `the query planner stops counting a range that contains most records`() async throws {
    try await withAnna { (anna) async throws in
      try await Self.fill(anna, 400)
      let explanation = try await Self.explained(anna, "GREATER_THAN", 10)
      #expect(explanation["names"] == ["n-399", "n-398", "n-397", "n-396", "n-395"])
      #expect(explanation["plan"] == "scan")
      let entries = try #require(explanation["entriesRead"].integer)
      let records = try #require(explanation["recordsRead"].integer)
      #expect(entries <= 2 * (5 + 1))
      #expect(records <= 5 + 1)
    }
  }

  @Test func `a query sorts a range in memory if the range fits in one page`() async throws {
    try await withAnna { (anna) async throws in
      try await Self.fill(anna, 400)
      let explanation = try await Self.explained(anna, "LESS_THAN", 3)
      #expect(explanation["names"] == ["n-2", "n-1", "n-0"])
      #expect(explanation["plan"] == "gather")
      let records = try #require(explanation["recordsRead"].integer)
      #expect(records <= 2 * 3)
    }
  }

  @Test
  func `a query sorts a range in memory if the range comes last in the sort order`() async throws {
    try await withAnna { (anna) async throws in
      try await Self.fill(anna, 400)
      let explanation = try await Self.explained(anna, "LESS_THAN", 20)
      #expect(explanation["names"] == ["n-19", "n-18", "n-17", "n-16", "n-15"])
      #expect(explanation["plan"] == "gather")
      // The server first tries a few records in sort order.
      let records = try #require(explanation["recordsRead"].integer)
      #expect(records < 300)
    }
  }
}
