import StratusDomain
import StratusWire

/// The checks of the earlier versions of records.
extension StoreConformance {
  static let versionChecks: [Check] = [
    Check("a store adds versions only while the setting for versions is on", versionsAreOptional),
    Check("the state of a zone at an earlier time can be read", pastStatesAreRead),
    Check("the records of a deleted zone are kept until they are released", deletedZonesAreKept),
    Check("the oldest versions are removed first", oldVersionsAreTrimmed),
  ]

  /// Saves a record, or deletes it if there is no text.
  private static func save(
    _ name: String, _ text: String?, at time: Int64, in zone: String = "Notes", _ store: any Store
  ) async throws {
    try await store.write { (body) throws(ServerError) in
      let zone = try body.someZone(zone, in: Sample.ann)
      var record = Sample.record(name, change: zone.change + 1)
      record.modified.timestamp = time
      record.fields = FieldsJSON([(key: "text", value: .string(text ?? ""))])
      record.isDeleted = text == nil
      try body.apply(ChangeSet(zone: zone, records: [record]))
    }
  }

  private static func keep(days: Int64?, since time: Int64, _ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      var settings = try body.schema().settings
      settings.versionDays = days
      try body.set(settings)
      if days != nil { try body.beginVersions(at: time) }
    }
  }

  /// The fields of the records `a` and `b` at the given time.
  private static func texts(
    at time: Int64, _ store: any Store
  ) async throws -> [String: FieldsJSON] {
    try await store.read { (body) throws(ServerError) in
      let address = ZoneAddress(database: Sample.ann, name: "Notes")
      guard let past = try body.pastZone(at: address, time: time) else { return [:] }
      var texts: [String: FieldsJSON] = [:]
      for name in ["a", "b"] {
        texts[name] = try body.pastRecord(named: name, in: past)?.fields
      }
      return texts
    }
  }

  private static func fields(_ text: String) -> FieldsJSON {
    FieldsJSON([(key: "text", value: .string(text))])
  }

  static func versionsAreOptional(_ store: any Store) async throws {
    func extent() async throws -> VersionExtent? {
      try await store.read { (body) throws(ServerError) in try body.versionExtent() }
    }
    try await save("a", "one", at: 10, store)
    try await save("a", "two", at: 20, store)
    try expect(try await extent(), nil)
    try await keep(days: 1, since: 30, store)
    try await save("a", "three", at: 40, store)
    try expect(try await extent()?.count, 1)
    try expect(try await extent()?.since, 30)
    try await keep(days: nil, since: 0, store)
    try await save("a", "four", at: 50, store)
    try expect(try await extent()?.count, 1)
    let hasMore = try await store.write { (body) throws(ServerError) in
      try body.trimVersions(VersionBounds(time: nil), limit: 10)
    }
    try expect(hasMore, false)
    try expect(try await extent(), nil)
  }

  static func pastStatesAreRead(_ store: any Store) async throws {
    try await keep(days: 1, since: 0, store)
    try await save("a", "one", at: 10, store)
    try await save("b", "one", at: 20, store)
    try await save("a", nil, at: 30, store)
    // The clock was set back. The save therefore counts as made at 30, like the deletion before it.
    try await save("b", "two", at: 25, store)
    try expect(try await texts(at: 5, store), [:])
    try expect(try await texts(at: 10, store), ["a": fields("one")])
    try expect(try await texts(at: 29, store), ["a": fields("one"), "b": fields("one")])
    try expect(try await texts(at: 30, store), ["b": fields("two")])
    let (zones, names) = try await store.read { (body) throws(ServerError) in
      let zones = try body.zonesWithVersions(after: nil, in: Sample.ann, limit: 9)
      guard let zone = zones.first, let past = try body.pastZone(at: zone, time: 15) else {
        return (zones, [String]())
      }
      let present = try body.zone(named: zone.name, in: zone.database)
      return (zones, try body.pastNames(in: past, present: present, after: nil, limit: 9))
    }
    try expect(zones, [ZoneAddress(database: Sample.ann, name: "Notes")])
    try expect(names, ["a", "b"])
  }

  static func deletedZonesAreKept(_ store: any Store) async throws {
    try await keep(days: 1, since: 0, store)
    try await save("a", "one", at: 10, store)
    try await store.write { (body) throws(ServerError) in
      let zone = try body.someZone("Notes", in: Sample.ann)
      try body.deleteZone(zone, reason: .deleted, at: 20)
      try body.keepRecords(ofDeleted: zone, at: 20)
    }
    func purgeable() async throws -> Bool {
      try await store.write { (body) throws(ServerError) in
        try body.recordsToPurge(limit: 9) != nil
      }
    }
    try expect(try await purgeable(), false)
    try await save("b", "two", at: 30, store)
    try expect(try await texts(at: 15, store), ["a": fields("one")])
    try expect(try await texts(at: 30, store), ["b": fields("two")])
    try await store.write { (body) throws(ServerError) in
      try body.releaseKeptZones(of: Sample.ann)
    }
    try expect(try await purgeable(), true)
  }

  static func oldVersionsAreTrimmed(_ store: any Store) async throws {
    try await keep(days: 1, since: 0, store)
    for time in 1...6 { try await save("a", "\(time)", at: Int64(time) * 10, store) }
    func trim(_ bounds: VersionBounds, limit: Int = 9) async throws -> (Bool, VersionExtent?) {
      try await store.write { (body) throws(ServerError) in
        (try body.trimVersions(bounds, limit: limit), try body.versionExtent())
      }
    }
    var (hasMore, extent) = try await trim(VersionBounds(time: 35), limit: 2)
    try expect(hasMore, true)
    try expect(extent?.since, 20)
    (hasMore, extent) = try await trim(VersionBounds(time: 35))
    try expect(hasMore, false)
    try expect(extent?.count, 3)
    (_, extent) = try await trim(VersionBounds(time: 0, excessCount: 2))
    try expect(extent?.count, 1)
    try expect(extent?.since, 50)
    (_, extent) = try await trim(VersionBounds(time: 0, excessBytes: 1))
    try expect(extent?.count, 0)
    try expect(extent?.bytes, 0)
  }
}
