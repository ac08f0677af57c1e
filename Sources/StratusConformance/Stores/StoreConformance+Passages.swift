import StratusDomain
import StratusWire

extension StoreConformance {
  static let passageChecks: [Check] = [
    Check("passages and records share one sequence of numbers", passagesAreNumbered),
    Check("a passage with the number of another change is refused", passageNumbersAreChecked),
    Check("passages are read in pages", passagesArePaged),
    Check("old passages are removed, and the newest removed number is kept", passagesExpire),
    Check("passages are purged with their zone", passagesArePurged),
  ]

  private static func passage(
    _ name: String, _ kind: Passage.Kind, change: Int64
  ) -> Passage {
    Passage(
      change: change, recordName: name, rootName: "root", kind: kind, time: Sample.time + change)
  }

  /// The owner's feed contains only records.
  static func passagesAreNumbered(_ store: any Store) async throws {
    try await store.save(["root", "child"], inZone: "Notes")
    let passages = [passage("child", .joined, change: 4), passage("grandchild", .left, change: 5)]
    try await store.write { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [Sample.record("child", change: 3)],
          passages: passages))
      try body.save(["root"], in: try body.existing("Notes"))
      // A change set may contain passages and no records.
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: [passage("child", .left, change: 7)]))
    }
    let (zone, records, found, listed) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return (
        zone, try body.changes(in: zone).map(\.change),
        try body.passages(in: zone, range: ChangeRange(after: 0, through: .max), limit: 9),
        try body.latestZoneChange(in: Sample.ann)
      )
    }
    try expect(zone.change, 7)
    try expect(records, [3, 6])
    try expect(found, passages + [passage("child", .left, change: 7)])
    try expect(listed, 5)
  }

  static func passageNumbersAreChecked(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    for change in [1, 2, 4, 9] as [Int64] {
      let error = await store.failure { (body) throws(ServerError) in
        try body.apply(
          ChangeSet(
            zone: try body.existing("Notes"), records: [Sample.record("a", change: 2)],
            passages: [passage("a", .joined, change: change)]))
      }
      try expect(error?.code, .internalError, "\(change)")
    }
  }

  static func passagesArePaged(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let pages = try await store.write { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: (2...6).map { passage("a", .joined, change: $0) }))
      let zone = try body.existing("Notes")
      return [
        try body.passages(in: zone, range: ChangeRange(after: 0, through: .max), limit: 2),
        try body.passages(in: zone, range: ChangeRange(after: 3, through: 5), limit: 9),
        try body.passages(in: zone, range: ChangeRange(after: 0, through: .max), limit: 0),
        try body.passages(in: zone, range: ChangeRange(after: 5, through: 3), limit: 9),
      ].map { $0.map(\.change) }
    }
    try expect(pages, [[2, 3], [4, 5], [], []])
  }

  /// The owner's sync tokens stay valid, because no record was removed.
  static func passagesExpire(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let (zone, left) = try await store.write { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: (2...4).map { passage("a", .joined, change: $0) }))
      while try body.expireDeletions(before: Sample.time + 4, limit: 1) {}
      let zone = try body.existing("Notes")
      return (
        zone, try body.passages(in: zone, range: ChangeRange(after: 0, through: .max), limit: 9)
      )
    }
    try expect(zone.newestExpiredPassage, 3)
    try expect(zone.newestExpired, 0)
    try expect(left.map(\.change), [4])
  }

  static func passagesArePurged(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let (gone, left) = try await store.write { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: [passage("a", .joined, change: 2)]))
      let gone = try body.existing("Notes")
      try body.deleteZone(gone)
      while try body.purge(limit: 10) != nil {}
      return (
        gone.change,
        try body.passages(in: gone, range: ChangeRange(after: 0, through: .max), limit: 9)
      )
    }
    try expect(gone, 2)
    try expect(left, [])
  }
}
