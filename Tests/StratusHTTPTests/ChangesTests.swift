import Testing

/// The endpoints `changes/database`, `zones/changes`, `changes/zone` and `records/changes`.
@Suite struct ChangesEndpoints {
  private func names(_ page: JSON) -> [String] {
    (page["records"].array ?? []).compactMap { $0["recordName"].string }
  }

  @Test
  func `the changes of a database contain the created, changed and deleted zones`() async throws {
    try await withAnna { anna in
      let empty = try await anna.post("changes/database")
      #expect(empty["zones"] == [])
      #expect(empty["moreComing"] == false)
      try await anna.makeZone("A")
      try await anna.makeZone("B")
      let made = try await anna.post(
        "changes/database", ["syncToken": empty["syncToken"]])
      #expect(
        Set(made["zones"].array?.compactMap { $0["zoneID"]["zoneName"].string } ?? []) == [
          "A", "B",
        ])
      try await anna.save("n-1", in: "A")
      try await anna.deleteZone("B")
      let later = try await anna.post("changes/database", ["syncToken": made["syncToken"]])
      let deleted = Dictionary(
        (later["zones"].array ?? []).map { ($0["zoneID"]["zoneName"], $0["deleted"]) },
        uniquingKeysWith: { $1 })
      #expect(deleted == ["A": false, "B": true])
      let nothing = try await anna.post("changes/database", ["syncToken": later["syncToken"]])
      #expect(nothing["zones"] == [])
      #expect(nothing["syncToken"] == later["syncToken"])
    }
  }

  /// Incarnations in answers are a Stratus extension (docs/reference/compatibility.md).
  @Test func `a request for incarnations gets the incarnation number of each zone`() async throws {
    try await withAnna { anna in
      let operation: JSON = ["operationType": "create", "zone": ["zoneID": ["zoneName": "A"]]]
      let plain = try await anna.post("zones/modify", ["operations": [operation]])
      #expect(plain["zones"][0]["incarnation"] == .null)
      var seen: [String] = []
      for _ in 1...2 {
        let made = try await anna.post(
          "zones/modify", ["operations": [operation], "incarnations": true])
        let listed = try await anna.post("changes/database", ["incarnations": true])
        #expect(made["zones"][0]["incarnation"] == listed["zones"][0]["incarnation"])
        seen.append(try #require(made["zones"][0]["incarnation"].string))
        try await anna.save("n-1", in: "A")
        let written = try await anna.post("changes/database", ["incarnations": true])
        #expect(written["zones"][0]["incarnation"].string == seen.last)
        #expect(try await anna.post("changes/database")["zones"][0]["incarnation"] == .null)
        try await anna.deleteZone("A")
      }
      #expect(Set(seen).count == 2)
    }
  }

  /// The number of remaining changes is a Stratus extension (docs/reference/compatibility.md).
  @Test func `on request, a page of zone changes has the number of remaining changes`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("A")
      for number in 0..<5 { try await anna.save("n-\(number)", in: "A") }
      let plain = try await anna.changes(in: "A", ["resultsLimit": 2])
      #expect(plain["remainingCountMax"].isNull)
      let asked: JSON = ["resultsLimit": 2, "remainingCount": true]
      var page = try await anna.changes(in: "A", asked)
      #expect(page["records"].array?.count == 2)
      #expect(page["remainingCountMax"] == 3)
      page = try await anna.changes(in: "A", since: page["syncToken"], asked)
      #expect(page["remainingCountMax"] == 1)
      page = try await anna.changes(in: "A", since: page["syncToken"], asked)
      #expect(page["remainingCountMax"] == 0)
      let reversed = try await anna.changes(in: "A", asked.with("reverse", true))
      #expect(reversed["remainingCountMax"].isNull)
    }
  }

  @Test func `the default zone is not in the database's changes`() async throws {
    try await withAnna { anna in
      try await anna.save("n-1")
      #expect(try await anna.post("changes/database")["zones"] == [])
    }
  }

  @Test func `the changes of a database come in pages`() async throws {
    try await withAnna { anna in
      for name in ["A", "B", "C", "D", "E"] { try await anna.makeZone(name) }
      var token = JSON.null
      var found: [String] = []
      var pages = 0
      var moreComing = true
      while moreComing, pages < 10 {
        let page = try await anna.post(
          "changes/database", ["syncToken": token, "resultsLimit": 2])
        found += (page["zones"].array ?? []).compactMap { $0["zoneID"]["zoneName"].string }
        token = page["syncToken"]
        moreComing = page["moreComing"] == true
        pages += 1
      }
      #expect(found.sorted() == ["A", "B", "C", "D", "E"])
      #expect(pages == 3)
    }
  }

  @Test
  func `the deprecated zones-changes call reads metaSyncToken and ignores syncToken`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("A")
      let first = try await anna.post("zones/changes")
      #expect(first["zones"].array?.count == 1)
      #expect(first["moreComing"] == false)
      let next = try await anna.post("zones/changes", ["metaSyncToken": first["metaSyncToken"]])
      #expect(next["zones"] == [])
      let ignored = try await anna.post("zones/changes", ["syncToken": first["metaSyncToken"]])
      #expect(ignored["zones"].array?.count == 1)
    }
  }

  @Test func `the changes of a zone contain each record once, in its latest state`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      for value in 1...3 {
        try await anna.save("n-1", in: "Work", fields: ["v": ["value": .int(Int64(value))]])
      }
      let saved = try await anna.save("n-2", in: "Work")
      let page = try await anna.changes(in: "Work")
      #expect(page["records"][0]["fields"]["v"]["value"] == 3)
      #expect(page["records"][1] == saved)
      #expect(page["records"].array?.count == 2)
      #expect(page["moreComing"] == false)
      #expect(page["zoneID"]["zoneName"] == "Work")
      #expect(page["zoneID"] == saved["zoneID"])
    }
  }

  @Test
  func `a record's tombstone has a name and a zone, and a record type only on request`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let saved = try await anna.save("n-1", in: "Work")
      let token = try await anna.changes(in: "Work")["syncToken"]
      _ = try await anna.save("n-1", in: "Work", "forceDelete")
      let page = try await anna.changes(in: "Work", since: token)
      #expect(
        page["records"] == [["recordName": "n-1", "deleted": true, "zoneID": saved["zoneID"]]])
      let typed = try await anna.changes(
        in: "Work", since: token, ["deletedRecordTypes": true])
      #expect(typed["records"][0]["deletedRecordType"] == "Note")
      #expect(typed["records"][0]["recordType"].isNull)
    }
  }

  @Test(arguments: [1, 2, 3, 7])
  func `the pages of a zone's changes together contain each record`(limit: Int)
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      for index in 1...7 { try await anna.save("n-\(index)", in: "Work") }
      var token = JSON.null
      var found: [String] = []
      var pages = 0
      repeat {
        let page = try await anna.changes(
          in: "Work", since: token, ["resultsLimit": .int(Int64(limit))])
        #expect(names(page).count <= limit)
        found += names(page)
        token = page["syncToken"]
        pages += 1
        if page["moreComing"] != true { break }
      } while pages < 20
      #expect(found == (1...7).map { "n-\($0)" })
      #expect(try await anna.changes(in: "Work", since: token)["records"] == [])
    }
  }

  @Test
  func `changes in reverse order begin with the newest record and miss no record`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      for index in 1...5 { try await anna.save("n-\(index)", in: "Work") }
      var found: [String] = []
      var token = JSON.null
      for _ in 0..<10 {
        let page = try await anna.changes(
          in: "Work", since: token, ["resultsLimit": 2, "reverse": true])
        found += names(page)
        token = page["syncToken"]
        if page["moreComing"] != true { break }
        if found.count == 2 { try await anna.save("n-6", in: "Work") }
      }
      #expect(found == ["n-5", "n-4", "n-3", "n-2", "n-1"])
      #expect(names(try await anna.changes(in: "Work", since: token)) == ["n-6"])
    }
  }

  @Test func `an answer with changes has only the desired record types and keys`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let fields: JSON = ["a": ["value": 1], "b": ["value": 2]]
      try await anna.save("n-1", in: "Work", fields: fields)
      try await anna.save("t-1", in: "Work", fields: fields, type: "Task")
      let page = try await anna.changes(
        in: "Work", ["desiredRecordTypes": ["Task"], "desiredKeys": ["b", "b", "none"]])
      #expect(names(page) == ["t-1"])
      #expect(page["records"][0]["fields"].keys == ["b"])
    }
  }

  @Test
  func `options at top level apply to each zone that has no options of its own`() async throws {
    try await withAnna { anna in
      for zone in ["A", "B"] {
        try await anna.makeZone(zone)
        for index in 1...3 {
          try await anna.save("n-\(index)", in: zone, fields: ["v": ["value": 1]])
        }
      }
      let answer = try await anna.post(
        "changes/zone",
        [
          "zones": [
            ["zoneID": ["zoneName": "A"]],
            ["zoneID": ["zoneName": "B"], "resultsLimit": 1, "desiredKeys": ["v"]],
            ["zoneID": ["zoneName": "C"]],
          ],
          "resultsLimit": 2, "desiredKeys": [], "numbersAsStrings": true,
        ])
      #expect(names(answer["zones"][0]).count == 2)
      #expect(answer["zones"][0]["records"][0]["fields"] == [:])
      #expect(names(answer["zones"][1]).count == 1)
      #expect(answer["zones"][1]["records"][0]["fields"]["v"]["value"] == "1")
      #expect(answer["zones"][2]["serverErrorCode"] == "ZONE_NOT_FOUND")
      #expect(answer["zones"][2]["zoneID"]["zoneName"] == "C")
    }
  }

  @Test func `the deprecated records-changes call returns the changes of one zone`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let saved = try await anna.save("n-1", in: "Work")
      let page = try await anna.post("records/changes", ["zoneID": ["zoneName": "Work"]])
      #expect(page["records"] == [saved])
      #expect(page["moreComing"] == false)
      let next = try await anna.post(
        "records/changes",
        ["zoneID": ["zoneName": "Work"], "syncToken": page["syncToken"]])
      #expect(next["records"] == [])
      let refused = try await anna.answer(
        "records/changes", ["zoneID": ["zoneName": "_defaultZone"]])
      refused.expectRefusal("changes of the default zone", code: "BAD_REQUEST")
      #expect(refused.reason == "cannot get changes in default zone")
    }
  }

  @Test(arguments: ["changes/database", "changes/zone", "zones/changes", "records/changes"])
  func `a request for changes of the public database is refused`(endpoint: String) async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      let body: JSON = ["zones": [], "zoneID": ["zoneName": "_defaultZone"]]
      let unsigned = try await server.otherUser.answer(endpoint, body)
      unsigned.expectRefusal(endpoint, code: "AUTHENTICATION_REQUIRED")
      anna.database = "public"
      try await anna.answer(endpoint, body).expectRefusal(endpoint, code: "BAD_REQUEST")
    }
  }
}
