import Testing

/// Pages of queries while records change, and continuation markers.
@Suite struct QueryPaging {
  private func withNotes(
    _ count: Int, _ body: (Client) async throws -> Void
  ) async throws {
    try await withAnna { (anna) async throws in
      for number in 0..<count { try await anna.saveNumber(number) }
      try await body(anna)
    }
  }

  private let query: JSON = ["recordType": "Note", "sortBy": [.sort("number")]]

  @Test
  func `a query returns an unchanged record exactly once while other records change`() async throws
  {
    try await withNotes(20) { (anna) async throws in
      var body: JSON = ["query": query, "resultsLimit": 4]
      var seen: [String] = []
      var round = 0
      while true {
        let page = try await anna.post("records/query", body)
        seen += (page["records"].array ?? []).compactMap { $0["recordName"].string }
        guard !page["continuationMarker"].isNull else { break }
        body = body.with("continuationMarker", page["continuationMarker"])
        // In the sort order, one record is added before the page's end and one after it.
        // The last returned record is deleted.
        try await anna.saveNumber(100 + round, as: 3 * round)
        try await anna.saveNumber(200 + round, as: 50 + round)
        if let last = seen.last {
          _ = try await anna.modify(
            [["operationType": "forceDelete", "record": ["recordName": "\(last)"]]])
        }
        round += 1
      }
      #expect(Set(seen).count == seen.count)
      #expect(Set(seen).isSuperset(of: (0..<20).map { "n-\($0)" }))
      #expect(seen.filter { $0.hasPrefix("n-2") && $0.count == 5 }.count > 0)
    }
  }

  @Test
  func `a continuation marker is valid only for its query, database and zones`() async throws {
    try await withNotes(3) { (anna) async throws in
      let body: JSON = ["query": query, "resultsLimit": 1]
      let marker = try await anna.post("records/query", body)["continuationMarker"]
      #expect(marker.string != nil)
      let others: [JSON] = [
        body.with("query", ["recordType": "Note", "sortBy": [.sort("number", ascending: false)]]),
        body.with("query", ["recordType": "Note"]),
        body.with("zoneWide", true),
        body.with("zoneID", ["zoneName": "_defaultZone"]),
      ]
      for other in others {
        let answer = try await anna.answer(
          "records/query", other.with("continuationMarker", marker))
        answer.expectRefusal("another query's marker", code: "BAD_REQUEST")
        #expect(answer.reason == "invalid continuation marker")
      }
      var otherUser = anna
      otherUser.database = "public"
      let answer = try await otherUser.answer(
        "records/query", body.with("continuationMarker", marker))
      #expect(answer.status == 400)
      let page = try await anna.post(
        "records/query",
        body.with("continuationMarker", marker).with("resultsLimit", 9).with("desiredKeys", []))
      #expect(page["records"].array?.count == 2)
    }
  }

  @Test func `a continuation marker stays valid when other indexes are built`() async throws {
    try await withNotes(6) { (anna) async throws in
      var body: JSON = ["query": query, "resultsLimit": 3]
      let first = try await anna.post("records/query", body)
      body = body.with("continuationMarker", first["continuationMarker"])
      _ = try await anna.names(
        ["recordType": "Note", "sortBy": [.sort("number"), .sort("parity")]])
      let second = try await anna.post("records/query", body)
      #expect(
        second["records"].array?.compactMap { $0["recordName"].string } == ["n-3", "n-4", "n-5"])
      #expect(second["continuationMarker"].isNull)
    }
  }

  @Test func `a query page contains only the desired keys`() async throws {
    try await withNotes(1) { (anna) async throws in
      let page = try await anna.post(
        "records/query", ["query": query, "desiredKeys": ["parity"], "numbersAsStrings": true])
      #expect(page["records"][0]["fields"] == ["parity": ["value": "0", "type": "INT64"]])
      let bare = try await anna.post("records/query", ["query": query, "desiredKeys": []])
      #expect(bare["records"][0]["fields"] == [:])
      #expect(bare["records"][0] == page["records"][0].with("fields", [:]))
    }
  }

  @Test func `a query page has at most two hundred records`() async throws {
    try await withAnna { (anna) async throws in
      let operations = (0..<201).map { number -> JSON in
        ["operationType": "create", "record": ["recordName": "r\(number)", "recordType": "Note"]]
      }
      _ = try await anna.modify(.array(operations))
      for limit in [0, 500] as [Int64] {
        let sizes = try await anna.pages(["recordType": "Note"], pageSize: limit).map(\.count)
        #expect(sizes == [200, 1])
      }
      #expect(try await anna.pages(["recordType": "Note"]).map(\.count) == [200, 1])
    }
  }
}

extension Client {
  /// Saves a note with a number.
  @discardableResult
  func saveNumber(_ number: Int, as value: Int? = nil, in zone: String? = nil) async throws -> JSON
  {
    try await save(
      "n-\(number)", in: zone,
      fields: [
        "number": ["value": .int(Int64(value ?? number))],
        "parity": ["value": .int(Int64(number % 2))],
      ])
  }
}
