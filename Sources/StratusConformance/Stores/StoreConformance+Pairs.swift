public import StratusDomain
import StratusWire

/// The same store, opened twice, as two servers would open it.
public struct StorePair: Sendable {
  public var one: any Store
  public var other: any Store

  public init(one: any Store, other: any Store) {
    self.one = one
    self.other = other
  }

  fileprivate var both: [any Store] { [one, other] }
}

extension StoreConformance {
  /// Checks of a store to which several servers write.
  public static let pairChecks: [ConformanceCheck<StorePair>] = [
    .init("no record number is assigned twice", recordNumbersDiffer),
    .init("a record that another server created can be changed", othersRecordsAreChanged),
    .init("each change number of a zone and a database is assigned once", changesAreCountedOnce),
    .init("other servers notice a new subscription at once", watchesAreNoticed),
    .init("no server uses a subscription of an undone write", undoneWatchesAreForgotten),
    .init("other servers notice a change of the schema", schemasAreNoticed),
    .init("a server does not use the schema of an undone write", undoneSchemasAreForgotten),
    .init("outbox entries of two servers keep their own images", outboxEntriesDiffer),
    .init(
      "notifications that two servers add at the same time have consecutive numbers",
      notificationsAreCounted),
  ]

  /// The servers take numbers alternately, in blocks of many sizes, and use them immediately.
  static func recordNumbersDiffer(_ pair: StorePair) async throws {
    var count = 0
    for round in 0..<12 {
      for (index, store) in pair.both.enumerated() {
        let names = (0..<(round * 40 + 1)).map { "\(round)-\(index)-\($0)" }
        count += names.count
        try await store.write { (body) throws(ServerError) in
          let zone = try body.someZone("Notes")
          let first = try body.drawRecordNumbers(names.count)
          var records: [StoredRecord] = []
          for (position, name) in names.enumerated() {
            var record = Sample.record(name, change: zone.change + Int64(position) + 1)
            record.number = first + Int64(position)
            records.append(record)
          }
          try body.apply(ChangeSet(zone: zone, records: records))
        }
      }
    }
    let numbers = try await pair.one.read { (body) throws(ServerError) in
      try body.changes(in: try body.existing("Notes"), limit: .max).map(\.number)
    }
    try expect(numbers.count, count)
    try expect(Set(numbers).count, count)
  }

  /// Each server changes the record that the other server created.
  static func othersRecordsAreChanged(_ pair: StorePair) async throws {
    try await pair.one.save(["a"], inZone: "Notes")
    try await pair.other.save(["b"], inZone: "Notes")
    for (store, name) in [(pair.one, "b"), (pair.other, "a")] {
      try await store.write { (body) throws(ServerError) in
        let zone = try body.existing("Notes")
        guard var record = try body.records(named: [name], in: zone).values.first else {
          throw .fault("no record")
        }
        record.change = zone.change + 1
        try body.apply(ChangeSet(zone: zone, records: [record]))
      }
    }
    let changes = try await pair.one.read { (body) throws(ServerError) in
      try body.changes(in: try body.existing("Notes"))
    }
    try expect(changes.map(\.name), ["b", "a"])
    try expect(changes.map(\.change), [3, 4])
  }

  /// Both servers write at the same time.
  static func changesAreCountedOnce(_ pair: StorePair) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (node, store) in pair.both.enumerated() {
        for index in 0..<40 {
          group.addTask { try await store.save(["\(node)-\(index)"], inZone: "Notes") }
        }
      }
      try await group.waitForAll()
    }
    let (changes, numbers, latest) = try await pair.other.read { (body) throws(ServerError) in
      let changes = try body.changes(in: try body.existing("Notes"))
      return (
        changes.map(\.change), Set(changes.map(\.number)), try body.latestZoneChange(in: Sample.ann)
      )
    }
    try expect(changes, Array(1...80))
    try expect(numbers.count, 80)
    try expect(latest, 81)
  }

  /// One server adds and removes a subscription, while the other one has the earlier watch in its
  /// cache.
  static func watchesAreNoticed(_ pair: StorePair) async throws {
    try await pair.one.save(["a"], inZone: "Notes")
    var seen = [try await pair.one.watchForWriting.watchesDatabase]
    try await pair.other.write { (body) throws(ServerError) in
      try body.save(
        Subscription(id: "s", .database(recordType: nil)), of: "_ann", in: Sample.annsView,
        under: .database)
    }
    seen.append(try await pair.one.watchForWriting.watchesDatabase)
    try await pair.other.write { (body) throws(ServerError) in
      _ = try body.removeSubscription(number: try body.newestSubscription())
    }
    seen.append(try await pair.one.watchForWriting.watchesDatabase)
    try expect(seen, [false, true, false])
  }

  /// One server caches a watch in a write that is undone. The other server's change then gets the
  /// version number of the undone write. The first server must still not use the cached watch.
  static func undoneWatchesAreForgotten(_ pair: StorePair) async throws {
    try await pair.one.save(["a"], inZone: "Notes")
    _ = await pair.one.failure { (body) throws(ServerError) in
      try body.save(
        Subscription(id: "s", .database(recordType: nil)), of: "_ann", in: Sample.annsView,
        under: .database)
      _ = try body.watchForWriting(of: Sample.ann)
      throw Sample.refusal
    }
    try await pair.other.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.save(
        Subscription(id: "s", .zone(ZoneID(zoneName: "Notes"), recordType: nil)), of: "_ann",
        in: Sample.annsView, under: .zone(zone.id))
    }
    let watch = try await pair.one.watchForWriting
    try expect(watch.watchesDatabase, false)
    try expect(watch.watchesZones, true)
  }

  static func schemasAreNoticed(_ pair: StorePair) async throws {
    var seen: [[String]] = []
    for (index, store) in [pair.one, pair.other, pair.one, pair.other].enumerated() {
      seen.append(
        try await store.write { (body) throws(ServerError) in
          let known = try body.schema().recordTypes.keys.sorted()
          try body.add(SchemaAddition(recordTypes: ["Type\(index)"]))
          return known
        })
    }
    try expect(seen, [[], ["Type0"], ["Type0", "Type1"], ["Type0", "Type1", "Type2"]])
  }

  /// One server caches a schema in a write that is undone. The other server's change then gets the
  /// version number of the undone write. The first server must still not use the cached schema.
  static func undoneSchemasAreForgotten(_ pair: StorePair) async throws {
    _ = await pair.one.failure { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Undone"]))
      _ = try body.schema()
      throw Sample.refusal
    }
    try await pair.other.write { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Kept"]))
    }
    let types = try await pair.one.write { (body) throws(ServerError) in
      try body.schema().recordTypes.keys.sorted()
    }
    try expect(types, ["Kept"])
  }

  static func outboxEntriesDiffer(_ pair: StorePair) async throws {
    try await pair.one.save(["a"], inZone: "Notes")
    for (index, store) in [pair.one, pair.other, pair.one, pair.other].enumerated() {
      try await store.write { (body) throws(ServerError) in
        let record = Sample.record("r\(index)", change: Int64(index) + 2)
        try body.add(
          WatchedChange(
            zone: try body.existing("Notes"),
            event: .recordsChanged(ChangeRange(after: 0, through: 1), recordTypes: []),
            origin: ChangeOrigin(user: "_ann", deviceID: nil, notificationID: "n", time: 1),
            images: [RecordImage(before: nil, after: record)]))
      }
    }
    let names = try await pair.other.read { (body) throws(ServerError) in
      var names: [String?] = []
      for entry in try body.outboxEntries(limit: 9) {
        names.append(try body.recordImage(at: 0, of: entry.number)?.after?.name)
      }
      return names
    }
    try expect(names, ["r0", "r1", "r2", "r3"])
  }

  /// The numbers have no gaps, and the badge counts the notifications of both servers.
  static func notificationsAreCounted(_ pair: StorePair) async throws {
    let first = try await pair.one.read { (body) throws(ServerError) in
      try body.latestNotification(of: "_ann")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (node, store) in pair.both.enumerated() {
        for index in 0..<15 {
          group.addTask {
            try await store.write { (body) throws(ServerError) in
              try body.enqueue(
                (0..<2).map { Sample.notification("\(node)-\(index)-\($0)", badges: true) })
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let (numbers, badge, latest) = try await pair.other.read { (body) throws(ServerError) in
      (
        try body.notifications(of: "_ann", after: 0, limit: 100, sizeBytesMax: .max).map(\.number),
        try body.badge(of: "_ann"), try body.latestNotification(of: "_ann")
      )
    }
    try expect(numbers, (1...60).map { first + $0 })
    try expect(badge, 60)
    try expect(latest, first + 60)
  }
}

extension Store {
  /// Returns the watch of Ann's database, as a save reads it.
  fileprivate var watchForWriting: Watch {
    get async throws(ServerError) {
      try await write { (body) throws(ServerError) in
        _ = try body.lockZone(named: "Notes", in: Sample.ann)
        return try body.watchForWriting(of: Sample.ann)
      }
    }
  }
}
