import Testing

/// Every comparator of queries, in requests to a whole server.
@Suite struct Comparators {
  /// Runs a body with four notes, one of which has no fields.
  private func withNotes(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { (anna) async throws in
      try await anna.save(
        "a",
        fields: [
          "title": ["value": "apple"], "count": ["value": -3], "weight": ["value": 0.5],
          "due": ["value": -1000, "type": "TIMESTAMP"],
          "tags": ["value": ["red", "round"], "type": "STRING_LIST"],
          "text": ["value": "The Caf\u{E9} is open, until 10!"],
          "other": ["value": ["recordName": "x"], "type": "REFERENCE"],
          "place": ["value": ["latitude": 60.17, "longitude": 24.94], "type": "LOCATION"],
        ])
      try await anna.save(
        "b",
        fields: [
          "title": ["value": "apricot"], "count": ["value": 0], "weight": ["value": -2],
          "due": ["value": 0, "type": "TIMESTAMP"],
          "tags": ["value": ["green"], "type": "STRING_LIST"],
          "text": ["value": "closed until ten"],
          "other": ["value": ["recordName": "y"], "type": "REFERENCE"],
          "place": ["value": ["latitude": 60.18, "longitude": 24.94], "type": "LOCATION"],
        ])
      try await anna.save(
        "c",
        fields: [
          "title": ["value": "Apple"], "count": ["value": 7], "weight": ["value": 10],
          "due": ["value": 5000, "type": "TIMESTAMP"],
          "tags": ["value": [], "type": "STRING_LIST"],
          "place": ["value": ["latitude": 0, "longitude": 0], "type": "LOCATION"],
        ])
      try await anna.save("d")
      try await body(anna)
    }
  }

  @Test func `EQUALS is exact, and NOT_EQUALS matches records without the field`() async throws {
    try await withNotes { (anna) async throws in
      #expect(try await anna.found("EQUALS", "title", "apple") == ["a"])
      #expect(try await anna.found("NOT_EQUALS", "title", "apple") == ["b", "c", "d"])
      #expect(try await anna.found("EQUALS", "count", -3) == ["a"])
      #expect(try await anna.found("EQUALS", "weight", 10) == ["c"])
      #expect(try await anna.found("EQUALS", "due", 0) == ["b"])
      #expect(try await anna.found("EQUALS", "other", ["recordName": "y"]) == ["b"])
      #expect(try await anna.found("EQUALS", "title", "app") == [])
    }
  }

  @Test func `range comparators find negative numbers, positive numbers and texts`() async throws {
    try await withNotes { (anna) async throws in
      #expect(try await anna.found("LESS_THAN", "count", 0) == ["a"])
      #expect(try await anna.found("LESS_THAN_OR_EQUALS", "count", 0) == ["a", "b"])
      #expect(try await anna.found("GREATER_THAN", "count", -3) == ["b", "c"])
      #expect(try await anna.found("GREATER_THAN_OR_EQUALS", "count", -3) == ["a", "b", "c"])
      #expect(try await anna.found("GREATER_THAN", "count", 6.5) == ["c"])
      #expect(try await anna.found("LESS_THAN", "count", -2.5) == ["a"])
      #expect(try await anna.found("LESS_THAN", "count", 1e300) == ["a", "b", "c"])
      #expect(try await anna.found("LESS_THAN", "weight", 0.5) == ["b"])
      #expect(try await anna.found("GREATER_THAN", "title", "Apple") == ["a", "b"])
      #expect(try await anna.found("LESS_THAN", "due", 0) == ["a"])
    }
  }

  @Test func `IN and NOT_IN compare with several values`() async throws {
    try await withNotes { (anna) async throws in
      #expect(try await anna.found("IN", "title", ["apple", "Apple", "x"]) == ["a", "c"])
      #expect(try await anna.found("NOT_IN", "title", ["apple", "Apple"]) == ["b", "d"])
      #expect(try await anna.found("IN", "count", []) == [])
      #expect(try await anna.found("NOT_IN", "count", []) == ["a", "b", "c", "d"])
      #expect(try await anna.found("IN", "count", [7, -3, 7]) == ["a", "c"])
    }
  }

  @Test func `BEGINS_WITH is case-sensitive`() async throws {
    try await withNotes { (anna) async throws in
      #expect(try await anna.found("BEGINS_WITH", "title", "ap") == ["a", "b"])
      #expect(try await anna.found("NOT_BEGINS_WITH", "title", "ap") == ["c", "d"])
      #expect(try await anna.found("BEGINS_WITH", "title", "") == ["a", "b", "c"])
    }
  }

  @Test func `list comparators search the members of a list`() async throws {
    try await withNotes { (anna) async throws in
      #expect(try await anna.found("LIST_CONTAINS", "tags", "red") == ["a"])
      #expect(try await anna.found("NOT_LIST_CONTAINS", "tags", "red") == ["b", "c", "d"])
      #expect(try await anna.found("LIST_CONTAINS_ANY", "tags", ["red", "green"]) == ["a", "b"])
      #expect(
        try await anna.found("NOT_LIST_CONTAINS_ANY", "tags", ["red", "green"]) == ["c", "d"])
      #expect(try await anna.found("LIST_CONTAINS_ALL", "tags", ["red", "round"]) == ["a"])
      #expect(try await anna.found("LIST_CONTAINS_ALL", "tags", ["red", "green"]) == [])
      #expect(try await anna.found("LIST_CONTAINS_ALL", "tags", []) == ["a", "b", "c"])
      #expect(
        try await anna.found("NOT_LIST_CONTAINS_ALL", "tags", ["red"]) == ["b", "c", "d"])
      #expect(try await anna.found("LIST_MEMBER_BEGINS_WITH", "tags", "r") == ["a"])
      #expect(
        try await anna.found("NOT_LIST_MEMBER_BEGINS_WITH", "tags", "r") == ["b", "c", "d"])
    }
  }

  @Test func `token comparators ignore case, accents and stop words`() async throws {
    try await withNotes { (anna) async throws in
      #expect(try await anna.found("CONTAINS_ALL_TOKENS", "text", "cafe OPEN") == ["a"])
      #expect(try await anna.found("CONTAINS_ALL_TOKENS", "text", "until the") == ["a", "b"])
      #expect(try await anna.found("CONTAINS_ANY_TOKENS", "text", "ten 10") == ["a", "b"])
      #expect(try await anna.found("CONTAINS_ALL_TOKENS", "text", "open ten") == [])
      #expect(try await anna.found("CONTAINS_ANY_TOKENS", "text", "the is") == [])
      #expect(try await anna.found("CONTAINS_ANY_TOKENS", "text", ["closed", "10"]) == ["a", "b"])
      let filter: JSON = [
        "comparator": "CONTAINS_ALL_TOKENS", "fieldValue": ["value": "round apple open"],
      ]
      #expect(try await anna.names(["recordType": "Note", "filterBy": [filter]]) == ["a"])
    }
  }

  @Test func `NEAR finds the records inside its circle`() async throws {
    try await withNotes { (anna) async throws in
      // A hundredth of a degree of latitude is 1,111.95 m.
      for (distance, names) in [(1_111.0, ["a"]), (1_113.0, ["a", "b"]), (0.0, [])] {
        let filter = JSON.filter("NEAR", "place", ["latitude": 60.17, "longitude": 24.94])
          .with("distance", .double(distance))
        let found = try await anna.names(["recordType": "Note", "filterBy": [filter]])
        #expect(found.sorted() == names, "\(distance)")
      }
    }
  }

  @Test func `a filter can name a system field in several forms`() async throws {
    try await withNotes { (anna) async throws in
      for name in ["___recordID", "recordName"] {
        #expect(try await anna.found("EQUALS", name, "a") == ["a"])
        #expect(try await anna.found("EQUALS", name, ["recordName": "b"]) == ["b"])
      }
      let filter: JSON = [
        "comparator": "IN", "systemFieldName": "recordName",
        "fieldValue": ["value": ["a", "d", "z"], "type": "STRING_LIST"],
      ]
      let found = try await anna.names(["recordType": "Note", "filterBy": [filter]])
      #expect(found.sorted() == ["a", "d"])
      #expect(
        try await anna.found("EQUALS", "createdUserRecordName", "__defaultOwner__").count == 4)
      #expect(try await anna.found("GREATER_THAN", "___createTime", 0).count == 4)
      #expect(try await anna.found("GREATER_THAN", "modifiedTimestamp", 0).count == 4)
    }
  }
}
