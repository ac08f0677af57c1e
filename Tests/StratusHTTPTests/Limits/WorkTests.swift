import StratusWire
import Testing

/// Limits of the work that one save or one query may cause.
@Suite struct BoundsOfWork {
  private static func list(_ count: Int, from start: Int = 0) -> JSON {
    ["value": .array((start..<start + count).map { .string("v\($0)") }), "type": "STRING_LIST"]
  }

  @Test func `a list has at most 20,000 values`() async throws {
    try await withAnna { anna in
      let saved = try await anna.save("a", fields: ["tags": Self.list(Limits.listValuesMax)])
      #expect(saved["serverErrorCode"].isNull)
      let refused = try await anna.save(
        "b", fields: ["tags": Self.list(Limits.listValuesMax + 1)])
      #expect(refused["serverErrorCode"] == "BAD_REQUEST")
      #expect(refused["reason"] == .string(Reason.recordTooManyEntries))
    }
  }

  @Test func `the list values and the words of a record count towards one limit`() async throws {
    try await withAnna { anna in
      let text = (0..<15_000).map { "word\($0)" }.joined(separator: " ")
      let refused = try await anna.save(
        "a", fields: ["tags": Self.list(12_000), "text": ["value": .string(text)]])
      #expect(refused["reason"] == .string(Reason.recordTooManyEntries))
      // A long text with few distinct words is allowed.
      let same = String(repeating: "word ", count: 100_000)
      let saved = try await anna.save(
        "a", fields: ["tags": Self.list(12_000), "text": ["value": .string(same)]])
      #expect(saved["serverErrorCode"].isNull)
    }
  }

  @Test func `a batch that writes too many index entries is refused, and half a batch is accepted`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Z")
      try await anna.save("seed", in: "Z", fields: ["tags": Self.list(1)])
      _ = try await anna.post(
        "records/query",
        [
          "zoneID": ["zoneName": "Z"],
          "query": ["recordType": "Note", "filterBy": [.filter("LIST_CONTAINS", "tags", "v0")]],
        ])
      let operations = (0..<4).map { number -> JSON in
        [
          "operationType": "create",
          "record": [
            "recordName": "n-\(number)", "recordType": "Note",
            "fields": ["tags": Self.list(15_000)],
          ],
        ]
      }
      func modify(_ operations: [JSON]) async throws -> Client.Answer {
        try await anna.answer(
          "records/modify",
          ["zoneID": ["zoneName": "Z"], "operations": .array(operations), "desiredKeys": []])
      }
      let refused = try await modify(operations)
      refused.expectRefusal("60,000 entries", code: "BAD_REQUEST")
      #expect(refused.reason == Reason.batchTooMuchWork)
      #expect(try await anna.lookup(["n-0"], in: "Z")[0]["serverErrorCode"] == "NOT_FOUND")
      #expect(try await modify(Array(operations[..<2])).status == 200)
      #expect(try await modify(Array(operations[2...])).status == 200)
    }
  }

  @Test func `the numbers of values and words in a filter are limited`() async throws {
    try await withAnna { anna in
      try await anna.save("a", fields: ["number": ["value": 1], "text": ["value": "word1"]])
      func ask(_ filter: JSON) async throws -> Client.Answer {
        try await anna.answer(
          "records/query", ["query": ["recordType": "Note", "filterBy": [filter]]])
      }
      func numbers(_ count: Int64) -> JSON {
        .filter("IN", "number", .array((0..<count).map { .int($0) }))
      }
      func words(_ count: Int) -> JSON {
        .filter(
          "CONTAINS_ANY_TOKENS", "text",
          .string((0..<count).map { "word\($0)" }.joined(separator: " ")))
      }
      #expect(try await ask(numbers(2_000)).json["records"].array?.count == 1)
      #expect(try await ask(numbers(2_001)).reason == Reason.queryValuesTooMany)
      #expect(try await ask(words(100)).json["records"].array?.count == 1)
      #expect(try await ask(words(101)).reason == Reason.queryValuesTooMany)
      let long = JSON.filter(
        "CONTAINS_ALL_TOKENS", "text", .string(String(repeating: "word1 ", count: 20_000)))
      #expect(try await ask(long).reason == Reason.queryValuesTooMany)
    }
  }

  @Test
  func `a query page that takes long is read in several reads and returned as one page`()
    async throws
  {
    try await withAnna { anna in
      // Each record costs about 800 units of work. A single read ends after 30,000 units.
      for start in stride(from: 0, to: 90, by: 30) {
        let operations = (start..<start + 30).map { number -> JSON in
          [
            "operationType": "create",
            "record": [
              "recordName": "n-\(number)", "recordType": "Note",
              "fields": [
                "text": ["value": .string(String(repeating: "x", count: 100_000))],
                "number": ["value": .int(Int64(number))],
              ],
            ],
          ]
        }
        _ = try await anna.post(
          "records/modify", ["operations": .array(operations), "desiredKeys": []])
      }
      let query: JSON = [
        "recordType": "Note",
        "filterBy": [
          .filter("NOT_EQUALS", "text", "y"),
          .filter("NOT_IN", "number", .array((0..<88).map { .int($0) })),
        ],
      ]
      let answer = try await anna.post(
        "records/query", ["query": query, "explain": true, "desiredKeys": ["number"]])
      #expect(
        answer["records"].array?.compactMap { $0["recordName"].string }.sorted()
          == ["n-88", "n-89"])
      #expect(answer["continuationMarker"].isNull)
      let read = try #require(answer["explanation"]["recordsRead"].integer)
      #expect(read >= 90)
    }
  }
}
