import StratusDomain
import StratusWire

/// Checks of joined shares, and of the roots of shared hierarchies.
extension StoreConformance {
  static let joinedShareChecks: [Check] = [
    Check("a participation has the shares that the user joined", sharesAreJoined),
    Check("a user who joins a share again changes only the permission", sharesAreJoinedOnce),
    Check("a user who leaves one of several shares gets a new participation number", sharesAreLeft),
    Check("a participation ends with its last share", lastShareIsLeft),
    Check("the participants of a share are listed", participantsAreListed),
  ]

  static let hierarchyChecks: [Check] = [
    Check("a zone knows its shared roots", rootsAreKnown),
    Check("the type and the parent of a live record are found", positionsAreFound),
    Check("unfinished hierarchies are kept until they are finished", unfinishedHierarchiesAreKept),
    Check("unfinished hierarchies are read zone by zone", unfinishedHierarchiesOfZones),
    Check(
      "an unfinished hierarchy whose parent is in another hierarchy or in none is found",
      unfinishedParentsOutside),
    Check("among some records, those that have children are found", parentsAreFound),
    Check("the newest passage of some hierarchies is found", newestPassageIsFound),
    Check("a shared database lists only changes in its user's shares", hiddenChangesAreNotListed),
  ]

  /// Each joined share has two numbers: the zone's newest change when the user joined, and a number
  /// from the counter of the shared database. Each join lists the zone again in the shared history.
  static func sharesAreJoined(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Notes")
    let (number, found, latest, other) = try await store.write { (body) throws(ServerError) in
      let first = try body.join(
        try body.existing("Notes"), root: "b", permission: .readWrite, user: "_bob")
      try body.save(["c"], in: try body.existing("Notes"))
      let zone = try body.existing("Notes")
      try body.join(zone, root: "a", permission: .read, user: "_bob")
      return (
        first, try body.participation(of: "_bob", in: zone),
        try body.latestZoneChange(in: .shared(user: "_bob")),
        try body.participation(of: "_carl", in: zone)
      )
    }
    let shares = [
      JoinedShare(rootName: "a", permission: .read, joined: 2, since: 3),
      JoinedShare(rootName: "b", permission: .readWrite, joined: 1, since: 2),
    ]
    try expect(number, 1)
    try expect(found, Participation(number: 1, shares: shares))
    try expect(latest, 2)
    try expect(other, nil)
  }

  static func sharesAreJoinedOnce(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let (numbers, found, latest) = try await store.write { (body) throws(ServerError) in
      var numbers: [Int64] = []
      for permission in [SharePermission.readWrite, .read] {
        let zone = try body.existing("Notes")
        numbers.append(try body.join(zone, root: nil, permission: permission, user: "_bob"))
        try body.save(["b"], in: zone)
      }
      return (
        numbers, try body.participation(of: "_bob", in: try body.existing("Notes")),
        try body.latestZoneChange(in: .shared(user: "_bob"))
      )
    }
    try expect(numbers, [1, 1])
    try expect(
      found?.shares, [JoinedShare(rootName: nil, permission: .read, joined: 1, since: 1)])
    try expect(latest, 1)
  }

  static func sharesAreLeft(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Notes")
    let (left, found, changes) = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      for root in ["a", "b"] {
        try body.join(zone, root: root, permission: .read, user: "_bob")
      }
      let left = [
        try body.leave(zone, root: "a", user: "_bob", at: Sample.time),
        try body.leave(zone, root: "a", user: "_bob", at: Sample.time),
        try body.leave(zone, root: nil, user: "_bob", at: Sample.time),
        try body.leave(zone, root: "b", user: "_carl", at: Sample.time),
      ]
      return (
        left, try body.participation(of: "_bob", in: zone),
        try body.zoneChanges(in: DatabaseView.shared(user: "_bob"), after: 2, limit: 9)
      )
    }
    try expect(left, [true, false, false, false])
    try expect(found?.number, 3)
    try expect(found?.shares.map(\.rootName), ["b"])
    try expect(changes.map(\.change), [3])
    try expect(changes.map(\.participation), [3])
    try expect(changes.map(\.isDeleted), [false])
  }

  /// A user who joins again has none of the earlier shares.
  static func lastShareIsLeft(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let (none, deleted, again) = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.join(zone, root: "a", permission: .read, user: "_bob")
      try body.leave(zone, root: "a", user: "_bob", at: Sample.time)
      let none = try body.participation(of: "_bob", in: zone)
      let deleted = try body.zoneChanges(in: Sample.bobsShared, after: 0, limit: 9).map(\.isDeleted)
      try body.join(zone, root: "b", permission: .read, user: "_bob")
      try body.join(zone, root: "c", permission: .read, user: "_bob")
      try body.unlist(zone, inSharedDatabaseOf: "_bob", at: Sample.time)
      try body.join(zone, root: nil, permission: .read, user: "_bob")
      return (none, deleted, try body.participation(of: "_bob", in: zone))
    }
    try expect(none, nil)
    try expect(deleted, [true])
    try expect(again?.shares.map(\.rootName), [nil])
  }

  static func participantsAreListed(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    try await store.save(["a"], inZone: "Other")
    let (ofRoot, first, ofZone) = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      for user in ["_bob", "_carl"] {
        try body.join(zone, root: "a", permission: .read, user: user)
      }
      try body.join(zone, root: nil, permission: .read, user: "_dora")
      try body.join(try body.existing("Other"), root: "a", permission: .read, user: "_emil")
      return (
        try body.participants(ofShare: "a", in: zone, limit: 9),
        try body.participants(ofShare: "a", in: zone, limit: 1),
        try body.participants(ofShare: nil, in: zone, limit: 9)
      )
    }
    try expect(ofRoot, ["_bob", "_carl"])
    try expect(first, ["_bob"])
    try expect(ofZone, ["_dora"])
  }

  static func rootsAreKnown(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Notes")
    try await store.save(["a"], inZone: "Other")
    let (found, flags) = try await store.write { (body) throws(ServerError) in
      let names = ["a", "b", "A"]
      try body.addSharedRoot("a", in: try body.existing("Notes"))
      try body.addSharedRoot("a", in: try body.existing("Notes"))
      let zone = try body.existing("Notes")
      let other = try body.existing("Other")
      var found = [
        try body.sharedRoots(among: names, in: zone), try body.sharedRoots(among: names, in: other),
      ]
      try body.removeSharedRoot("a", in: zone)
      found.append(try body.sharedRoots(among: names, in: zone))
      let flags = [zone, other, try body.existing("Notes")].map(\.hasHierarchies)
      return (found, flags)
    }
    try expect(found, [[ExactName("a")], [], []])
    try expect(flags, [true, false, true])
  }

  static func positionsAreFound(_ store: any Store) async throws {
    try await store.save(["a", "gone"], inZone: "Notes")
    let found = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      var child = Sample.record("child", change: 3)
      child.parentRecordName = "a"
      try body.apply(
        ChangeSet(zone: zone, records: [child, Sample.tombstone("gone", change: 4)]))
      return try body.positions(of: ["a", "child", "gone", "missing"], in: zone)
    }
    try expect(
      found,
      [
        ExactName("a"): RecordPosition(recordType: "Note", parentName: nil),
        ExactName("child"): RecordPosition(recordType: "Note", parentName: "a"),
      ])
  }

  /// A later entry for the same record replaces the earlier one.
  static func unfinishedHierarchiesAreKept(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Notes")
    let (found, rest) = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.addUnfinished(UnfinishedHierarchy(zone: zone, parentName: "a"))
      try body.addUnfinished(UnfinishedHierarchy(zone: zone, parentName: "b", cursor: "x"))
      try body.addUnfinished(UnfinishedHierarchy(zone: zone, parentName: "a", cursor: "y"))
      let found = try body.unfinishedHierarchies(limit: 9)
      for hierarchy in found where hierarchy.parentName == "b" { try body.finish(hierarchy) }
      return (found, try body.unfinishedHierarchies(limit: 9))
    }
    try expect(Set(found.map { "\($0.parentName) \($0.cursor ?? "")" }), ["a y", "b x"])
    try expect(
      Set(found.map(\.zone.address)), [ZoneAddress(database: Sample.ann, name: "Notes")])
    try expect(rest.map(\.parentName), ["a"])
  }

  static func unfinishedHierarchiesOfZones(_ store: any Store) async throws {
    for zone in ["One", "Two", "Three"] { try await store.save(["a", "b"], inZone: zone) }
    let (order, rest) = try await store.write { (body) throws(ServerError) in
      for name in ["One", "Two", "Three"] {
        for parent in ["b", "a"] {
          try body.addUnfinished(
            UnfinishedHierarchy(zone: try body.existing(name), parentName: parent))
        }
      }
      var order: [String] = []
      var last: StoredZone?
      while let next = try body.unfinishedHierarchies(after: last, limit: 1).first {
        order.append(next.zone.name)
        last = next.zone
      }
      let two = try body.existing("Two")
      return (order, try body.unfinishedHierarchies(in: two, limit: 9).map(\.parentName))
    }
    try expect(Set(order), ["One", "Two", "Three"])
    try expect(order.count, 3)
    try expect(rest, ["a", "b"])
  }

  static func unfinishedParentsOutside(_ store: any Store) async throws {
    try await store.save(["root", "a", "b"], inZone: "Notes")
    let found = try await store.write { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: [passage("a", .joined, change: 4), passage("b", .left, change: 5)]))
      let zone = try body.existing("Notes")
      var found = [try body.hasUnfinishedHierarchies(outside: "root", in: zone)]
      for parent in ["a", "b"] {
        try body.addUnfinished(UnfinishedHierarchy(zone: zone, parentName: parent))
        found.append(try body.hasUnfinishedHierarchies(outside: "root", in: zone))
      }
      found.append(try body.hasUnfinishedHierarchies(outside: "other", in: zone))
      return found
    }
    try expect(found, [false, false, true, true])
  }

  static func parentsAreFound(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Notes")
    let found = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      var child = Sample.record("child", change: zone.change + 1)
      child.parentRecordName = "a"
      var rows = RowChanges()
      try rows.note(child, replacing: nil, schema: try body.schema())
      try body.apply(ChangeSet(zone: zone, records: [child], rows: rows))
      return try body.parents(
        among: ["a", "b", "child", "missing"], in: try body.existing("Notes"))
    }
    try expect(found, [ExactName("a")])
  }

  static func newestPassageIsFound(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Notes")
    let found = try await store.write { (body) throws(ServerError) in
      try body.apply(
        ChangeSet(
          zone: try body.existing("Notes"), records: [],
          passages: [
            passage("a", .joined, root: "x", change: 3), passage("b", .left, root: "y", change: 4),
          ]))
      let zone = try body.existing("Notes")
      return try [[], ["x"], ["y", "x"], ["none"]].map { (roots) throws(ServerError) in
        try body.newestPassage(in: zone, ofHierarchies: roots)
      }
    }
    try expect(found, [0, 3, 4, 0])
  }

  /// Bob sees a hierarchy of the zone, and Carl sees the whole zone.
  static func hiddenChangesAreNotListed(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Notes")
    let found = try await store.write { (body) throws(ServerError) in
      try body.join(try body.existing("Notes"), root: "a", permission: .read, user: "_bob")
      try body.join(try body.existing("Notes"), root: nil, permission: .read, user: "_carl")
      var found: [Bool] = []
      try body.save(["b"], in: try body.existing("Notes"))
      for user in ["_bob", "_carl"] {
        found.append(try body.mustRelist(inSharedDatabaseOf: user))
      }
      let zone = try body.existing("Notes")
      try body.apply(
        ChangeSet(
          zone: zone, records: [],
          passages: [passage("a", .joined, root: "a", change: zone.change + 1)]))
      found.append(try body.mustRelist(inSharedDatabaseOf: "_bob"))
      return found
    }
    try expect(found, [false, true, true])
  }
}

extension Sample {
  static let bobsShared = DatabaseView.shared(user: "_bob")
}
