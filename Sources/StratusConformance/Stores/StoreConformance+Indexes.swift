import StratusDomain
import StratusWire

extension StoreConformance {
  static let indexChecks: [Check] = [
    Check("a new index appears in the schema with its columns, not yet built", indexIsAdded),
    Check("an index is built step by step until it is ready", indexIsBuilt),
    Check("an index that does not exist cannot be built", unknownIndexIsNotBuilt),
    Check("an index that a failed write added is gone", undoneIndexIsGone),
    Check("an index build finds the live records of a type in all databases", recordsAreWalked),
    Check("a step of an index build reads a limited number of records", stepsAreBounded),
    Check("an index build finds a zone's changes, including tombstones", changesAreFound),
    Check("a deleted zone has no changes to index", goneZonesHaveNoChanges),
    Check("an index build adds entries of older records to the existing entries", olderEntriesJoin),
  ]

  /// Lists of index columns that together contain every source of an ``IndexColumn``, and every
  /// form that a new index can have.
  private static let columns: [[IndexColumn]] = [
    [IndexColumn(.field("title"))],
    [IndexColumn(.field("count"), .descendingValue), IndexColumn(.system(.recordName))],
    [IndexColumn(.field("tags"), .member), IndexColumn(.field("place"), .cell)],
    [IndexColumn(.searchableFields, .token)],
    SystemField.allCases.map { IndexColumn(.system($0), .descendingValue) },
  ]

  /// Indexes are ordered by their numbers. The body of the write sees the new index, and so do
  /// later reads, even if their session has cached an older schema.
  static func indexIsAdded(_ store: any Store) async throws {
    var made: [QueryIndex] = []
    for columns in columns {
      let (index, written) = try await store.write { (body) throws(ServerError) in
        let index = try body.addIndex(recordType: "Note", columns: columns)
        return (index, try body.schema())
      }
      let expected = QueryIndex(
        id: index.id, recordType: "Note", columns: columns, isReady: false)
      try expect(index, expected)
      made.append(index)
      let read = try await store.read { (body) throws(ServerError) in try body.schema() }
      try expect(written.indexes, ["Note": made])
      try expect(read.indexes, ["Note": made])
    }
    let other = try await store.write { (body) throws(ServerError) in
      try body.addIndex(recordType: "It's", columns: columns[0])
    }
    try expect(Set((made + [other]).map(\.id)).count, columns.count + 1)
    try expect(made.map(\.id), made.map(\.id).sorted())
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(schema.indexes, ["Note": made, "It's": [other]])
  }

  /// The check builds one index while another one is waiting.
  static func indexIsBuilt(_ store: any Store) async throws {
    let (built, waiting) = try await store.write { (body) throws(ServerError) in
      (
        try body.addIndex(recordType: "Note", columns: columns[0]),
        try body.addIndex(recordType: "Note", columns: columns[1])
      )
    }
    let unread = IndexBuild(index: waiting.id, cursor: nil)
    try await expectBuilds([IndexBuild(index: built.id, cursor: nil), unread], store)
    for name in ["a\0", "ÿ"] {
      let cursor = IndexBuildCursor(database: 3, zone: .max, recordName: name)
      try await store.write { (body) throws(ServerError) in
        try body.setBuildCursor(cursor, of: built.id)
      }
      try await expectBuilds([IndexBuild(index: built.id, cursor: cursor), unread], store)
      let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
      try expect(schema.indexes["Note"], [built, waiting])
    }
    try await store.write { (body) throws(ServerError) in
      try body.setBuildCursor(nil, of: built.id)
    }
    var ready = built
    ready.isReady = true
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(schema.indexes["Note"], [ready, waiting])
    try await expectBuilds([unread], store)
    let others = try await store.read { (body) throws(ServerError) in
      try body.indexBuilds(ofType: "Other")
    }
    try expect(others, [])
  }

  private static func expectBuilds(
    _ expected: [IndexBuild], _ store: any Store
  ) async throws {
    let builds = try await store.read { (body) throws(ServerError) in
      try body.indexBuilds(ofType: "Note")
    }
    try expect(builds, expected)
  }

  /// A caller with an outdated schema can request to build an index that does not exist.
  static func unknownIndexIsNotBuilt(_ store: any Store) async throws {
    let error = await store.failure { (body) throws(ServerError) in
      try body.setBuildCursor(nil, of: 9)
    }
    try expect(error?.code, .internalError)
  }

  /// After the write is undone, even the connection that wrote the index does not see the index.
  static func undoneIndexIsGone(_ store: any Store) async throws {
    _ = await store.failure { (body) throws(ServerError) in
      _ = try body.addIndex(recordType: "Note", columns: columns[0])
      _ = try body.schema()
      throw Sample.refusal
    }
    let schema = try await store.write { (body) throws(ServerError) in try body.schema() }
    try expect(schema, Schema())
  }

  /// Creates zones in several databases with live records, records of another type and tombstones,
  /// and deletes one of the zones.
  private static func fill(_ store: any Store) async throws {
    for (database, zones) in [
      (Sample.ann, ["One", "Two"]), (Sample.bob, ["One"]), (.public, ["Gone"]),
    ] {
      for zone in zones {
        try await store.write { (body) throws(ServerError) in
          let zone = try body.someZone(zone, in: database)
          var records = ["a", "b", "c", "é", "gone"].enumerated().map {
            Sample.record($0.element, change: Int64($0.offset) + 1)
          }
          records[1].type = "Other"
          records[3].hasAssets = true
          try body.apply(ChangeSet(zone: zone, records: records))
          try body.delete("gone", in: try body.existing(zone.name, in: database))
        }
      }
    }
    try await store.write { (body) throws(ServerError) in
      try body.deleteZone(try body.existing("Gone", in: .public))
    }
  }

  /// The index build returns each record with its database, its zone and all its contents.
  static func recordsAreWalked(_ store: any Store) async throws {
    try await fill(store)
    let step = try await store.read { (body) throws(ServerError) in
      try body.recordsToIndex(ofType: "Note", after: nil, limit: 1_000)
    }
    try expect(step.next, nil)
    var groups: [String: [StoredRecord]] = [:]
    for item in step.items {
      groups["\(item.database)/\(item.zone)", default: []].append(item.record)
    }
    var accented = Sample.record("é", change: 4)
    accented.hasAssets = true
    let expected = [Sample.record("a", change: 1), Sample.record("c", change: 3), accented]
    try expect(groups.count, 3)
    for group in groups.values { try expect(group.sorted { $0.change < $1.change }, expected) }
    try expect(Set(step.items.map(\.database)).count, 2)
    let others = try await store.read { (body) throws(ServerError) in
      try body.recordsToIndex(ofType: "Other", after: nil, limit: 1_000)
    }
    try expect(others.items.map(\.record.name), ["b", "b", "b"])
    let none = try await store.read { (body) throws(ServerError) in
      try body.recordsToIndex(ofType: "Absent", after: nil, limit: 1_000)
    }
    try expect(none.items.count, 0)
    try expect(none.next, nil)
  }

  /// The changed records can have any type, and their number does not exceed the limit.
  static func changesAreFound(_ store: any Store) async throws {
    try await fill(store)
    let step = try await store.read { (body) throws(ServerError) in
      try body.recordsToIndex(ofType: "Note", after: nil, limit: 1_000)
    }
    try expect(step.newestChanges.count, 3)
    let item = try expectSome(step.items.first)
    // Five records were saved, and the last of them was deleted.
    try expect(step.newestChanges[item.zone], 6)
    for (since, limit, names, change, hasMore) in [
      (6, 10, [], 6, false), (3, 1, ["é"], 4, true), (3, 3, ["é", "gone"], 6, false),
      (0, 3, ["a", "b", "c"], 3, true),
    ] as [(Int64, Int, [String], Int64, Bool)] {
      let found = try await store.read { (body) throws(ServerError) in
        try body.changesToIndex(
          in: item.zone, of: item.database, since: since, limit: limit)
      }
      let changes = try expectSome(found)
      try expect(changes.records.map(\.name), names)
      try expect(changes.records.map(\.isDeleted), names.map { $0 == "gone" })
      try expect(changes.change, change)
      try expect(changes.hasMore, hasMore)
    }
  }

  /// The check uses a deleted zone before and after its purge, and the number of a zone that never
  /// existed.
  static func goneZonesHaveNoChanges(_ store: any Store) async throws {
    try await fill(store)
    let home = try await store.write { (body) throws(ServerError) in
      let step = try body.recordsToIndex(ofType: "Note", after: nil, limit: 1)
      let zone = try body.existing("One", in: Sample.ann)
      try body.deleteZone(zone)
      return (zone: zone.id, database: step.items.first?.database ?? 0)
    }
    let found = try await store.read { (body) throws(ServerError) in
      try body.changesToIndex(in: home.zone, of: home.database, since: 0, limit: 10) == nil
    }
    try expect(found, true)
    let unknown = try await store.read { (body) throws(ServerError) in
      try body.changesToIndex(in: .max, of: home.database, since: 0, limit: 10) == nil
    }
    try expect(unknown, true)
    let purged = try await store.write { (body) throws(ServerError) in
      while try body.purge(limit: 100) != nil {}
      return try body.changesToIndex(in: home.zone, of: home.database, since: 0, limit: 10) == nil
    }
    try expect(purged, true)
  }

  /// Many small steps return the same as one large step. Twenty rows take ten steps of two rows.
  static func stepsAreBounded(_ store: any Store) async throws {
    try await fill(store)
    for limit in [1, 2, 3, 20] {
      let (names, steps, most) = try await store.read { (body) throws(ServerError) in
        var names: [String] = []
        var steps = 0
        var most = 0
        var cursor: IndexBuildCursor?
        repeat {
          let step = try body.recordsToIndex(ofType: "Note", after: cursor, limit: limit)
          names += step.items.map { "\($0.database)/\($0.zone)/\($0.record.name)" }
          most = max(most, step.items.count)
          steps += 1
          cursor = step.next
        } while cursor != nil && steps < 100
        return (names, steps, most)
      }
      try expect(Set(names).count, 9)
      try expect(names.count, 9)
      try expect(most <= limit, true)
      try expect(steps >= 20 / limit && steps <= 20 / limit + 1, true, "\(steps) of \(limit)")
    }
  }

  /// The step of the index build that returns a record also returns the record's zone and database.
  static func olderEntriesJoin(_ store: any Store) async throws {
    try await store.save(["old"], inZone: "Notes")
    try await store.change(adding: Sample.rows(entries: [Sample.entry([2], 7)]))
    let found = try await store.write { (body) throws(ServerError) in
      let step = try body.recordsToIndex(ofType: "Note", after: nil, limit: 10)
      for item in step.items where item.record.name == "old" {
        let entries = [Sample.entry([3], 1), Sample.entry([2], 7), Sample.entry([1], 1)]
        for _ in 0..<2 { try body.add(entries, of: item.zone, in: item.database) }
      }
      let zone = try body.existing("Notes").id
      return try body.entries(in: Sample.all(), of: Sample.ann, limit: 10)
        .filter { $0.zone == zone }
    }
    try expect(found.map(\.value), [[1], [2], [3]])
    try expect(found.map(\.record), [1, 7, 1])
  }
}
