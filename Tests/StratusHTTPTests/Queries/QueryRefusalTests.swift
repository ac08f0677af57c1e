import StratusTesting
import Testing

/// Queries that the server refuses, and the reasons.
@Suite struct QueryRefusals {
  private func withNote(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { (anna) async throws in
      try await anna.save(
        "a",
        fields: [
          "title": ["value": "x"], "count": ["value": 1],
          "blob": ["value": "AAEC", "type": "BYTES"],
          "tags": ["value": ["x"], "type": "STRING_LIST"],
          "place": ["value": ["latitude": 1, "longitude": 2], "type": "LOCATION"],
        ])
      try await body(anna)
    }
  }

  @Test func `the error for a malformed query names the malformed part`() async throws {
    try await withNote { (anna) async throws in
      let cases: [(JSON, String)] = [
        (["recordType": "Nothing"], "Did not find record type: Nothing"),
        (["recordType": "Users"], "Queried type is not marked indexable"),
        (
          ["recordType": "Note", "filterBy": [.filter("EQUALS", "nope", 1)]],
          "Did not find field: 'nope' in type: 'Note'"
        ),
        (
          ["recordType": "Note", "sortBy": [.sort("nope")]],
          "Did not find field: 'nope' in type: 'Note'"
        ),
        (
          ["recordType": "Note", "sortBy": [.sort("createdUserRecordName")]],
          "Field 'createdUserRecordName' is not marked sortable"
        ),
        (["recordType": "Note", "sortBy": [.sort("tags")]], "Field 'tags' is not marked sortable"),
        (
          ["recordType": "Note", "filterBy": [.filter("EQUALS", "title", ["x"])]],
          "Field 'title' in type 'Note': Invalid value, expected type STRING "
            + "but actual value was a list"
        ),
        (
          ["recordType": "Note", "filterBy": [.filter("IN", "title", "x")]],
          "Field 'title' in type 'Note': Invalid value, expected type STRING_LIST."
        ),
        (
          ["recordType": "Note", "filterBy": [.filter("EQUALS", "count", "x")]],
          "Field 'count' in type 'Note': Invalid value, expected type INT64."
        ),
        (
          ["recordType": "Note", "filterBy": [.filter("EQUALS", "title", nil)]],
          "Field 'title' in type 'Note': a filter needs a value"
        ),
        (
          ["recordType": "Note", "filterBy": [.filter("EQUALS", "blob", "AAEC")]],
          "Field 'blob' has a value type of BYTES and cannot be queried using filter type EQUALS"
        ),
        (
          ["recordType": "Note", "filterBy": [.filter("EQUALS", "tags", "x")]],
          "Field 'tags' has a value type of STRING_LIST and cannot be queried using filter "
            + "type EQUALS"
        ),
        (
          ["recordType": "Note", "sortBy": [.sort("place")]],
          "Field 'place' is a LOCATION: its sort needs 'relativeLocation'"
        ),
        (
          [
            "recordType": "Note",
            "filterBy": [["comparator": "EQUALS", "fieldValue": ["value": 1]]],
          ],
          "missing required field 'fieldName'"
        ),
        (
          ["recordType": "Note", "filterBy": [["comparator": "LIKE", "fieldName": "title"]]],
          "Unknown comparator 'LIKE'"
        ),
        (
          ["recordType": "Note", "filterBy": [.filter("ENDS_WITH", "title", "x")]],
          "ENDS_WITH is an extension of queries, which this container does not allow; "
            + "'stratus container configure' with '--query-extensions on' allows it"
        ),
        (["sortBy": []], "missing required field 'recordType'"),
      ]
      for (query, reason) in cases {
        let answer = try await anna.answer("records/query", ["query": query])
        answer.expectRefusal("\(query)", code: "BAD_REQUEST")
        #expect(answer.reason == reason)
      }
      try await anna.answer("records/query", [:]).expectRefusal("no query", code: "BAD_REQUEST")
    }
  }

  @Test
  func `production refuses a query by an unindexed field until the schema is deployed`()
    async throws
  {
    try await withServer { (server) async throws in
      let developer = try await server.client("anna@example.org")
      let container = "iCloud.org.example.Notes"
      try await server.manage("containers/create", ["containerID": "\(container)"])
      try await developer.saveNumber(1)
      _ = try await developer.names(["recordType": "Note"])
      try await server.manage("schema/deploy", ["containerID": "\(container)"])
      var anna = developer
      anna.environment = "production"
      try await anna.saveNumber(2)
      #expect(try await anna.names(["recordType": "Note"]) == ["n-2"])
      #expect(try await anna.found("EQUALS", "number", 2) == ["n-2"])
      let unmarked: [(JSON, String)] = [
        (
          ["recordType": "Note", "filterBy": [.filter("EQUALS", "createdUserRecordName", "x")]],
          "Field 'createdUserRecordName' is not marked queryable"
        ),
        (
          ["recordType": "Note", "sortBy": [.sort("___createTime")]],
          "Field '___createTime' is not marked sortable"
        ),
      ]
      for (query, reason) in unmarked {
        let answer = try await anna.answer("records/query", ["query": query])
        answer.expectRefusal("\(query)", code: "BAD_REQUEST")
        #expect(answer.reason == reason)
        // In development, the first query adds the missing index mark.
        _ = try await developer.names(query)
      }
      // The next deployment copies and lists every index mark that the field's type allows.
      let deployed = try await server.manage("schema/deploy", ["containerID": "\(container)"])
      #expect(deployed["recordTypes"] == [] && deployed["fields"] == [])
      #expect(
        deployed["indexes"] == [
          "Note.___createTime QUERYABLE", "Note.___createTime SORTABLE",
          "Note.___createdBy QUERYABLE",
        ])
      for (query, _) in unmarked { _ = try await anna.names(query) }
    }
  }

  @Test func `a query without results also adds index marks to its fields`() async throws {
    try await withServer { (server) async throws in
      let developer = try await server.client("anna@example.org")
      let container = "iCloud.org.example.Notes"
      try await server.manage("containers/create", ["containerID": "\(container)"])
      try await developer.saveNumber(1)
      let query: JSON = [
        "recordType": "Note", "filterBy": [.filter("IN", "createdUserRecordName", [])],
      ]
      #expect(try await developer.names(query) == [])
      try await server.manage("schema/deploy", ["containerID": "\(container)"])
      var anna = developer
      anna.environment = "production"
      #expect(try await anna.names(query) == [])
    }
  }

  @Test func `query extensions work only if the container allows extensions`() async throws {
    try await withServer { (server) async throws in
      let anna = try await server.client("anna@example.org")
      let container = "iCloud.org.example.Notes"
      try await server.manage("containers/create", ["containerID": "\(container)"])
      for (name, title) in [("a", "red apple"), ("b", "green pear"), ("c", "red")] {
        try await anna.save(name, fields: ["title": ["value": "\(title)"]])
      }
      try await anna.save("d")
      let settings = try await server.manage(
        "containers/configure",
        [
          "containerID": "\(container)", "environment": "development",
          "allowsQueryExtensions": true,
        ])
      #expect(settings["allowsQueryExtensions"] == true)
      #expect(settings["requiresReferenceTargets"] == false)
      #expect(try await anna.found("ENDS_WITH", "title", "red") == ["c"])
      #expect(try await anna.found("CONTAINS_TEXT", "title", "ea") == ["b"])
      #expect(try await anna.found("LIST_CONTAINS", "title", "re") == ["a", "b", "c"])
      let either: JSON = [
        "anyOf": [
          [.filter("BEGINS_WITH", "title", "green")],
          [.filter("EQUALS", "title", "red"), .filter("NOT_EQUALS", "recordName", "x")],
        ]
      ]
      let query: JSON = ["recordType": "Note", "filterBy": [either]]
      #expect(try await anna.names(query).sorted() == ["b", "c"])
      let count = try await anna.post("records/query", ["query": query, "countOnly": true])
      #expect(count["count"] == 2)
      #expect(count["records"] == [])
      let all = try await anna.post(
        "records/query", ["query": ["recordType": "Note"], "countOnly": true, "explain": true])
      #expect(all["count"] == 4)
      #expect(all["explanation"]["recordsRead"] == 0)
      try await server.manage(
        "containers/configure",
        [
          "containerID": "\(container)", "environment": "development",
          "allowsQueryExtensions": false,
        ])
      let refused = try await anna.answer(
        "records/query", ["query": ["recordType": "Note"], "countOnly": true])
      refused.expectRefusal("a count", code: "BAD_REQUEST")
    }
  }
}
