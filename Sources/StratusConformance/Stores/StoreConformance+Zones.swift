import StratusDomain
import StratusWire

extension StoreConformance {
  static let zoneChecks: [Check] = [
    Check("a new store is empty", beginsEmpty),
    Check("a new zone has no changes and no token", newZoneIsEmpty),
    Check("zones are ordered by the bytes of their names and listed in pages", zonesArePaged),
    Check("zones with the same name in different databases are independent", databasesAreApart),
    Check("a zone number finds a live zone only in the zone's own database", zoneIsFoundByNumber),
    Check("a zone that exists cannot be created", zoneIsMadeOnce),
    Check("a zone cannot be deleted twice", zoneIsDeletedOnce),
    Check("a zone that is created again has a new ID and no records", remadeZoneIsNew),
    Check("the incarnation of a zone does not depend on other databases", incarnationsAreOwn),
    Check("a zone with an unusual name is found only under that name", unusualZoneNames),
  ]

  static let unusualNames = [
    "it's", "say \"hi\"", "back\\slash", "100%_?", "; DROP TABLE zones; --", "Ünïcödé", "日本語",
    "👩‍👩‍👧", "e\u{301}", "é", "line\nbreak", " ", "null",
    String(repeating: "n", count: 255), String(repeating: "語", count: 255),
  ]

  /// Reads of a new store find no zone, no change and no schema.
  static func beginsEmpty(_ store: any Store) async throws {
    let (zone, locked, count, latest, changes, schema) = try await store.write {
      (body) throws(ServerError) in
      (
        try body.zone(named: "Notes", in: .public), try body.lockZone(named: "Notes", in: .public),
        try body.zoneCount(in: Sample.ann), try body.latestZoneChange(in: Sample.ann),
        try body.zoneChanges(in: Sample.ann, after: 0, limit: 10), try body.schema()
      )
    }
    try expect(zone, nil)
    try expect(locked, nil)
    try expect(count, 0)
    try expect(latest, 0)
    try expect(changes, [])
    try expect(schema, Schema())
  }

  /// Creating, locking and reading the zone return the same row.
  static func newZoneIsEmpty(_ store: any Store) async throws {
    let (made, locked) = try await store.write { (body) throws(ServerError) in
      let made = try body.createZone(named: "Notes", in: Sample.ann)
      return (made, try body.lockZone(named: "Notes", in: Sample.ann))
    }
    let read = try await store.read { (body) throws(ServerError) in
      try body.zone(named: "Notes", in: Sample.ann)
    }
    try expect(
      made,
      StoredZone(
        id: made.id, database: Sample.ann, name: "Notes", change: 0, clientChangeToken: nil,
        incarnation: made.incarnation))
    try expect(locked, made)
    try expect(read, made)
  }

  /// Deleted zones are neither listed nor counted. The default zone is listed and counted.
  static func zonesArePaged(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      for name in ["b", "é", "B", ZoneID.defaultZoneName, "gone", "a"] {
        _ = try body.createZone(named: name, in: Sample.ann)
      }
      try body.deleteZone(try body.existing("gone"))
    }
    let (pages, count) = try await store.read { (body) throws(ServerError) in
      var pages: [[String]] = []
      var last: String?
      while true {
        let page = try body.zones(in: Sample.ann, after: last, limit: 2).map(\.name)
        pages.append(page)
        if page.count < 2 { break }
        last = page.last
      }
      return (pages, try body.zoneCount(in: Sample.ann))
    }
    try expect(pages, [["B", ZoneID.defaultZoneName], ["a", "b"], ["é"]])
    try expect(count, 5)
  }

  /// The check uses the public database and the private databases of three users. One of the users
  /// has an empty name.
  static func databasesAreApart(_ store: any Store) async throws {
    let databases: [DatabaseKey] = [.public, Sample.ann, Sample.bob, .private(owner: "")]
    for (index, database) in databases.enumerated() {
      try await store.save(["record \(index)"], inZone: "Notes", of: database)
    }
    let (ids, names) = try await store.read { (body) throws(ServerError) in
      var ids: Set<Int64> = []
      var names: [String] = []
      for database in databases {
        let zone = try body.existing("Notes", in: database)
        ids.insert(zone.id)
        names += try body.changes(in: zone).map(\.name)
      }
      return (ids, names)
    }
    try expect(ids.count, 4)
    try expect(names, ["record 0", "record 1", "record 2", "record 3"])
  }

  /// Two users create and delete zones with the same names, and a third user creates others in
  /// between.
  static func incarnationsAreOwn(_ store: any Store) async throws {
    let incarnations = try await store.write { (body) throws(ServerError) in
      var incarnations: [[Int64]] = []
      for owner in ["_ann", "_bob"] {
        let database = DatabaseKey.private(owner: owner)
        var own: [Int64] = []
        for name in ["One", "Two", "One"] {
          if let zone = try body.lockZone(named: name, in: database) { try body.deleteZone(zone) }
          own.append(try body.createZone(named: name, in: database).incarnation)
          _ = try body.createZone(named: "\(owner) \(own.count)", in: .private(owner: "_cleo"))
        }
        incarnations.append(own)
      }
      return incarnations
    }
    try expect(incarnations[0], incarnations[1])
    try expect(Set(incarnations[0]).count, 3)
  }

  /// The lookup returns the newest state. A deleted zone is not found, and its number is never
  /// reused.
  static func zoneIsFoundByNumber(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Notes")
    try await store.save(["two"], inZone: "Notes", of: Sample.bob)
    let (found, expected, elsewhere, deleted) = try await store.write {
      (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.apply(ChangeSet(zone: zone, records: [], clientChangeToken: "token"))
      let expected = try body.existing("Notes")
      let found = try body.zone(id: zone.id, in: Sample.ann)
      let elsewhere = try body.zone(id: zone.id, in: Sample.bob)
      try body.deleteZone(zone)
      _ = try body.createZone(named: "Notes", in: Sample.ann)
      return (found, expected, elsewhere, try body.zone(id: zone.id, in: Sample.ann))
    }
    try expect(found, expected)
    try expect(found?.clientChangeToken, "token")
    try expect(found?.change, 1)
    try expect(elsewhere, nil)
    try expect(deleted, nil)
  }

  /// The store refuses to create an existing zone. A correct caller never requests this.
  static func zoneIsMadeOnce(_ store: any Store) async throws {
    for name in ["Notes", ZoneID.defaultZoneName] {
      try await store.write { (body) throws(ServerError) in
        _ = try body.createZone(named: name, in: Sample.ann)
      }
      let error = await store.failure { (body) throws(ServerError) in
        _ = try body.createZone(named: name, in: Sample.ann)
      }
      try expect(error?.code, .internalError)
    }
  }

  /// The store refuses to delete a zone twice. A correct caller never requests this.
  static func zoneIsDeletedOnce(_ store: any Store) async throws {
    let zone = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.deleteZone(zone)
      return zone
    }
    let error = await store.failure { (body) throws(ServerError) in try body.deleteZone(zone) }
    try expect(error?.code, .internalError)
  }

  /// The rows of the earlier zone are purged after the new zone has a record, or before the new
  /// zone is created.
  static func remadeZoneIsNew(_ store: any Store) async throws {
    for (name, isPurgedFirst) in [("Notes", false), ("Plans", true)] {
      try await store.save(["old"], inZone: name)
      let (old, new) = try await store.write { (body) throws(ServerError) in
        let old = try body.existing(name)
        try body.apply(ChangeSet(zone: old, records: [], clientChangeToken: "token"))
        try body.deleteZone(old)
        if isPurgedFirst { try body.purge(limit: 100) }
        return (old, try body.createZone(named: name, in: Sample.ann))
      }
      try expect(new.id == old.id, false)
      try expect(new.change, 0)
      try await store.save(["new"], inZone: name)
      let (zone, found, changes) = try await store.write { (body) throws(ServerError) in
        try body.purge(limit: 100)
        let zone = try body.existing(name)
        let found = try body.records(named: ["old", "new"], in: zone).keys.map(\.text).sorted()
        return (zone, found, try body.changes(in: zone).map(\.name))
      }
      try expect(zone.clientChangeToken, nil)
      try expect(zone.id, new.id)
      try expect(found, ["new"])
      try expect(changes, ["new"])
    }
  }

  /// Names are compared by their bytes. Two spellings of é are therefore two different names.
  static func unusualZoneNames(_ store: any Store) async throws {
    let names = unusualNames
    let count = try await store.write { (body) throws(ServerError) in
      for name in names { _ = try body.createZone(named: name, in: Sample.ann) }
      return try body.zoneCount(in: Sample.ann)
    }
    try expect(count, names.count)
    let found = try await store.read { (body) throws(ServerError) in
      var found: [[UInt8]] = []
      for name in names { found.append(Array(try body.existing(name).name.utf8)) }
      return found
    }
    try expect(found, names.map { Array($0.utf8) })
  }
}
