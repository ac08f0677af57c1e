import StratusDomain
import StratusWire
import Testing

/// The answers of the endpoints subscriptions/modify, list and lookup.
@Suite struct `Rules of subscriptions` {
  /// Runs a test with a note and a custom zone.
  private func withNotes(_ body: (Scene) async throws -> Void) async throws {
    try await withScene { scene in
      try await scene.zones(make: ["Z"])
      for scope in [DatabaseScope.public, .private] {
        try await scene.save(
          "n", field("title", #""t""#) + "," + field("count", "1"), scope: scope)
      }
      try await body(scene)
    }
  }

  @Test(arguments: [
    (DatabaseScope.public, "q"), (.private, "q"), (.public, "z BAD_REQUEST"), (.private, "z"),
    (.public, "d BAD_REQUEST"), (.private, "d"),
  ])
  func `each kind of subscription is allowed only in certain databases`(
    _ scope: DatabaseScope, _ expected: String
  ) async throws {
    try await withNotes { scene in
      let subscription: Subscription =
        switch expected.first {
        case "q": try .query("q")
        case "z": .zone("z", "Z")
        case _: .database("d")
        }
      #expect(try await scene.subscribe(subscription, scope: scope).map(\.word) == [expected])
    }
  }

  @Test func `the shared database allows database subscriptions only`() async throws {
    try await withScene { scene in
      let items = try await scene.subscribe(
        .database("d"), .zone("z", "Z"), try .query("q"), scope: .shared)
      #expect(items.map(\.word) == ["d", "z BAD_REQUEST", "q BAD_REQUEST"])
      #expect(try await scene.listed(scope: .shared) == ["d"])
      #expect(try await scene.listed(scope: .private) == [])
    }
  }

  @Test func `a caller without a user cannot have subscriptions`() async throws {
    try await withScene { scene in
      let handler = try #require(
        scene.handlers.compactMap { $0 as? any EndpointHandler<ListSubscriptions> }.first)
      let error = await #expect(throws: ServerError.self) {
        try await handler.answer(
          EmptyRequest(), to: Caller(userRecordName: nil, deviceID: "1", requestUUID: "R"),
          in: DatabaseAddress(store: Scene.address, scope: .public))
      }
      #expect(error?.code == .authenticationRequired)
    }
  }

  @Test func `a zone subscription needs an existing custom zone`() async throws {
    try await withNotes { scene in
      let foreign = Subscription(
        id: "f", .zone(ZoneID(zoneName: "Z", ownerRecordName: "_bob"), recordType: nil))
      let items = try await scene.subscribe(
        .zone("1", "None"), .zone("2", "_defaultZone"), try .query("3", zone: "None"),
        try .query("4", zone: "_defaultZone"), try .query("5", zone: "Z"), foreign)
      #expect(
        items.map(\.word) == [
          "1 ZONE_NOT_FOUND", "2 BAD_REQUEST", "3 ZONE_NOT_FOUND", "4", "5", "f ZONE_NOT_FOUND",
        ])
      #expect(try await scene.listed() == ["4", "5"])
    }
  }

  @Test func `a query subscription must fire on at least one kind of change`() async throws {
    try await withNotes { scene in
      let items = try await scene.subscribe(try .query("q", on: []))
      #expect(items.map(\.word) == ["q BAD_REQUEST"])
    }
  }

  @Test func `a subscription may have at most three desired keys`() async throws {
    try await withNotes { scene in
      var subscription = try Subscription.query("q")
      var info = NotificationInfo()
      info.additionalFields = ["a", "b", "c"]
      subscription.notificationInfo = info
      #expect(try await scene.subscribe(subscription).map(\.word) == ["q"])
      info.additionalFields = ["a", "b", "c", "d"]
      subscription.notificationInfo = info
      subscription.id = "r"
      #expect(try await scene.subscribe(subscription).map(\.word) == ["r BAD_REQUEST"])
    }
  }

  @Test func `a subscription refuses the filters that a query refuses`() async throws {
    try await withNotes { scene in
      try await scene.change(
        #"{"operationType":"forceUpdate","record":{"recordName":"e","recordType":"Note","#
          + #""fields":{"title":{"value":"x"}}}}"#)
      let items = try await scene.subscribe(
        try .query("1", type: "Users"), try .query("2", type: "Unknown"),
        try .query("3", filter("EQUALS", "none", "1")),
        try .query("4", filter("EQUALS", "count", #""one""#)),
        try .query("5", filter("NEAR", "count", "1")))
      #expect(items.map(\.word) == ["1", "2", "3", "4", "5"].map { $0 + " BAD_REQUEST" })
      #expect(items[1].reason == "Did not find record type: Unknown")
    }
  }

  @Test func `a subscription cannot filter by encrypted fields`() async throws {
    try await withScene { scene in
      try await scene.store().write { (store) throws(ServerError) in
        let sealed = SchemaAddition.Field(
          recordType: "Note", name: "secret", type: FieldType(.string, isEncrypted: true))
        try store.add(SchemaAddition(recordTypes: ["Note"], fields: [sealed]))
      }
      let items = try await scene.subscribe(
        try .query("s", filter("EQUALS", "secret", #""x""#)))
      #expect(items.map(\.word) == ["s BAD_REQUEST"])
    }
  }

  @Test
  func `in production, a subscription needs the index marks that a query would need`()
    async throws
  {
    try await withScene { scene in
      let production = StoreAddress(container: "iCloud.org.example", environment: .production)
      try await scene.store(at: production).write { (store) throws(ServerError) in
        let string = FieldType(.string)
        try store.add(
          SchemaAddition(
            recordTypes: ["Note"],
            fields: [
              .init(recordType: "Note", name: "plain", type: string),
              .init(recordType: "Note", name: "marked", type: string, indexes: .queryable),
            ]))
      }
      let items = try await scene.subscribe(
        try .query("1", filter("EQUALS", "plain", #""x""#)),
        try .query("2", filter("EQUALS", "marked", #""x""#)), try .query("3"), at: production)
      #expect(items.map(\.word) == ["1 BAD_REQUEST", "2", "3 BAD_REQUEST"])
      #expect(items[0].reason == "Field 'plain' is not marked queryable")
      #expect(items[2].reason == "Field 'recordName' is not marked queryable")
    }
  }

  @Test
  func `a subscription in development adds the index marks that its filters need`() async throws {
    try await withNotes { scene in
      #expect(try await scene.subscribe(try .query("q")).map(\.word) == ["q"])
      let schema = try await scene.store().read { (store) throws(ServerError) in
        try store.schema()
      }
      let marks = schema.recordTypes["Note"]?.systemFields[.recordName]
      #expect(marks?.contains(.queryable) == true)
    }
  }

  @Test func `a subscription without an ID gets a generated one`() async throws {
    try await withNotes { scene in
      let items = try await scene.subscribe(
        try .query(nil), .init(id: nil, .database(recordType: nil)))
      #expect(items.map(\.word).allSatisfy { $0.hasPrefix("UUID-") })
      #expect(Set(try await scene.listed()) == Set(items.map(\.word)))
    }
  }

  @Test(arguments: ["", "a\u{0}b", String(repeating: "x", count: 256)])
  func `a subscription ID is limited in length and must not contain control characters`(
    _ id: String
  ) async throws {
    try await withScene { scene in
      let longest = String(repeating: "x", count: 255)
      let items = try await scene.subscribe(.database(id), .database(longest))
      #expect(items.map(\.word) == ["\(id) BAD_REQUEST", longest])
    }
  }

  @Test
  func `saving an equal subscription changes nothing, and a different subscription replaces it`()
    async throws
  {
    try await withNotes { scene in
      let first = try Subscription.query("q", filter("EQUALS", "count", "1"))
      let second = try Subscription.query("q", filter("EQUALS", "count", "2"))
      var numbers: [Int64?] = []
      for subscription in [first, first, second] {
        #expect(try await scene.subscribe(subscription).map(\.word) == ["q"])
        numbers.append(
          try await scene.store().read { (store) throws(ServerError) in
            try store.subscription(id: "q", of: "_ann", in: .private(user: "_ann"))?.number
          })
      }
      #expect(numbers[0] == numbers[1])
      #expect(numbers[1] != numbers[2])
      let found = try await scene.answer(
        LookupSubscriptions.self, LookupSubscriptions.Request(ids: ["q"])
      ).subscriptions
      guard case .subscription(let standing) = found.first else {
        Issue.record("not there")
        return
      }
      #expect(standing == second)
    }
  }

  /// Choice: both subscriptions are saved. Apple's service refuses the second one with a misleading
  /// text.
  @Test
  func `a subscription with the same content under another ID is another subscription`()
    async throws
  {
    try await withNotes { scene in
      #expect(
        try await scene.subscribe(try .query("1"), try .query("2")).map(\.word) == ["1", "2"])
      try await scene.save("x")
      #expect(Set(try await scene.told()) == ["1: created x", "2: created x"])
    }
  }

  @Test func `the deletion of a missing subscription is an error for that item`() async throws {
    try await withScene { scene in
      try await scene.subscribe(.database("d"))
      let items = try await scene.modify([
        .delete(id: "none"), .delete(id: "d"), .delete(id: "d"), .save(.database("e")),
      ])
      #expect(items.map(\.word) == ["none NOT_FOUND", "d deleted", "d NOT_FOUND", "e"])
      #expect(try await scene.listed() == ["e"])
    }
  }

  @Test func `a subscription is visible only to its user and only in its database`() async throws {
    try await withNotes { scene in
      try await scene.subscribe(try .query("p"), scope: .public)
      try await scene.subscribe(try .query("q"))
      #expect(try await scene.listed() == ["q"])
      #expect(try await scene.listed(scope: .public) == ["p"])
      #expect(try await scene.listed(by: "_bob", scope: .public) == [])
      let found = try await scene.answer(
        LookupSubscriptions.self, LookupSubscriptions.Request(ids: ["p"]), by: "_bob",
        scope: .public
      ).subscriptions
      #expect(found.map(\.word) == ["p NOT_FOUND"])
      let deleted = try await scene.modify([.delete(id: "p")], by: "_bob", scope: .public)
      #expect(deleted.map(\.word) == ["p NOT_FOUND"])
    }
  }

  @Test func `a user can have at most a thousand subscriptions in a database`() async throws {
    try await withScene { scene in
      for start in stride(from: 0, to: 1_000, by: 250) {
        let items = try await scene.modify(
          (start..<start + 250).map { .save(.database("s\($0)")) })
        #expect(items.allSatisfy { if case .subscription = $0 { true } else { false } })
      }
      let more = try await scene.subscribe(.database("more"), .database("s1", type: "T"))
      #expect(more.map(\.word) == ["more BAD_REQUEST", "s1"])
      #expect(try await scene.listed().count == 1_000)
    }
  }

  @Test func `the number and the size of subscriptions in a request are limited`() async throws {
    try await withScene { scene in
      let error = await #expect(throws: ServerError.self) {
        try await scene.modify((0...400).map { .delete(id: "\($0)") })
      }
      #expect(error?.code == .badRequest)
      var large = Subscription.database("large")
      var info = NotificationInfo()
      info.alertBody = String(repeating: "x", count: 65_536)
      large.notificationInfo = info
      let items = try await scene.subscribe(large)
      #expect(items.map(\.word) == ["large BAD_REQUEST"])
    }
  }
}
