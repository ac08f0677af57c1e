import StratusDomain

extension StoreConformance {
  static let entryChecks: [Check] = [
    Check("index entries are ordered by value, zone and record", entriesAreOrdered),
    Check("a range includes its lower bound and excludes its upper bound", stretchesAreBounded),
    Check("a read continues after a given entry in both directions", readingGoesOn),
    Check("a start position outside a range does not widen the range", cursorsDoNotWiden),
    Check(
      "a thousand entries read in pages of seven equal those of one read", entriesArePaged),
    Check("entries of one index or database are not visible in another", indexesAreApart),
    Check("adding an existing entry and removing a missing one have no effect", entriesRepeat),
    Check("one batch can move an entry to another position", entriesMove),
    Check("entries that a failed write added or removed are undone", undoneEntriesAreGone),
    Check("an entry of any length is found and removed", longEntriesAreFound),
    Check("index entries of a deleted zone are kept until the zone is purged", entriesArePurged),
  ]

  private static let values: [[UInt8]] = [
    [], [0], [0, 0], [0, 255], [1], [65], [65, 0], [65, 66], [127], [128], [128, 0], [255],
    [255, 0], [255, 255],
  ]
  private static let numbers: [Int64] = [1, 2, 127, 128, 255, 256, 65_535, 1 << 40, .max - 1]

  /// The values include the smallest and the greatest bytes, values that are prefixes of each
  /// other, and record numbers of every length.
  static func entriesAreOrdered(_ store: any Store) async throws {
    let entries = values.flatMap { value in numbers.map { Sample.entry(value, $0) } }
    for zone in ["B", "A"] {
      try await store.change(in: zone, adding: Sample.rows(entries: entries))
    }
    let (first, second) = try await store.read { (body) throws(ServerError) in
      (try body.existing("B").id, try body.existing("A").id)
    }
    let zones = [first, second].sorted()
    let expected = values.flatMap { value in
      zones.flatMap { zone in
        numbers.map { FoundEntry(value: value, zone: zone, record: $0) }
      }
    }
    let upwards = try await store.entries(in: Sample.all())
    let downwards = try await store.entries(in: Sample.all(isReversed: true))
    try expect(upwards, expected)
    try expect(downwards, expected.reversed())
  }

  /// The check reads the range in both directions. A range that ends before it begins is empty.
  static func stretchesAreBounded(_ store: any Store) async throws {
    try await store.change(adding: Sample.rows(entries: values.map { Sample.entry($0, 5) }))
    let cases: [(lower: [UInt8], upper: [UInt8]?, expected: [[UInt8]])] = [
      ([], [], []), ([], [0], [[]]), ([0], [0, 255], [[0], [0, 0]]),
      ([65], [66], [[65], [65, 0], [65, 66]]), ([65, 1], [127], [[65, 66]]),
      ([127, 1], [128], []), ([128], nil, [[128], [128, 0], [255], [255, 0], [255, 255]]),
      ([255, 255, 0], nil, []), ([128], [65], []), ([255, 255], nil, [[255, 255]]),
    ]
    for (lower, upper, expected) in cases {
      for isReversed in [false, true] {
        let range = EntryRange(index: 1, lower: lower, upper: upper, isReversed: isReversed)
        let found = try await store.entries(in: range).map(\.value)
        try expect(found, isReversed ? expected.reversed() : expected, "\(range)")
      }
    }
  }

  /// A read may continue after an existing entry, after a removed entry, or after an entry that
  /// never existed.
  static func readingGoesOn(_ store: any Store) async throws {
    let entries = [[1], [2], [3]].flatMap { value in [10, 20].map { Sample.entry(value, $0) } }
    try await store.change(adding: Sample.rows(entries: entries))
    let zone = try await store.read { (body) throws(ServerError) in try body.existing("Notes").id }
    let cases: [(EntryPosition, up: [String], down: [String])] = [
      (.init(value: [2], zone: zone, record: 10), ["2 20", "3 10", "3 20"], ["1 20", "1 10"]),
      (
        .init(value: [2], zone: zone, record: 15), ["2 20", "3 10", "3 20"],
        ["2 10", "1 20", "1 10"]
      ),
      (.init(value: [2], zone: zone, record: 20), ["3 10", "3 20"], ["2 10", "1 20", "1 10"]),
      (
        .init(value: [2], zone: zone - 1, record: 20), ["2 10", "2 20", "3 10", "3 20"],
        ["1 20", "1 10"]
      ),
      (
        .init(value: [2], zone: zone + 1, record: .min), ["3 10", "3 20"],
        ["2 20", "2 10", "1 20", "1 10"]
      ),
    ]
    for (cursor, upwards, downwards) in cases {
      for isReversed in [false, true] {
        for upper in [nil, [4]] as [[UInt8]?] {
          let range = EntryRange(
            index: 1, lower: [1], upper: upper, after: cursor, isReversed: isReversed)
          let found = try await store.entries(in: range).map { "\($0.value[0]) \($0.record)" }
          try expect(found, isReversed ? downwards : upwards, "\(range)")
        }
      }
    }
  }

  /// The values have no regularities, so that an engine cannot compress them. An engine may cut
  /// long values.
  static func longEntriesAreFound(_ store: any Store) async throws {
    var state: UInt64 = 1
    let entries = [2_599, 2_600, 2_601, 2_705, 9_000].enumerated().map { number, length in
      let value = (0..<length).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
      return Sample.entry(value, Int64(number) + 1)
    }
    try await store.change(adding: Sample.rows(entries: entries))
    for entry in entries {
      for isReversed in [false, true] {
        let range = EntryRange(
          index: 1, lower: entry.value, upper: entry.value + [0], isReversed: isReversed)
        try expect(try await store.entries(in: range).map(\.record), [entry.record])
      }
    }
    try await store.change(removing: Sample.rows(entries: entries))
    try expect(try await store.entries(in: Sample.all()), [])
  }

  /// A read may continue from a position before the beginning or after the end of the range. It
  /// returns only entries of the range.
  static func cursorsDoNotWiden(_ store: any Store) async throws {
    try await store.change(
      adding: Sample.rows(entries: [[1], [2], [3], [4]].map { Sample.entry($0, 5) }))
    let low = EntryPosition(value: [0], zone: 1, record: 9)
    let high = EntryPosition(value: [9], zone: 1, record: 1)
    let cases: [(EntryPosition, isReversed: Bool, expected: [[UInt8]])] = [
      (low, false, [[2], [3]]), (high, false, []), (low, true, []), (high, true, [[3], [2]]),
    ]
    for (cursor, isReversed, expected) in cases {
      let range = EntryRange(
        index: 1, lower: [2], upper: [4], after: cursor, isReversed: isReversed)
      try expect(try await store.entries(in: range).map(\.value), expected, "\(range)")
    }
  }

  /// The check reads the pages in both directions. Each page begins after the last entry of the
  /// previous page.
  static func entriesArePaged(_ store: any Store) async throws {
    let entries = (1...1_000).map { number in
      Sample.entry([UInt8(number % 13), UInt8(number % 3) &* 127], Int64(number))
    }
    try await store.change(adding: Sample.rows(entries: entries))
    for isReversed in [false, true] {
      let whole = try await store.entries(in: Sample.all(isReversed: isReversed))
      try expect(whole.count, 1_000)
      var range = Sample.all(isReversed: isReversed)
      var paged: [FoundEntry] = []
      while true {
        let page = try await store.entries(in: range, limit: 7)
        paged += page
        if page.count < 7 { break }
        range.after = page.last
      }
      try expect(paged, whole)
    }
    try expect(try await store.entries(in: Sample.all(), limit: 0), [])
  }

  /// The check uses several indexes in one user's database, and an index with the same number in
  /// another user's database.
  static func indexesAreApart(_ store: any Store) async throws {
    for index in 1...3 as ClosedRange<Int64> {
      try await store.change(
        adding: Sample.rows(entries: [Sample.entry([7], index, index: index)]))
    }
    try await store.change(
      of: Sample.bob, adding: Sample.rows(entries: [Sample.entry([7], 9, index: 2)]))
    for isReversed in [false, true] {
      let range = Sample.all(index: 2, isReversed: isReversed)
      try expect(try await store.entries(in: range).map(\.record), [2])
      try expect(try await store.entries(in: range, of: Sample.bob).map(\.record), [9])
      try expect(try await store.entries(in: range, of: .public), [])
    }
  }

  /// The check adds an entry twice and removes an entry twice.
  static func entriesRepeat(_ store: any Store) async throws {
    let rows = Sample.rows(entries: [Sample.entry([1], 1), Sample.entry([2], 2)])
    for _ in 0..<2 { try await store.change(adding: rows) }
    try expect(try await store.entries(in: Sample.all()).map(\.record), [1, 2])
    let gone = Sample.rows(entries: [Sample.entry([1], 1), Sample.entry([1], 3)])
    for _ in 0..<2 { try await store.change(removing: gone) }
    try expect(try await store.entries(in: Sample.all()).map(\.record), [2])
  }

  /// Within one batch, the store removes entries before it adds entries.
  static func entriesMove(_ store: any Store) async throws {
    let kept = Sample.entry([3], 2)
    try await store.change(adding: Sample.rows(entries: [Sample.entry([1], 1), kept]))
    try await store.change(
      removing: Sample.rows(entries: [Sample.entry([1], 1), kept]),
      adding: Sample.rows(entries: [Sample.entry([2], 1), kept]))
    let found = try await store.entries(in: Sample.all()).map { "\($0.value) \($0.record)" }
    try expect(found, ["[2] 1", "[3] 2"])
  }

  /// After the failed write, the added entries do not exist, and the removed entries exist again.
  static func undoneEntriesAreGone(_ store: any Store) async throws {
    let before = Sample.rows(entries: [Sample.entry([1], 1)])
    try await store.change(adding: before)
    let error = await store.failure { (body) throws(ServerError) in
      try body.change(
        removing: before, adding: Sample.rows(entries: [Sample.entry([1], 2)]))
      let found = try body.entries(in: Sample.all(), of: Sample.ann, limit: 10)
      var refusal = Sample.refusal
      refusal.facts["seen"] = found.map { String($0.record) }.joined(separator: " ")
      throw refusal
    }
    try expect(error?.facts, ["seen": "2"])
    try expect(try await store.entries(in: Sample.all()).map(\.record), [1])
  }

  /// Index entries of a new zone with the same name are not purged.
  static func entriesArePurged(_ store: any Store) async throws {
    let rows = Sample.rows(entries: [Sample.entry([1], 1)])
    try await store.change(adding: rows)
    let old = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.deleteZone(zone)
      return zone.id
    }
    try await store.change(adding: rows)
    let all = try await store.entries(in: Sample.all())
    try expect(all.count, 2)
    try expect(all.contains { $0.zone == old }, true)
    _ = try await store.write { (body) throws(ServerError) in
      try body.purge(limit: 100, rows: rows)
    }
    let left = try await store.entries(in: Sample.all())
    try expect(left.count, 1)
    try expect(left.contains { $0.zone == old }, false)
  }
}
