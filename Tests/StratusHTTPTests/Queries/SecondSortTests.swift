import Testing

/// Sorting by record name, sorting by distance as the second key, and searching for parts of words.
@Suite struct LaterOrders {
  @Test(arguments: ["___recordID", "recordName"])
  func `a query can sort records by their names`(key: String) async throws {
    try await withAnna { anna in
      for name in ["b", "a", "c", "B"] { try await anna.save(name) }
      for isAscending in [true, false] {
        let query: JSON = [
          "recordType": "Note",
          "sortBy": [["systemFieldName": "\(key)", "ascending": .bool(isAscending)]],
        ]
        let names = ["B", "a", "b", "c"]
        #expect(
          try await anna.names(query, pageSize: 2) == (isAscending ? names : names.reversed()))
      }
    }
  }

  @Test func `a query can sort by distance after another field`() async throws {
    try await withAnna { anna in
      let places: [(String, Int64, Double?)] = [
        ("far", 1, 3), ("near", 1, 1), ("middle", 1, 2), ("nowhere", 1, nil), ("first", 0, 50),
        ("last", 2, 0),
      ]
      for (name, group, latitude) in places {
        var fields: JSON = ["group": ["value": .int(group)]]
        if let latitude {
          fields = fields.with(
            "place",
            ["value": ["latitude": .double(latitude), "longitude": 0], "type": "LOCATION"])
        }
        try await anna.save(name, fields: fields)
      }
      func names(_ group: Bool, _ distance: Bool) async throws -> [String] {
        let query: JSON = [
          "recordType": "Note",
          "sortBy": [
            .sort("group", ascending: group),
            .sort("place", ascending: distance)
              .with("relativeLocation", ["latitude": 0, "longitude": 0]),
          ],
        ]
        return try await anna.names(query, pageSize: 2)
      }
      let nearest = ["near", "middle", "far", "nowhere"]
      #expect(try await names(true, true) == ["first"] + nearest + ["last"])
      #expect(try await names(true, false) == ["first"] + nearest.reversed() + ["last"])
      #expect(try await names(false, true) == ["last"] + nearest + ["first"])
      #expect(try await names(false, false) == ["last"] + nearest.reversed() + ["first"])
    }
  }

  /// A sort by distance after another field reads at most 1,000 records into memory.
  @Test
  func `only records of the queried zones count towards the limit of a sort by distance`()
    async throws
  {
    try await withAnna { anna in
      for zone in ["Full", "Small"] { try await anna.makeZone(zone) }
      let fields: JSON = [
        "group": ["value": 1],
        "place": ["value": ["latitude": 1, "longitude": 1], "type": "LOCATION"],
      ]
      for start in stride(from: 0, to: 1_200, by: 400) {
        let saves = (start..<start + 400).map { index -> JSON in
          [
            "operationType": "create",
            "record": [
              "recordName": "\(index)", "recordType": "Note", "fields": fields,
            ],
          ]
        }
        _ = try await anna.modify(.array(saves), in: "Full")
      }
      _ = try await anna.save("one", in: "Small", fields: fields)
      let query: JSON = [
        "recordType": "Note",
        "sortBy": [
          .sort("group", ascending: true),
          .sort("place", ascending: true)
            .with("relativeLocation", ["latitude": 0, "longitude": 0]),
        ],
      ]
      for (zone, isRefused) in [("Full", true), ("Small", false)] {
        let answer = try await anna.answer(
          "records/query", ["zoneID": ["zoneName": .string(zone)], "query": query])
        #expect((answer.status == 200) == !isRefused, "\(zone)")
        if !isRefused { #expect(answer.json["records"].array?.count == 1) }
      }
    }
  }

  @Test(arguments: [
    ("\u{6771}\u{4EAC}", ["ja"]), ("\u{4EAC}\u{90FD}", ["ja"]), ("\u{6771}", ["ja"]),
    ("\u{6771}\u{90FD}", []), ("\u{30BF}\u{30EF}\u{30FC}", ["ja"]),
    ("\u{5317}\u{4EAC} \u{5927}\u{5B66}", ["zh"]), ("\u{0E20}\u{0E32}\u{0E29}\u{0E32}", ["th"]),
    ("tower", ["ja"]), ("\u{D55C}\u{AD6D}", []), ("\u{D55C}\u{AD6D}\u{C5B4}", ["ko"]),
  ])
  func `a text search finds parts of words in scripts without spaces`(
    _ words: String, _ expected: [String]
  ) async throws {
    try await withAnna { anna in
      let texts = [
        "ja": "\u{6771}\u{4EAC}\u{90FD}\u{306E}Tower\u{30BF}\u{30EF}\u{30FC}",
        "zh": "\u{5317}\u{4EAC}\u{5927}\u{5B66}",
        "th": "\u{0E20}\u{0E32}\u{0E29}\u{0E32}\u{0E44}\u{0E17}\u{0E22}",
        "ko": "\u{D55C}\u{AD6D}\u{C5B4}",
      ]
      for (name, text) in texts {
        try await anna.save(name, fields: ["text": ["value": .string(text)]])
      }
      #expect(try await anna.found("CONTAINS_ALL_TOKENS", "text", .string(words)) == expected)
      #expect(
        try await anna.found("CONTAINS_ANY_TOKENS", "text", .string(words + " zebra"))
          == expected)
    }
  }
}
