import StratusDomain
import StratusWire

extension StoreConformance {
  static let changeChecks: [Check] = [
    Check("a change feed has each record once, in its latest state", feedHasLatestStates),
    Check("a change feed contains tombstones", feedHasTombstones),
    Check(
      "a range of changes excludes its lower and includes its upper bound", rangesAreHalfOpen),
    Check("a change feed can be read in reverse", feedRunsBackwards),
    Check("a page of changes ends at its limit", pageEndsAtLimit),
    Check("a page of changes is limited in bytes, but has at least one record", pageEndsAtSize),
    Check("the epoch of a store does not change", epochStays),
  ]

  /// A record that was saved twice appears only once, at its newest change.
  static func feedHasLatestStates(_ store: any Store) async throws {
    try await store.save(["one", "two", "three"], inZone: "Notes")
    try await store.save(["one"], inZone: "Notes")
    let changes = try await store.read { (body) throws(ServerError) in
      try body.changes(in: try body.existing("Notes"))
    }
    try expect(changes.map(\.name), ["two", "three", "one"])
    try expect(changes.map(\.change), [2, 3, 4])
  }

  /// A tombstone has a name, a type, a change number and a deletion time.
  static func feedHasTombstones(_ store: any Store) async throws {
    try await store.save(["one", "two"], inZone: "Notes")
    let changes = try await store.write { (body) throws(ServerError) in
      try body.delete("one", in: try body.existing("Notes"))
      return try body.changes(in: try body.existing("Notes"))
    }
    try expect(changes.map(\.name), ["two", "one"])
    try expect(changes.map(\.isDeleted), [false, true])
    let tombstone = try expectSome(changes.last)
    let expected = Sample.tombstone("one", change: 3)
    try expect(tombstone.type, expected.type)
    try expect(tombstone.change, expected.change)
    try expect(tombstone.modified, expected.modified)
  }

  /// The range excludes the change number at its beginning and includes the one at its end.
  static func rangesAreHalfOpen(_ store: any Store) async throws {
    try await store.save((1...9).map { "\($0)" }, inZone: "Notes")
    let pages = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return [
        try body.changes(in: zone, after: 3, through: 6).map(\.change),
        try body.changes(in: zone, after: 0, through: 1).map(\.change),
        try body.changes(in: zone, after: 8).map(\.change),
        try body.changes(in: zone, after: 9).map(\.change),
        try body.changes(in: zone, after: 5, through: 5).map(\.change),
        try body.changes(in: zone, after: 6, through: 3).map(\.change),
      ]
    }
    try expect(pages, [[4, 5, 6], [1], [9], [], [], []])
  }

  /// A feed in reverse begins at the upper end of the range.
  static func feedRunsBackwards(_ store: any Store) async throws {
    try await store.save((1...9).map { "\($0)" }, inZone: "Notes")
    let changes = try await store.read { (body) throws(ServerError) in
      try body.changes(
        in: try body.existing("Notes"), after: 2, through: 7, newestFirst: true, limit: 3)
    }
    try expect(changes.map(\.change), [7, 6, 5])
  }

  /// A page with a limit of zero contains no records.
  static func pageEndsAtLimit(_ store: any Store) async throws {
    try await store.save((1...9).map { "\($0)" }, inZone: "Notes")
    let pages = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return [
        try body.changes(in: zone, limit: 4).map(\.change),
        try body.changes(in: zone, after: 8, limit: 4).map(\.change),
        try body.changes(in: zone, limit: 0).map(\.change),
      ]
    }
    try expect(pages, [[1, 2, 3, 4], [9], []])
  }

  /// The page ends as soon as the fields of its records together have at least the given size.
  static func pageEndsAtSize(_ store: any Store) async throws {
    let text = #"{"a":"\#(String(repeating: "x", count: 992))"}"#
    try expect(text.utf8.count, 1_000)
    try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      let records = (1...9).map { Sample.record("\($0)", change: $0, text: text) }
      try body.apply(ChangeSet(zone: zone, records: records))
    }
    let counts = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return [
        try body.changes(in: zone, sizeBytesMax: 3_000).count,
        try body.changes(in: zone, sizeBytesMax: 3_001).count,
        try body.changes(in: zone, sizeBytesMax: 1).count,
        try body.changes(in: zone, newestFirst: true, sizeBytesMax: 2_500).count,
      ]
    }
    try expect(counts, [3, 4, 1, 3])
  }

  /// The check reads the epoch in several transactions, before and after writes.
  static func epochStays(_ store: any Store) async throws {
    let first = try await store.read { (body) throws(ServerError) in try body.epoch(of: Sample.ann)
    }
    try await store.save(["one"], inZone: "Notes")
    let second = try await store.write { (body) throws(ServerError) in
      try body.epoch(of: Sample.ann)
    }
    let third = try await store.read { (body) throws(ServerError) in try body.epoch(of: Sample.ann)
    }
    try expect(second, first)
    try expect(third, first)
  }
}
