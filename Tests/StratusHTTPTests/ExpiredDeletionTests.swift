import StratusTesting
import Testing

/// Answers of a server that has removed old tombstones. An expired token gives BAD_REQUEST.
@Suite struct ExpiredDeletions {
  private static let day: Int64 = 86_400

  private func withClock(
    _ body: (TestServer, Client, MovedClock) async throws -> Void
  ) async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      try await body(server, try await server.client("anna@example.org"), clock)
    }
  }

  private func names(_ page: JSON, deleted: Bool) -> [String] {
    (page["records"].array ?? []).filter { ($0["deleted"] == true) == deleted }
      .compactMap { $0["recordName"].string }
  }

  private func zones(_ page: JSON, deleted: Bool) -> [String] {
    (page["zones"].array ?? []).filter { ($0["deleted"] == true) == deleted }
      .compactMap { $0["zoneID"]["zoneName"].string }
  }

  private func expectExpired(_ anna: Client, _ token: JSON, _ more: JSON = [:]) async throws {
    let item = more.with("zoneID", ["zoneName": "Work"]).with("syncToken", token)
    for (endpoint, body) in [("changes/zone", ["zones": [item]]), ("records/changes", item)] {
      let answer = try await anna.answer(endpoint, body)
      answer.expectRefusal(endpoint, code: "BAD_REQUEST")
      #expect(answer.reason == "sync token expired")
    }
  }

  @Test func `a change token older than a removed tombstone is expired, and a newer token is not`()
    async throws
  {
    try await withClock { server, anna, clock in
      try await anna.makeZone("Work")
      for name in ["a", "b", "c"] { try await anna.save(name, in: "Work") }
      let early = try await anna.changes(in: "Work")["syncToken"]
      try await anna.save("a", in: "Work", "forceDelete")
      let late = try await anna.changes(in: "Work")["syncToken"]
      clock.move(bySeconds: 7 * Self.day)
      try await anna.save("b", in: "Work", "forceDelete")

      // The tombstone is exactly a week old, so the server keeps it.
      try await server.expireDeletions(olderThanDays: 7)
      let kept = try await anna.changes(in: "Work", since: early)
      #expect(names(kept, deleted: true) == ["a", "b"])

      clock.move(bySeconds: 1)
      try await server.expireDeletions(olderThanDays: 7)
      try await expectExpired(anna, early)
      let page = try await anna.changes(in: "Work", since: late)
      #expect(names(page, deleted: true) == ["b"])
      #expect(names(page, deleted: false) == [])
      #expect(page["moreComing"] == false)
      let whole = try await anna.changes(in: "Work", ["deletedRecordTypes": true])
      #expect(names(whole, deleted: false) == ["c"])
      #expect(names(whole, deleted: true) == ["b"])
    }
  }

  @Test func `a change token stays valid if nothing was deleted after it`() async throws {
    try await withClock { server, anna, clock in
      try await anna.makeZone("Work")
      for name in ["a", "b"] { try await anna.save(name, in: "Work") }
      let token = try await anna.changes(in: "Work")["syncToken"]
      let ofDatabase = try await anna.post("changes/database")["syncToken"]
      clock.move(bySeconds: 13 * Self.day)
      try await anna.save("c", in: "Work")
      try await server.expireDeletions(olderThanDays: 7)
      let page = try await anna.changes(in: "Work", since: token)
      #expect(names(page, deleted: false) == ["c"])
      let changes = try await anna.post("changes/database", ["syncToken": ofDatabase])
      #expect(zones(changes, deleted: false) == ["Work"])
    }
  }

  @Test func `a database token older than a removed zone tombstone is expired`() async throws {
    try await withClock { server, anna, clock in
      for name in ["A", "B", "C"] { try await anna.makeZone(name) }
      let early = try await anna.post("changes/database")["syncToken"]
      try await anna.deleteZone("A")
      let late = try await anna.post("changes/database")["syncToken"]
      clock.move(bySeconds: 7 * Self.day + 1)
      try await anna.deleteZone("B")
      try await server.expireDeletions(olderThanDays: 7)
      for (endpoint, key) in [
        ("changes/database", "syncToken"), ("zones/changes", "metaSyncToken"),
      ] {
        let refused = try await anna.answer(endpoint, .object([key: early]))
        refused.expectRefusal(endpoint, code: "BAD_REQUEST")
        #expect(refused.reason == "sync token expired")
        let page = try await anna.post(endpoint, .object([key: late]))
        #expect(zones(page, deleted: true) == ["B"])
        #expect(zones(page, deleted: false) == [])
        #expect(zones(try await anna.post(endpoint), deleted: false) == ["C"])
      }
      try await anna.makeZone("A")
      let made = try await anna.post("changes/database", ["syncToken": late])
      #expect(zones(made, deleted: false) == ["A"])
    }
  }

  @Test(arguments: [false, true])
  func `a first sync completes while tombstones from before its start are removed`(
    isReversed: Bool
  ) async throws {
    try await withClock { server, anna, clock in
      try await anna.makeZone("Work")
      for name in ["a", "b", "c", "d"] { try await anna.save(name, in: "Work") }
      for name in ["b", "d"] { try await anna.save(name, in: "Work", "forceDelete") }
      clock.move(bySeconds: 8 * Self.day)
      let more: JSON = ["resultsLimit": 1, "reverse": .bool(isReversed)]
      var page = try await anna.changes(in: "Work", more)
      var found = names(page, deleted: false)
      for _ in 0..<10 where page["moreComing"] == true {
        // From the second round on, there is no tombstone left to remove.
        try await server.expireDeletions(olderThanDays: 7)
        page = try await anna.changes(in: "Work", since: page["syncToken"], more)
        found += names(page, deleted: false)
      }
      #expect(page["moreComing"] == false)
      #expect(found.sorted() == ["a", "c"])
      #expect(try await anna.changes(in: "Work", since: page["syncToken"])["records"] == [])
    }
  }

  @Test func `a first sync must start again if it takes longer than tombstones are kept`()
    async throws
  {
    try await withClock { server, anna, clock in
      for name in ["A", "B", "C"] { try await anna.makeZone(name) }
      try await anna.makeZone("Work")
      for name in ["a", "b", "c"] { try await anna.save(name, in: "Work") }
      let more: JSON = ["resultsLimit": 1]
      let first = try await anna.changes(in: "Work", more)
      let ofDatabase = try await anna.post("changes/database", more)
      #expect(names(first, deleted: false) == ["a"])
      #expect(zones(ofDatabase, deleted: false) == ["A"])
      try await anna.save("a", in: "Work", "forceDelete")
      try await anna.deleteZone("A")
      clock.move(bySeconds: 8 * Self.day)
      try await server.expireDeletions(olderThanDays: 7)
      try await expectExpired(anna, first["syncToken"], more)
      let refused = try await anna.answer(
        "changes/database", more.with("syncToken", ofDatabase["syncToken"]))
      refused.expectRefusal("changes/database", code: "BAD_REQUEST")
      #expect(refused.reason == "sync token expired")
    }
  }

  @Test
  func `the token of a reverse sync expires if a tombstone is removed during the sync`()
    async throws
  {
    try await withClock { server, anna, clock in
      try await anna.makeZone("Work")
      for name in ["a", "b"] { try await anna.save(name, in: "Work") }
      let known = try await anna.changes(in: "Work")["syncToken"]
      try await anna.save("a", in: "Work", "forceDelete")
      for name in ["c", "d"] { try await anna.save(name, in: "Work") }
      let more: JSON = ["resultsLimit": 1, "reverse": true]
      let page = try await anna.changes(in: "Work", since: known, more)
      #expect(names(page, deleted: false) == ["d"])
      clock.move(bySeconds: 8 * Self.day)
      try await server.expireDeletions(olderThanDays: 7)
      try await expectExpired(anna, page["syncToken"])
    }
  }
}
