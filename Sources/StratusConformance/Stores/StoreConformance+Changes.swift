import StratusDomain
import StratusWire

extension StoreConformance {
  static let changeChecks: [Check] = [
    Check("a feed has each record once, in its latest state", feedHasLatestStates),
    Check("a feed has tombstones", feedHasTombstones),
    Check("a range is open below and closed above", rangesAreHalfOpen),
    Check("a feed runs backwards when asked", feedRunsBackwards),
    Check("a page ends at its limit", pageEndsAtLimit),
    Check("a page ends once its fields reach a size, with one record at least", pageEndsAtSize),
    Check("the epoch stays the same", epochStays),
  ]

  /// A record changed twice has moved to the end.
  static func feedHasLatestStates(_ store: any Store) async throws {
    try await store.save(["one", "two", "three"], inZone: "Notes")
    try await store.save(["one"], inZone: "Notes")
    let changes = try await store.read { (body) throws(ServerError) in
      try body.changes(in: try body.existing("Notes"))
    }
    try expect(changes.map(\.name), ["two", "three", "one"])
    try expect(changes.map(\.change), [2, 3, 4])
  }

  /// With name, type, change and time of deletion.
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

  /// After one number, up to and including another.
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

  /// From the upper end of the range down.
  static func feedRunsBackwards(_ store: any Store) async throws {
    try await store.save((1...9).map { "\($0)" }, inZone: "Notes")
    let changes = try await store.read { (body) throws(ServerError) in
      try body.changes(
        in: try body.existing("Notes"), after: 2, through: 7, newestFirst: true, limit: 3)
    }
    try expect(changes.map(\.change), [7, 6, 5])
  }

  /// And at none, where none may be read.
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

  /// The record that reaches the size is the last.
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

  /// Read here and there, before and after writes.
  static func epochStays(_ store: any Store) async throws {
    let first = try await store.read { (body) throws(ServerError) in try body.epoch() }
    try await store.save(["one"], inZone: "Notes")
    let second = try await store.write { (body) throws(ServerError) in try body.epoch() }
    let third = try await store.read { (body) throws(ServerError) in try body.epoch() }
    try expect(second, first)
    try expect(third, first)
  }
}
