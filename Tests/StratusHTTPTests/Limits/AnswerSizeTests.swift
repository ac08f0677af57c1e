import StratusWire
import Testing

/// No answer exceeds the size limit, however many records or zones a request names.
@Suite struct SizesOfAnswers {
  private static let megabyte = String(repeating: "x", count: 1_000_000)

  /// Saves this number of records, each with a text of one megabyte.
  private func fill(_ anna: Client, _ count: Int, in zone: String? = nil) async throws {
    for number in 0..<count {
      let saved = try await anna.save(
        "n-\(number)", in: zone, fields: ["text": ["value": .string(Self.megabyte)]])
      try #require(saved["serverErrorCode"].isNull)
    }
  }

  @Test func `a lookup that names a large record 400 times gets an answer of limited size`()
    async throws
  {
    try await withAnna { anna in
      try await fill(anna, 1)
      let many = [JSON](repeating: ["recordName": "n-0"], count: 400)
      let answer = try await anna.answer("records/lookup", ["records": .array(many)])
      #expect(answer.status == 200)
      #expect(answer.bytes.count <= Limits.answerSizeBytesMax)
      let items = try #require(answer.json["records"].array)
      #expect(items.count == 400)
      let shown = items.prefix { $0["serverErrorCode"].isNull }
      #expect((10...16).contains(shown.count))
      for item in items[shown.count...] {
        #expect(item["serverErrorCode"] == "BAD_REQUEST")
        #expect(item["reason"] == .string(Reason.answerTooLarge))
      }
    }
  }

  @Test
  func `a fetch that names a zone 100 times gets a limited answer, and its tokens lose no record`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Z")
      try await fill(anna, 12, in: "Z")
      let zone: JSON = ["zoneID": ["zoneName": "Z"]]
      let many = [JSON](repeating: zone, count: 100)
      let answer = try await anna.answer("changes/zone", ["zones": .array(many)])
      #expect(answer.status == 200)
      #expect(answer.bytes.count <= Limits.answerSizeBytesMax)
      let pages = try #require(answer.json["zones"].array)
      #expect(pages.count == 100)
      for page in pages { #expect(page["moreComing"] == true) }
      // The last page was full. Its token continues with the remaining records.
      var names: Set<String> = []
      var page = try #require(pages.last)
      while true {
        for record in page["records"].array ?? [] {
          names.insert(try #require(record["recordName"].string))
        }
        if page["moreComing"] != true { break }
        page = try await anna.changes(in: "Z", since: page["syncToken"])
      }
      #expect(names.count == 12)
    }
  }

  @Test func `records-modify changes nothing if its answer would be too large`() async throws {
    try await withAnna { anna in
      try await fill(anna, 18)
      // Each conflict in the answer contains the server's record.
      let creations = (["new"] + (0..<18).map { "n-\($0)" }).map { name -> JSON in
        ["operationType": "create", "record": ["recordName": "\(name)", "recordType": "Note"]]
      }
      let refused = try await anna.answer(
        "records/modify", ["operations": .array(creations)])
      refused.expectRefusal("an answer of 18 MB", code: "BAD_REQUEST")
      #expect(refused.reason == Reason.answerTooLarge)
      #expect(try await anna.lookup(["new"])[0]["serverErrorCode"] == "NOT_FOUND")
      let half = try await anna.modify(.array(Array(creations.prefix(10))))
      #expect(half[0]["serverErrorCode"].isNull)
      #expect(half[9]["serverErrorCode"] == "CONFLICT")
    }
  }

  @Test func `records-modify reads at most 32 MB of stored records`() async throws {
    try await withAnna { anna in
      try await fill(anna, 35)
      let deletions = (0..<35).map { number -> JSON in
        ["operationType": "forceDelete", "record": ["recordName": "n-\(number)"]]
      }
      let refused = try await anna.answer(
        "records/modify", ["operations": .array(deletions)])
      refused.expectRefusal("35 MB to delete", code: "BAD_REQUEST")
      #expect(refused.reason == Reason.batchTooManyBytes)
      let half = Array(deletions.prefix(20))
      #expect(try await anna.answer("records/modify", ["operations": .array(half)]).status == 200)
    }
  }

  @Test func `a query page with numbers as strings stays below the size limit`() async throws {
    try await withAnna { anna in
      let numbers = JSON.array([JSON](repeating: 7, count: 15_000))
      let text = String(repeating: "x", count: 800_000)
      for number in 0..<30 {
        try await anna.save(
          "n-\(number)", fields: ["list": ["value": numbers], "text": ["value": .string(text)]])
      }
      var names: Set<String> = []
      var body: JSON = ["query": ["recordType": "Note"], "numbersAsStrings": true]
      while true {
        let answer = try await anna.answer("records/query", body)
        #expect(answer.status == 200)
        #expect(answer.bytes.count <= Limits.answerSizeBytesMax)
        for record in answer.json["records"].array ?? [] {
          names.insert(try #require(record["recordName"].string))
        }
        guard !answer.json["continuationMarker"].isNull else { break }
        body = body.with("continuationMarker", answer.json["continuationMarker"])
      }
      #expect(names.count == 30)
    }
  }
}
