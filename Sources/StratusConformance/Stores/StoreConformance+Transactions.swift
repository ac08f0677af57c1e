import StratusDomain
import StratusWire

extension StoreConformance {
  static let transactionChecks: [Check] = [
    Check("a write that throws changes nothing", throwingBodyLeavesNothing),
    Check("the body of a write sees its own changes", bodySeesItsOwnWrites),
    Check("reads and writes return the value of their body", valuesComeBack),
    Check("the number of a database from an undone write is discarded", undoneDatabaseIsForgotten),
    Check("a record type that an undone write added is gone", undoneSchemaIsForgotten),
    Check("a change set for an older state of its zone is refused", staleSetIsRefused),
  ]

  /// Zones, records and history are the same as before the write.
  static func throwingBodyLeavesNothing(_ store: any Store) async throws {
    try await store.save(["kept"], inZone: "Notes")
    let error = await store.failure { (body) throws(ServerError) in
      try body.save(["lost"], in: try body.existing("Notes"))
      _ = try body.createZone(named: "Lost", in: Sample.ann)
      throw Sample.refusal
    }
    try expect(error, Sample.refusal)
    let (names, zones, latest) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return (
        try body.changes(in: zone).map(\.name),
        try body.zones(in: Sample.ann, after: nil, limit: 10).map(\.name),
        try body.latestZoneChange(in: Sample.ann)
      )
    }
    try expect(names, ["kept"])
    try expect(zones, ["Notes"])
    try expect(latest, 2)
  }

  /// The check reads zones, records, changes and the schema before the body ends.
  static func bodySeesItsOwnWrites(_ store: any Store) async throws {
    let (found, changes, schema) = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.save(["one", "two"], in: zone)
      try body.add(SchemaAddition(recordTypes: ["Note"]))
      return (
        try body.records(named: ["one"], in: zone).count,
        try body.changes(in: try body.existing("Notes")).map(\.name), try body.schema()
      )
    }
    try expect(found, 1)
    try expect(changes, ["one", "two"])
    try expect(schema.recordTypes.keys.sorted(), ["Note"])
  }

  /// The bodies of the check return values of several kinds.
  static func valuesComeBack(_ store: any Store) async throws {
    let written = try await store.write { _ in "written" }
    let read = try await store.read { _ in [1, 2, 3] }
    let nothing: Int? = try await store.read { _ in nil }
    try expect(written, "written")
    try expect(read, [1, 2, 3])
    try expect(nothing, nil)
  }

  /// A number that the store assigned in an undone transaction must not stay in a cache.
  static func undoneDatabaseIsForgotten(_ store: any Store) async throws {
    _ = await store.failure { (body) throws(ServerError) in
      _ = try body.createZone(named: "Notes", in: Sample.ann)
      throw Sample.refusal
    }
    try await store.save(["of bob"], inZone: "Notes", of: Sample.bob)
    let (ofAnn, count) = try await store.write { (body) throws(ServerError) in
      (
        try body.zone(named: "Notes", in: Sample.ann),
        try body.zoneCount(in: Sample.ann)
      )
    }
    try expect(ofAnn, nil)
    try expect(count, 0)
    try await store.save(["of ann"], inZone: "Notes")
    let names = try await store.write { (body) throws(ServerError) in
      try body.changes(in: try body.existing("Notes", in: Sample.bob)).map(\.name)
    }
    try expect(names, ["of bob"])
  }

  /// The check reads the schema on the connection for writes and on a connection for reads.
  static func undoneSchemaIsForgotten(_ store: any Store) async throws {
    _ = await store.failure { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Lost"]))
      _ = try body.schema()
      throw Sample.refusal
    }
    try await store.write { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Kept"]))
    }
    let written = try await store.write { (body) throws(ServerError) in try body.schema() }
    let read = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(written.recordTypes.keys.sorted(), ["Kept"])
    try expect(read.recordTypes.keys.sorted(), ["Kept"])
  }

  /// A change set for an older state of the zone must not be applied, because change numbers would
  /// be assigned twice.
  static func staleSetIsRefused(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Notes")
    let error = await store.failure { (body) throws(ServerError) in
      var stale = try body.existing("Notes")
      stale.change = 0
      try body.save(["two"], in: stale)
    }
    try expect(error?.code, .internalError)
    let names = try await store.read { (body) throws(ServerError) in
      try body.changes(in: try body.existing("Notes")).map(\.name)
    }
    try expect(names, ["one"])
  }
}
