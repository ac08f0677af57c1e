import StratusDomain
import StratusWire

extension StoreConformance {
  static let forgettingChecks: [Check] = [
    Check("only tombstones that are old enough are removed", oldTombstonesGo),
    Check(
      "each zone stores the greatest change number of its removed tombstones", newestExpiredIsKept),
    Check("old deletions are removed in limited steps", forgettingIsBounded),
    Check("an old deleted zone leaves the history, and its records are purged", oldZonesGo),
    Check("a zone that was created again is kept when the old one is removed", remadeZoneStays),
    Check("a record can be saved again after its tombstone was removed", forgottenRecordIsSaved),
  ]

  /// The tombstone with change number 4 is older than the given time. The tombstone with number 5
  /// has exactly the given time, and is kept.
  static func oldTombstonesGo(_ store: any Store) async throws {
    try await store.save(["kept", "old", "young"], inZone: "Notes")
    try await store.save(["old"], inZone: "Notes", of: Sample.bob)
    let (changes, ofBob) = try await store.write { (body) throws(ServerError) in
      try body.delete("old", in: try body.existing("Notes"))
      try body.delete("young", in: try body.existing("Notes"))
      try body.forget(before: Sample.time + 5)
      return (
        try body.changes(in: try body.existing("Notes")),
        try body.changes(in: try body.existing("Notes", in: Sample.bob)).map(\.name)
      )
    }
    try expect(changes.map(\.name), ["kept", "young"])
    try expect(changes.map(\.change), [1, 5])
    try expect(ofBob, ["old"])
  }

  /// The stored number never decreases. It may be the number of the zone's newest change.
  static func newestExpiredIsKept(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "One")
    try await store.save(["a"], inZone: "Two")
    var seen: [[Int64]] = []
    for (name, time) in [("a", Sample.time + 4), ("b", Sample.time + 5), ("c", Sample.time + 5)] {
      seen.append(
        try await store.write { (body) throws(ServerError) in
          if name != "c" { try body.delete(name, in: try body.existing("One")) }
          try body.forget(before: time)
          let (one, two) = (try body.existing("One"), try body.existing("Two"))
          return [
            one.newestExpired, one.change, two.newestExpired,
            try body.newestExpiredZone(in: Sample.ann),
          ]
        })
    }
    try expect(seen, [[3, 3, 0, 0], [4, 4, 0, 0], [4, 4, 0, 0]])
  }

  /// The check removes seven records and three zones, two at a time.
  static func forgettingIsBounded(_ store: any Store) async throws {
    let names = (1...7).map { "\($0)" }
    try await store.save(names, inZone: "Notes")
    try await store.write { (body) throws(ServerError) in
      for name in names { try body.delete(name, in: try body.existing("Notes")) }
      for name in ["A", "B", "C"] {
        try body.deleteZone(try body.createZone(named: name, in: Sample.ann))
      }
    }
    var steps: [[Int]] = []
    var hasMore = true
    while hasMore, steps.count < 10 {
      let (more, left) = try await store.write { (body) throws(ServerError) in
        let more = try body.expireDeletions(before: .max, limit: 2)
        return (
          more,
          [
            try body.changes(in: try body.existing("Notes")).count,
            try body.zoneChanges(in: Sample.ann, after: 0, limit: 10).count,
          ]
        )
      }
      steps.append(left)
      hasMore = more
    }
    try expect(steps, [[5, 2], [3, 1], [1, 1], [0, 1]])
  }

  /// The deleted zone's records may be purged before or after the zone leaves the history.
  static func oldZonesGo(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "First")
    try await store.save(["a"], inZone: "Second")
    try await store.save(["a"], inZone: "Kept")
    let (changes, forgotten, ofBob, purged) = try await store.write { (body) throws(ServerError) in
      try body.deleteZone(try body.existing("First"))
      try body.purge(limit: 10)
      try body.deleteZone(try body.existing("Second"))
      try body.forget(before: Sample.time)
      let before = try body.zoneChanges(in: Sample.ann, after: 0, limit: 10).map(\.name)
      try body.forget(before: Sample.time + 1)
      let after = try body.zoneChanges(in: Sample.ann, after: 0, limit: 10).map(\.name)
      return (
        [before, after], try body.newestExpiredZone(in: Sample.ann),
        try body.newestExpiredZone(in: Sample.bob),
        [try body.purge(limit: 10), try body.purge(limit: 10)]
      )
    }
    try expect(changes, [["Kept", "First", "Second"], ["Kept"]])
    try expect(forgotten, 8)
    try expect(ofBob, 0)
    try expect(purged, [1, nil])
  }

  /// The check runs with a purged and with an unpurged earlier zone of the same name.
  static func remadeZoneStays(_ store: any Store) async throws {
    for isPurged in [false, true] {
      let name = isPurged ? "Purged" : "Unpurged"
      try await store.save(["a"], inZone: name)
      let (changes, forgotten) = try await store.write { (body) throws(ServerError) in
        try body.deleteZone(try body.existing(name))
        if isPurged { try body.purge(limit: 10) }
        _ = try body.createZone(named: name, in: Sample.ann)
        try body.forget(before: .max)
        return (
          try body.zoneChanges(in: Sample.ann, after: 0, limit: 10).map(\.name),
          try body.newestExpiredZone(in: Sample.ann)
        )
      }
      try expect(changes, isPurged ? ["Unpurged", "Purged"] : ["Unpurged"])
      try expect(forgotten, 0)
    }
  }

  /// The saved record counts as new and gets the zone's next change number.
  static func forgottenRecordIsSaved(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    try await store.write { (body) throws(ServerError) in
      try body.delete("a", in: try body.existing("Notes"))
      try body.forget(before: .max)
    }
    try await store.save(["a"], inZone: "Notes")
    let changes = try await store.read { (body) throws(ServerError) in
      try body.changes(in: try body.existing("Notes"))
    }
    try expect(changes.map(\.change), [3])
    try expect(changes.map(\.isDeleted), [false])
  }
}

extension StoreWriting {
  /// Removes the tombstones of records that were deleted before the given time. Removes zones that
  /// were deleted before this time from the history.
  fileprivate func forget(before time: Int64) throws(ServerError) {
    while try expireDeletions(before: time, limit: 100) {}
  }
}
