import StratusDomain
import StratusWire

/// Checks of subscriptions.
extension StoreConformance {
  static let subscriptionChecks: [Check] = [
    Check("a subscription belongs to one user and one database", subscriptionIsItsUsers),
    Check("a subscription is stored byte for byte", definitionIsKept),
    Check("a user's subscriptions are listed in order of their IDs", subscriptionsAreListed),
    Check(
      "a subscription that replaces another has a new number and the same outbox position",
      replacedIsAnother),
    Check("subscriptions are found by their key, in pages", filedAreFound),
    Check("a kind of change is watched until its last subscription is removed", watchFollows),
    Check("subscriptions of an undone write are not used", undoneWatchIsForgotten),
    Check("subscriptions to a zone are deleted with the zone", zoneSubscriptionsGo),
  ]

  private static func toDatabase(_ id: String, type: String? = nil) -> Subscription {
    Subscription(id: id, .database(recordType: type))
  }

  static let note = WatchSubject.records(type: "Note", field: nil)
  static let title = WatchSubject.records(type: "Note", field: "title")
  static let count = WatchSubject.records(type: "Note", field: "count")

  private static func watchKey(
    _ byte: UInt8, _ subject: WatchSubject = note
  ) -> WatchKey {
    WatchKey(key: SubscriptionKey(bytes: [9, 0, 255, byte]), subject: subject)
  }

  /// Several users, and several databases of a user, may use the same ID.
  static func subscriptionIsItsUsers(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.save(toDatabase("s"), of: "_ann", in: .public, under: watchKey(1))
      try body.save(toDatabase("s", type: "B"), of: "_bob", in: .public, under: watchKey(1))
      try body.save(toDatabase("s", type: "P"), of: "_ann", in: Sample.annsView, under: watchKey(1))
    }
    let (found, counts) = try await store.read { (body) throws(ServerError) in
      (
        [
          try body.subscription(id: "s", of: "_ann", in: .public),
          try body.subscription(id: "s", of: "_bob", in: .public),
          try body.subscription(id: "s", of: "_ann", in: Sample.annsView),
          try body.subscription(id: "s", of: "_bob", in: Sample.annsView),
          try body.subscription(id: "S", of: "_ann", in: .public),
          try body.subscription(id: "s", of: "_ann", in: Sample.bobsView),
        ],
        [
          try body.subscriptionCount(of: "_ann", in: .public),
          try body.subscriptionCount(of: "_bob", in: Sample.annsView),
          try body.subscriptionSizeBytes(of: "_bob", in: .public),
          try body.subscriptionSizeBytes(of: "_bob", in: Sample.annsView),
        ]
      )
    }
    try expect(
      try found.map { try $0?.subscription() },
      [toDatabase("s"), toDatabase("s", type: "B"), toDatabase("s", type: "P"), nil, nil, nil])
    try expect(found.map { $0?.user }, ["_ann", "_bob", "_ann", nil, nil, nil])
    try expect(Set(found.compactMap { $0?.number }).count, 3)
    try expect(counts, [1, 0, toDatabase("s", type: "B").jsonBytes.count, 0])
  }

  /// The definition of a subscription may contain any text.
  static func definitionIsKept(_ store: any Store) async throws {
    var info = NotificationInfo()
    info.alertBody = "it's \"ü\" \u{1F600}"
    info.additionalFields = ["a", "b"]
    let filter = FieldFilter(.equals, QueryKey(field: "title"), .string("x'y"))
    let watched = WatchedQuery(
      query: Query(recordType: "Note", filters: [.field(filter)]), firesOn: [.create, .delete],
      firesOnce: true)
    let subscription = Subscription(id: "é'", .query(watched), notificationInfo: info)
    let found = try await store.write { (body) throws(ServerError) in
      try body.save(subscription, of: "_ann", in: .public, under: watchKey(1))
      return try body.subscription(id: "é'", of: "_ann", in: .public)
    }
    try expect(found?.definition, subscription.jsonBytes)
    try expect(found?.since, 0)
  }

  /// IDs are ordered by their bytes, so capital letters come first.
  static func subscriptionsAreListed(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      for id in ["b", "ä", "B", "a"] {
        try body.save(toDatabase(id), of: "_ann", in: .public, under: watchKey(1))
      }
      try body.save(toDatabase("c"), of: "_bob", in: .public, under: watchKey(1))
    }
    let (all, two, none) = try await store.read { (body) throws(ServerError) in
      (
        try body.subscriptions(of: "_ann", in: .public, limit: 10),
        try body.subscriptions(of: "_ann", in: .public, limit: 2),
        try body.subscriptions(of: "_ann", in: Sample.annsView, limit: 10)
      )
    }
    try expect(try all.map { try $0.subscription().id }, ["B", "a", "b", "ä"])
    try expect(two, Array(all.prefix(2)))
    try expect(none, [])
  }

  /// If a new subscription replaces another one, it takes over the pending changes of the replaced
  /// subscription. Other new subscriptions do not receive pending changes.
  static func replacedIsAnother(_ store: any Store) async throws {
    let (first, second, third, entry) = try await store.write { (body) throws(ServerError) in
      try body.save(toDatabase("s"), of: "_ann", in: Sample.annsView, under: watchKey(1))
      let first = try body.subscription(id: "s", of: "_ann", in: Sample.annsView)
      try body.saveWord()
      try body.save(toDatabase("s", type: "T"), of: "_ann", in: Sample.annsView, under: watchKey(2))
      let second = try body.subscription(id: "s", of: "_ann", in: Sample.annsView)
      try body.save(toDatabase("t"), of: "_ann", in: Sample.annsView, under: watchKey(1))
      return (
        first, second, try body.subscription(id: "t", of: "_ann", in: Sample.annsView),
        try body.outboxEntries(limit: 1).first?.number
      )
    }
    try expect(first?.number == second?.number, false)
    try expect(second?.since, first?.since)
    try expect(third?.since, entry)
    try expect(
      [first, second, third].map { $0?.key }, [watchKey(1), watchKey(2), watchKey(1)].map(\.key))
    let found = try await store.read { (body) throws(ServerError) in
      [
        try body.hasSubscription(number: first?.number ?? 0),
        try body.hasSubscription(number: second?.number ?? 0),
        try body.subscriptions(
          under: watchKey(1).key, toZone: 0, in: Sample.ann, after: 0, limit: 9
        ).count == 1,
        try body.subscriptions(
          under: watchKey(2).key, toZone: 0, in: Sample.ann, after: 0, limit: 9
        ).count == 1,
        try body.newestSubscription() == third?.number,
        try body.hasReplacement(after: first?.number ?? 0, concerning: entry ?? 0),
        try body.hasReplacement(after: second?.number ?? 0, concerning: entry ?? 0),
        try body.hasReplacement(after: first?.number ?? 0, concerning: first?.since ?? 0),
      ]
    }
    try expect(found, [false, true, true, true, true, true, false, false])
  }

  /// Subscriptions are ordered by their numbers. Keys with a common prefix are different keys.
  static func filedAreFound(_ store: any Store) async throws {
    let longer = WatchKey(
      key: SubscriptionKey(bytes: watchKey(1).key.bytes + [0]), subject: note)
    try await store.write { (body) throws(ServerError) in
      for id in ["e", "d", "c", "b", "a"] {
        try body.save(toDatabase(id), of: "_ann", in: .public, under: watchKey(1))
      }
      try body.save(toDatabase("x"), of: "_ann", in: .public, under: longer)
      try body.save(toDatabase("y"), of: "_ann", in: .public, under: watchKey(2))
      try body.save(toDatabase("z"), of: "_ann", in: Sample.annsView, under: watchKey(1))
    }
    let (pages, removed, rest) = try await store.write { (body) throws(ServerError) in
      var pages: [[StoredSubscription]] = []
      var last: Int64 = 0
      repeat {
        pages.append(
          try body.subscriptions(
            under: watchKey(1).key, toZone: 0, in: .public, after: last, limit: 2)
        )
        last = pages.last?.last?.number ?? 0
      } while last > 0
      let removed = [
        try body.removeSubscription(number: pages[0][0].number),
        try body.removeSubscription(number: pages[0][0].number),
      ]
      return (
        pages, removed,
        try body.subscriptions(under: watchKey(1).key, toZone: 0, in: .public, after: 0, limit: 9)
      )
    }
    try expect(
      try pages.map { try $0.map { try $0.subscription().id ?? "" } },
      [["e", "d"], ["c", "b"], ["a"], []])
    try expect(removed, [true, false])
    try expect(try rest.map { try $0.subscription().id ?? "" }, ["d", "c", "b", "a"])
  }

  /// The store counts the subscriptions for each kind of change. If one of several subscriptions is
  /// removed, the changes are still watched. The check looks at the watch both in reads and in
  /// writes.
  static func watchFollows(_ store: any Store) async throws {
    let saves: [(id: String, watchKey: WatchKey)] = [
      ("1", watchKey(1, note)), ("2", watchKey(1, title)), ("3", watchKey(2, title)),
      ("4", watchKey(1, count)), ("5", .database), ("6", .zone(7)),
    ]
    var watches: [Watch] = []
    for (id, watchKey) in saves {
      try await store.write { (body) throws(ServerError) in
        try body.save(toDatabase(id), of: "_ann", in: Sample.annsView, under: watchKey)
      }
      watches.append(try await store.watchInBothWays(of: Sample.ann))
    }
    try expect(
      watches,
      [
        Watch([note]), Watch([note, title]), Watch([note, title]), Watch([note, title, count]),
        Watch([note, title, count, .database]),
        Watch([note, title, count, .database, .zones]),
      ])
    try expect(try await store.watchInBothWays(of: Sample.bob), Watch())
    watches = []
    for id in ["2", "5", "6", "1", "3", "4"] {
      try await store.write { (body) throws(ServerError) in
        let found = try body.subscription(id: id, of: "_ann", in: Sample.annsView)
        try body.removeSubscription(number: found?.number ?? 0)
      }
      watches.append(try await store.watchInBothWays(of: Sample.ann))
    }
    try expect(
      watches,
      [
        Watch([note, title, count, .database, .zones]), Watch([note, title, count, .zones]),
        Watch([note, title, count]), Watch([title, count]), Watch([count]), Watch(),
      ])
  }

  /// After a write is undone, the subscriptions that the write removed or replaced are used again.
  static func undoneWatchIsForgotten(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.save(toDatabase("1"), of: "_ann", in: Sample.annsView, under: watchKey(1, title))
      _ = try body.watchForWriting(of: Sample.ann)
    }
    _ = await store.failure { (body) throws(ServerError) in
      try body.save(toDatabase("1"), of: "_ann", in: Sample.annsView, under: .database)
      try body.save(toDatabase("2"), of: "_bob", in: Sample.bobsView, under: .database)
      _ = try body.watchForWriting(of: Sample.ann)
      _ = try body.watchForWriting(of: Sample.bob)
      throw Sample.refusal
    }
    try expect(try await store.watchInBothWays(of: Sample.ann), Watch([title]))
    try expect(try await store.watchInBothWays(of: Sample.bob), Watch())
  }

  /// Subscriptions to other zones are kept. A new zone with the same name has no subscriptions.
  static func zoneSubscriptionsGo(_ store: any Store) async throws {
    let (left, watch, after) = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      let other = try body.createZone(named: "Other", in: Sample.ann)
      try body.save(toDatabase("1"), of: "_ann", in: Sample.annsView, under: .zone(zone.id))
      try body.save(toDatabase("2"), of: "_ann", in: Sample.annsView, under: .zone(zone.id))
      try body.save(toDatabase("3"), of: "_ann", in: Sample.annsView, under: .zone(other.id))
      try body.save(toDatabase("4"), of: "_ann", in: Sample.annsView, under: .database)
      try body.deleteZone(zone)
      let again = try body.createZone(named: "Notes", in: Sample.ann)
      let left = try body.subscriptions(of: "_ann", in: Sample.annsView, limit: 10)
      let under = try body.subscriptions(
        under: WatchKey.zone(again.id).key, toZone: again.id, in: Sample.ann, after: 0,
        limit: 10)
      let watch = try body.watchForWriting(of: Sample.ann)
      try body.deleteZone(other)
      return (left.count + under.count * 100, watch, try body.watchForWriting(of: Sample.ann))
    }
    try expect(left, 2)
    try expect(watch, Watch([.database, .zones]))
    try expect(after, Watch([.database]))
  }
}

extension Store {
  /// Returns the watch, and checks that reads and writes see the same watch.
  fileprivate func watchInBothWays(of database: DatabaseKey) async throws -> Watch {
    let read = try await read { (body) throws(ServerError) in try body.watch(of: database) }
    let written = try await write { (body) throws(ServerError) in
      try body.watchForWriting(of: database)
    }
    try expect(read, written, "the cached watch differs from the stored one")
    return read
  }
}

extension StoreWriting {
  /// Adds an outbox entry about a new zone.
  func saveWord(_ name: String = "Word") throws(ServerError) {
    let zone = try someZone(name)
    try add(
      WatchedChange(
        zone: zone, event: .zoneMade,
        origin: ChangeOrigin(user: "_ann", deviceID: nil, notificationID: "n", time: 1)))
  }
}
