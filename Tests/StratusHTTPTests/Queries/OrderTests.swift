import Testing

/// The order of a query's results, and their division into pages.
@Suite struct QueryOrders {
  private func withNumbers(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { (anna) async throws in
      for number in 0..<30 {
        try await anna.save(
          "n-\(number)",
          fields: [
            "number": ["value": .int(Int64(number - 15))],
            "parity": ["value": .int(Int64(number % 2))],
            "third": ["value": .string(["x", "y", "z"][number % 3])],
          ])
      }
      try await anna.save("none")
      try await body(anna)
    }
  }

  private func expected(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "n-\($0)" } }

  @Test(arguments: [1, 2, 7, 30, 31, 200] as [Int64])
  func `query pages of any size give the same order`(pageSize: Int64) async throws {
    try await withNumbers { (anna) async throws in
      let rising = try await anna.names(
        ["recordType": "Note", "sortBy": [.sort("number")]], pageSize: pageSize)
      #expect(rising == ["none"] + expected(0..<30))
      let falling = try await anna.names(
        ["recordType": "Note", "sortBy": [.sort("number", ascending: false)]], pageSize: pageSize)
      #expect(falling == expected((0..<30).reversed()) + ["none"])
    }
  }

  @Test func `a page that ends with the last match has no continuation marker`() async throws {
    try await withNumbers { (anna) async throws in
      let query: JSON = [
        "recordType": "Note", "filterBy": [.filter("EQUALS", "parity", 1)],
        "sortBy": [.sort("number")],
      ]
      #expect(try await anna.pages(query, pageSize: 5).map(\.count) == [5, 5, 5])
      #expect(try await anna.pages(query, pageSize: 15).map(\.count) == [15])
      #expect(try await anna.pages(query, pageSize: 14).map(\.count) == [14, 1])
    }
  }

  @Test func `each of several sort fields of a query has its own direction`() async throws {
    try await withNumbers { (anna) async throws in
      let names = try await anna.names(
        [
          "recordType": "Note", "filterBy": [.filter("GREATER_THAN", "number", -15)],
          "sortBy": [.sort("third", ascending: false), .sort("parity"), .sort("number")],
        ], pageSize: 4)
      let sorted = (1..<30).sorted {
        ($1 % 3, $0 % 2, $0) < ($0 % 3, $1 % 2, $1)
      }
      #expect(names == expected(sorted))
    }
  }

  @Test func `a filter with several values keeps the sort order`() async throws {
    try await withNumbers { (anna) async throws in
      let names = try await anna.names(
        [
          "recordType": "Note", "filterBy": [.filter("IN", "third", ["z", "x"])],
          "sortBy": [.sort("number", ascending: false)],
        ], pageSize: 3)
      #expect(names == expected((0..<30).filter { $0 % 3 != 1 }.reversed()))
    }
  }

  @Test func `a query can sort by the field of its range filter`() async throws {
    try await withNumbers { (anna) async throws in
      let names = try await anna.names(
        [
          "recordType": "Note",
          "filterBy": [
            .filter("GREATER_THAN_OR_EQUALS", "number", -5), .filter("LESS_THAN", "number", 5),
            .filter("EQUALS", "parity", 0),
          ],
          "sortBy": [.sort("number", ascending: false)],
        ], pageSize: 2)
      #expect(names == expected([18, 16, 14, 12, 10]))
    }
  }

  @Test func `a range filter on one field works with a sort by another field`() async throws {
    try await withNumbers { (anna) async throws in
      let names = try await anna.names(
        [
          "recordType": "Note", "filterBy": [.filter("LESS_THAN", "number", -9)],
          "sortBy": [.sort("third"), .sort("number")],
        ], pageSize: 2)
      #expect(names == expected([0, 3, 1, 4, 2, 5]))
    }
  }

  @Test func `a query sorted by distance reads no record outside the circle`() async throws {
    try await withAnna { (anna) async throws in
      let places =
        (0..<200).map { ("far-\($0)", 40 + Double($0) / 100) }
        + (0..<3).map { ("near-\($0)", Double($0) / 1_000) }
      let operations = places.map { name, latitude -> JSON in
        [
          "operationType": "create",
          "record": [
            "recordName": "\(name)", "recordType": "Note",
            "fields": [
              "place": [
                "value": ["latitude": .double(latitude), "longitude": 0], "type": "LOCATION",
              ]
            ],
          ],
        ]
      }
      _ = try await anna.modify(.array(Array(operations[..<100])))
      _ = try await anna.modify(.array(Array(operations[100...])))
      try await anna.save("nowhere")
      let here: JSON = ["latitude": 0, "longitude": 0]
      let near = JSON.filter("NEAR", "place", here)
        .with("fieldValue", ["value": here, "type": "LOCATION"]).with("distance", .double(5_000))
      for isAscending in [true, false] {
        let query: JSON = [
          "recordType": "Note", "filterBy": [near],
          "sortBy": [
            [
              "fieldName": "place", "relativeLocation": here, "ascending": .bool(isAscending),
            ]
          ],
        ]
        let answer = try await anna.post("records/query", ["query": query, "explain": true])
        let names = ["near-0", "near-1", "near-2"]
        #expect(
          answer["records"].array?.compactMap { $0["recordName"].string }
            == (isAscending ? names : names.reversed()))
        #expect(answer["continuationMarker"].isNull)
        #expect(answer["explanation"]["recordsRead"] == 3)
      }
    }
  }

  @Test func `a sort by distance works in both directions`() async throws {
    try await withAnna { (anna) async throws in
      for degree in [170, -170, 10, 0, -20, 90] {
        try await anna.save(
          "p\(degree)",
          fields: [
            "place": [
              "value": ["latitude": 1, "longitude": .int(Int64(degree))], "type": "LOCATION",
            ]
          ])
      }
      try await anna.save("nowhere")
      var sort: JSON = [
        "fieldName": "place", "relativeLocation": ["latitude": 0, "longitude": 175],
      ]
      let nearest = ["p170", "p-170", "p90", "p-20", "p10", "p0"]
      for size in [1, 2, 7] as [Int64] {
        let names = try await anna.names(
          ["recordType": "Note", "sortBy": [sort]], pageSize: size)
        // p-20 and p10 are both 165° of longitude away, so either may come first.
        #expect(Set(names[3...4]) == Set(nearest[3...4]))
        #expect(Array(names[..<3]) == Array(nearest[..<3]))
        #expect(names[5...] == ["p0", "nowhere"])
      }
      sort = sort.with("ascending", false)
      for size in [1, 3, 7] as [Int64] {
        let names = try await anna.names(
          ["recordType": "Note", "sortBy": [sort]], pageSize: size)
        #expect(names[..<2] == ["nowhere", "p0"])
        #expect(names[4...] == ["p90", "p-170", "p170"])
      }
    }
  }
}
