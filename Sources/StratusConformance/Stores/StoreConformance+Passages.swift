import StratusDomain
import StratusWire

/// Checks of passages, which say that records joined, changed in or left a shared hierarchy.
extension StoreConformance {
  static let passageChecks: [Check] = [
    Check("passages and records get their change numbers from one sequence", passagesAreNumbered),
    Check("a passage with a wrong change number is refused", passageNumbersAreChecked),
    Check("a hierarchy has only the newest passage of each record", newestPassages),
    Check("passages of several hierarchies are sorted by change number", passagesAreMerged),
    Check("a page never ends between passages of the same change", passagesArePaged),
    Check("a record belongs to the hierarchy of its newest passage", hierarchiesOfRecords),
    Check(
      "old passages of records that left are removed, and their newest number is stored",
      passagesExpire),
    Check("passages are purged with their zone", passagesArePurged),
  ]

  static func passage(
    _ name: String, _ kind: Passage.Kind, root: String = "root", change: Int64
  ) -> Passage {
    Passage(
      change: change, recordName: name, recordType: "Note", rootName: root, kind: kind,
      time: Sample.time + change)
  }

  /// The owner's feed contains records and no passages. A record and its passages may have the same
  /// change number.
  static func passagesAreNumbered(_ store: any Store) async throws {
    try await store.save(["root", "child"], inZone: "Notes")
    let passages = [passage("child", .joined, change: 3), passage("grandchild", .left, change: 4)]
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
          passages: [passage("grandchild", .joined, change: 6)]))
    }
    let (zone, records, found, listed) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return (
        zone, try body.changes(in: zone).map(\.change), try body.passages(of: ["root"], in: zone),
        try body.latestZoneChange(in: Sample.ann)
      )
    }
    try expect(zone.change, 6)
    try expect(records, [3, 5])
    try expect(found, [passages[0], passage("grandchild", .joined, change: 6)])
    try expect(listed, 5)
  }

  /// The check uses wrong change numbers: an earlier one, the number of another record, numbers
  /// that leave a gap, and one number for passages of two records.
  static func passageNumbersAreChecked(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    for (name, change) in [("a", 1), ("b", 2), ("a", 4), ("a", 9)] as [(String, Int64)] {
      let error = await store.failure { (body) throws(ServerError) in
        try body.apply(
          ChangeSet(
            zone: try body.existing("Notes"), records: [Sample.record("a", change: 2)],
            passages: [passage(name, .joined, change: change)]))
      }
      try expect(error?.code, .internalError, "\(name) \(change)")
    }
    let error = await store.failure { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: [passage("a", .joined, change: 2), passage("b", .joined, change: 2)]))
    }
    try expect(error?.code, .internalError)
  }

  static func newestPassages(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let found = try await store.write { (body) throws(ServerError) in
      for (change, kind) in [(2, .joined), (3, .left), (4, .joined), (5, .joined)]
        as [(Int64, Passage.Kind)]
      {
        try body.apply(
          ChangeSet(
            zone: try body.existing("Notes"), records: [],
            passages: [passage("a", kind, change: change)]))
      }
      return try body.passages(of: ["root"], in: try body.existing("Notes"))
    }
    try expect(found, [passage("a", .joined, change: 5)])
  }

  /// A record that moves between hierarchies has two passages with the same change number.
  static func passagesAreMerged(_ store: any Store) async throws {
    try await store.savePassages()
    let (all, one, reversed) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return (
        try body.passages(of: ["one", "two", "none"], in: zone),
        try body.passages(of: ["two"], in: zone),
        try body.passages(of: ["two", "one"], in: zone, newestFirst: true)
      )
    }
    try expect(all.map(\.change), [3, 4, 4, 5])
    try expect(Set(all.map(\.rootName)), ["one", "two"])
    try expect(one.map(\.recordName), ["b", "a"])
    try expect(one.map(\.kind), [.joined, .joined])
    try expect(reversed.map(\.change), [5, 4, 4, 3])
  }

  static func passagesArePaged(_ store: any Store) async throws {
    try await store.savePassages()
    let pages = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      let roots = ["one", "two"]
      return [
        try body.passages(of: roots, in: zone, limit: 1),
        try body.passages(of: roots, in: zone, limit: 2),
        try body.passages(of: roots, in: zone, after: 3, limit: 1),
        try body.passages(of: roots, in: zone, after: 4),
        try body.passages(of: roots, in: zone, newestFirst: true, limit: 2),
        try body.passages(of: roots, in: zone, limit: 0),
        try body.passages(of: [], in: zone),
      ].map { $0.map(\.change) }
    }
    try expect(pages, [[3], [3, 4, 4], [4, 4], [5], [5, 4, 4], [], []])
  }

  /// Record names are compared by their bytes.
  static func hierarchiesOfRecords(_ store: any Store) async throws {
    try await store.savePassages()
    let found = try await store.write { (body) throws(ServerError) in
      let first = try body.hierarchies(
        of: ["a", "b", "c", "A", "missing"], in: try body.existing("Notes"))
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: [passage("a", .left, root: "two", change: 6)]))
      return [first, try body.hierarchies(of: ["a", "b"], in: try body.existing("Notes"))]
    }
    try expect(
      found,
      [
        [ExactName("a"): "two", ExactName("b"): "two", ExactName("c"): "one"],
        [ExactName("b"): "two"],
      ])
  }

  /// The owner's change tokens stay valid, because no record was removed. Passages of records that
  /// are still in a hierarchy are kept.
  static func passagesExpire(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let (zone, left) = try await store.write { (body) throws(ServerError) in
      for (change, kind) in [(2, .left), (3, .left), (4, .joined), (5, .left)]
        as [(Int64, Passage.Kind)]
      {
        try body.apply(
          ChangeSet(
            zone: try body.existing("Notes"), records: [],
            passages: [passage("\(change)", kind, change: change)]))
      }
      while try body.expireDeletions(before: Sample.time + 5, limit: 1) {}
      let zone = try body.existing("Notes")
      return (zone, try body.passages(of: ["root"], in: zone))
    }
    try expect(zone.newestExpiredPassage, 3)
    try expect(zone.newestExpired, 0)
    try expect(left.map(\.change), [4, 5])
  }

  static func passagesArePurged(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let (gone, left, roots, unfinished) = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.addSharedRoot("a", in: zone)
      try body.join(zone, root: "a", permission: .read, user: "_bob")
      try body.addUnfinished(UnfinishedHierarchy(zone: zone, parentName: "a"))
      try body.apply(
        ChangeSet(zone: zone, records: [], passages: [passage("a", .joined, change: 2)]))
      let gone = try body.existing("Notes")
      try body.deleteZone(gone)
      while try body.purge(limit: 10) != nil {}
      return (
        gone, try body.passages(of: ["root"], in: gone),
        try body.sharedRoots(among: ["a"], in: gone), try body.unfinishedHierarchies(limit: 9)
      )
    }
    try expect(gone.change, 2)
    try expect(gone.hasHierarchies, true)
    try expect(left, [])
    try expect(roots, [])
    try expect(unfinished, [])
    let participants = try await store.read { (body) throws(ServerError) in
      try body.participants(ofShare: "a", in: gone, limit: 9)
    }
    try expect(participants, [])
  }
}

extension StoreReading {
  /// Returns the passages of the given hierarchies.
  func passages(
    of roots: [String], in zone: StoredZone, after: Int64 = 0, newestFirst: Bool = false,
    limit: Int = 99
  ) throws(ServerError) -> [Passage] {
    try passages(
      in: zone, ofHierarchies: roots, range: ChangeRange(after: after, through: .max),
      newestFirst: newestFirst, limit: limit)
  }
}

extension Store {
  /// Adds passages of two hierarchies: `a` joins `one` at change 2, `b` joins `two` at change 3,
  /// `a` moves from `one` to `two` at change 4, and `c` joins `one` at change 5.
  fileprivate func savePassages() async throws(ServerError) {
    try await save(["x"], inZone: "Notes")
    try await write { (body) throws(ServerError) in
      let passages = [
        [StoreConformance.passage("a", .joined, root: "one", change: 2)],
        [StoreConformance.passage("b", .joined, root: "two", change: 3)],
        [
          StoreConformance.passage("a", .joined, root: "two", change: 4),
          StoreConformance.passage("a", .left, root: "one", change: 4),
        ],
        [StoreConformance.passage("c", .joined, root: "one", change: 5)],
      ]
      for passages in passages {
        try body.apply(
          ChangeSet(zone: try body.existing("Notes"), records: [], passages: passages))
      }
    }
  }
}
