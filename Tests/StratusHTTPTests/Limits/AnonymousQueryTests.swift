import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// Queries of callers who are not signed in.
@Suite struct QueriesOfStrangers {
  private func withPublicNotes(
    _ count: Int, live clock: MovedClock = MovedClock(),
    _ body: (TestServer, Client) async throws -> Void
  ) async throws {
    try await withServer(live: clock.live) { server in
      var anna = try await server.client("anna@example.org")
      anna.database = "public"
      for start in stride(from: 0, to: count, by: 400) {
        let operations = (start..<min(start + 400, count)).map { number -> JSON in
          [
            "operationType": "create",
            "record": [
              "recordName": "n-\(number)", "recordType": "Note",
              "fields": [
                "number": ["value": .int(Int64(number))],
                "parity": ["value": .int(Int64(number % 2))],
              ],
            ],
          ]
        }
        _ = try await anna.modify(.array(operations))
      }
      try await body(server, anna)
    }
  }

  private static let falling: JSON = [
    "recordType": "Note", "filterBy": [.filter("EQUALS", "parity", 0)],
    "sortBy": [.sort("number", ascending: false)],
  ]

  private func plan(_ caller: Client, _ query: JSON = Self.falling) async throws -> String? {
    try await caller.post("records/query", ["query": query, "explain": true])["explanation"][
      "plan"
    ].string
  }

  @Test
  func `an anonymous query over few records sorts them in memory and builds no index`()
    async throws
  {
    try await withPublicNotes(30) { (server, _) async throws in
      let expected = stride(from: 28, through: 0, by: -2).map { "n-\($0)" }
      for _ in 0..<2 {
        #expect(try await server.otherUser.names(Self.falling, pageSize: 4) == expected)
        #expect(try await plan(server.otherUser) == "walk")
      }
    }
  }

  @Test func `anonymous queries do not use up the allowed number of indexes`() async throws {
    try await withPublicNotes(4) { (server, anna) async throws in
      var fields: JSON = [:]
      for number in 0..<9 { fields = fields.with("f\(number)", ["value": .int(Int64(number))]) }
      try await anna.save("more", fields: fields)
      for first in 0..<9 {
        for second in 0..<9 where first != second {
          let query: JSON = [
            "recordType": "Note", "sortBy": [.sort("f\(first)"), .sort("f\(second)")],
          ]
          #expect(try await plan(server.otherUser, query) == "walk")
        }
      }
      #expect(try await plan(anna) == "scan")
      #expect(try await plan(server.otherUser) == "scan")
    }
  }

  @Test
  func `an anonymous query over many records needs an index that a user's query built`()
    async throws
  {
    try await withPublicNotes(1_001) { (server, anna) async throws in
      let refused = try await server.otherUser.answer(
        "records/query", ["query": Self.falling])
      refused.expectRefusal("1,001 records to sort", code: "BAD_REQUEST")
      #expect(refused.reason == Reason.queryNeedsIndex)
      #expect(try await plan(anna) == "scan")
      #expect(try await plan(server.otherUser) == "scan")
    }
  }

  @Test func `an index that was not read for two weeks is dropped`() async throws {
    let clock = MovedClock()
    try await withPublicNotes(10, live: clock) { (server, anna) async throws in
      let other: JSON = ["recordType": "Note", "sortBy": [.sort("number"), .sort("parity")]]
      #expect(try await plan(anna) == "scan")
      #expect(try await plan(anna, other) == "scan")
      try await server.dropUnusedIndexes()
      clock.move(bySeconds: 10 * 86_400)
      #expect(try await plan(server.otherUser, other) == "scan")
      try await server.dropUnusedIndexes()
      clock.move(bySeconds: 5 * 86_400)
      try await server.dropUnusedIndexes()
      #expect(try await plan(server.otherUser, other) == "scan")
      #expect(try await plan(server.otherUser) != "scan")
      // A query of a signed-in user builds the index again.
      var ben = try await server.client("ben@example.org")
      ben.database = "public"
      #expect(try await plan(ben) == "scan")
      let found = try await ben.names(Self.falling, pageSize: 2)
      #expect(found == ["n-8", "n-6", "n-4", "n-2", "n-0"])
    }
  }
}
