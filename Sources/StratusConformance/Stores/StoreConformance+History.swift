import StratusDomain
import StratusWire

extension StoreConformance {
  static let zoneHistoryChecks: [Check] = [
    Check("a database's history has each zone once, at its newest change", historyHasEachZone),
    Check("a deleted zone appears in the history as deleted", historyHasDeletedZones),
    Check(
      "a zone that is created again is in the history once, as created", remadeZoneIsListedOnce
    ),
    Check("the default zone never appears in the history", defaultZoneIsNotListed),
    Check("a history is read in pages", historyIsPaged),
  ]

  static let purgeChecks: [Check] = [
    Check("a purge removes rows in limited steps", purgeIsBounded),
    Check("a purge does not affect the history or live zones", purgeLeavesTheRest),
    Check("a purge finds nothing if no deleted zone has a record", purgeFindsNothing),
  ]

  /// The check creates two zones and then changes the first one.
  static func historyHasEachZone(_ store: any Store) async throws {
    let (one, two) = try await store.write { (body) throws(ServerError) in
      let one = try body.createZone(named: "One", in: Sample.ann)
      let two = try body.createZone(named: "Two", in: Sample.ann)
      _ = try body.createZone(named: "Of Bob", in: Sample.bob)
      return (one.incarnation, two.incarnation)
    }
    try await store.save(["record"], inZone: "One")
    let (changes, latest) = try await store.read { (body) throws(ServerError) in
      (
        try body.zoneChanges(in: Sample.ann, after: 0, limit: 10),
        try body.latestZoneChange(in: Sample.ann)
      )
    }
    let expected = [
      ZoneChange(incarnation: two, name: "Two", database: Sample.ann, change: 2, isDeleted: false),
      ZoneChange(incarnation: one, name: "One", database: Sample.ann, change: 3, isDeleted: false),
    ]
    try expect(changes, expected)
    try expect(latest, 3)
  }

  /// The history lists the zone at the change number of its deletion.
  static func historyHasDeletedZones(_ store: any Store) async throws {
    try await store.save(["record"], inZone: "One")
    try await store.save(["record"], inZone: "Two")
    let (one, two, changes) = try await store.write { (body) throws(ServerError) in
      let (one, two) = (try body.existing("One"), try body.existing("Two"))
      try body.deleteZone(one)
      return (
        one.incarnation, two.incarnation, try body.zoneChanges(in: Sample.ann, after: 0, limit: 10)
      )
    }
    let expected = [
      ZoneChange(incarnation: two, name: "Two", database: Sample.ann, change: 4, isDeleted: false),
      ZoneChange(incarnation: one, name: "One", database: Sample.ann, change: 5, isDeleted: true),
    ]
    try expect(changes, expected)
  }

  /// The zone may be deleted and created any number of times, with or without a purge before it is
  /// created again. Each new zone has a new incarnation.
  static func remadeZoneIsListedOnce(_ store: any Store) async throws {
    var given: [Int64] = []
    for isPurged in [false, true, false] {
      try await store.save(["record"], inZone: "One")
      given.append(
        try await store.write { (body) throws(ServerError) in
          let zone = try body.existing("One")
          try body.deleteZone(zone)
          if isPurged { try body.purge(limit: 100) }
          return zone.incarnation
        })
    }
    let (deleted, zone, made) = try await store.write { (body) throws(ServerError) in
      let deleted = try body.zoneChanges(in: Sample.ann, after: 0, limit: 10)
      let zone = try body.createZone(named: "One", in: Sample.ann)
      return (
        deleted, zone.incarnation, try body.zoneChanges(in: Sample.ann, after: 0, limit: 10)
      )
    }
    let last = given[given.count - 1]
    try expect(
      deleted,
      [ZoneChange(incarnation: last, name: "One", database: Sample.ann, change: 9, isDeleted: true)]
    )
    try expect(
      made,
      [
        ZoneChange(
          incarnation: zone, name: "One", database: Sample.ann, change: 10, isDeleted: false)
      ])
    try expect(Set(given + [zone]).count, 4)
  }

  /// The history does not list the default zone, even after the zone is created and has records.
  static func defaultZoneIsNotListed(_ store: any Store) async throws {
    try await store.save(["one"], inZone: ZoneID.defaultZoneName)
    try await store.save(["two"], inZone: ZoneID.defaultZoneName)
    let (zone, changes, latest) = try await store.read { (body) throws(ServerError) in
      (
        try body.existing(ZoneID.defaultZoneName),
        try body.zoneChanges(in: Sample.ann, after: 0, limit: 10),
        try body.latestZoneChange(in: Sample.ann)
      )
    }
    try expect(zone.change, 2)
    try expect(changes, [])
    try expect(latest, 0)
  }

  /// Each page begins after the last entry of the previous page.
  static func historyIsPaged(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      for index in 1...5 { _ = try body.createZone(named: "Zone \(index)", in: Sample.ann) }
    }
    let pages = try await store.read { (body) throws(ServerError) in
      [
        try body.zoneChanges(in: Sample.ann, after: 0, limit: 2).map(\.change),
        try body.zoneChanges(in: Sample.ann, after: 2, limit: 2).map(\.change),
        try body.zoneChanges(in: Sample.ann, after: 4, limit: 2).map(\.change),
        try body.zoneChanges(in: Sample.ann, after: 5, limit: 2).map(\.change),
      ]
    }
    try expect(pages, [[1, 2], [3, 4], [5], []])
  }

  /// The check purges two zones of seven rows each, five rows at a time.
  static func purgeIsBounded(_ store: any Store) async throws {
    for zone in ["One", "Two"] {
      try await store.save((1...7).map { "\($0)" }, inZone: zone)
    }
    try await store.write { (body) throws(ServerError) in
      for zone in ["One", "Two"] { try body.deleteZone(try body.existing(zone)) }
    }
    var counts: [Int?] = []
    for _ in 0..<5 {
      counts.append(
        try await store.write { (body) throws(ServerError) in
          try body.purge(limit: 5)
        })
    }
    try expect(counts, [5, 2, 5, 2, nil])
  }

  /// The purge of a zone does not affect other zones, other databases, or the history entry of the
  /// zone's deletion.
  static func purgeLeavesTheRest(_ store: any Store) async throws {
    try await store.save(["gone"], inZone: "Gone")
    try await store.save(["kept"], inZone: "Kept")
    try await store.save(["of bob"], inZone: "Gone", of: Sample.bob)
    let ids = try await store.read { (body) throws(ServerError) in
      (kept: try body.existing("Kept").incarnation, gone: try body.existing("Gone").incarnation)
    }
    let (count, kept, ofBob, changes) = try await store.write { (body) throws(ServerError) in
      try body.deleteZone(try body.existing("Gone"))
      return (
        try body.purge(limit: 100),
        try body.changes(in: try body.existing("Kept")).map(\.name),
        try body.changes(in: try body.existing("Gone", in: Sample.bob)).map(\.name),
        try body.zoneChanges(in: Sample.ann, after: 0, limit: 10)
      )
    }
    try expect(count, 1)
    try expect(kept, ["kept"])
    try expect(ofBob, ["of bob"])
    let expected = [
      ZoneChange(
        incarnation: ids.kept, name: "Kept", database: Sample.ann, change: 4, isDeleted: false),
      ZoneChange(
        incarnation: ids.gone, name: "Gone", database: Sample.ann, change: 5, isDeleted: true),
    ]
    try expect(changes, expected)
  }

  /// A deleted zone that never had a record has nothing to purge.
  static func purgeFindsNothing(_ store: any Store) async throws {
    try await store.save(["kept"], inZone: "Kept")
    let count = try await store.write { (body) throws(ServerError) in
      try body.deleteZone(try body.createZone(named: "Empty", in: Sample.ann))
      return try body.purge(limit: 100)
    }
    try expect(count, nil)
  }
}
