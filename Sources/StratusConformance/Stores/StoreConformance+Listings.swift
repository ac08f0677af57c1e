import StratusDomain
import StratusWire

/// Checks of shared databases: Ann's zones appear in Bob's shared database.
extension StoreConformance {
  static let listingChecks: [Check] = [
    Check("a shared database lists zones that were shared, with their owner", sharedZonesAreListed),
    Check(
      "relistChanged moves the changed zones to the end of a shared database's history",
      changedZonesAreRelisted),
    Check("a save in a shared zone does not change the participant's history", noFanOut),
    Check(
      "a participant who was removed and invited again gets a new participation number",
      participations),
    Check("a zone that its owner deletes is deleted for participants", ownersDeletions),
    Check("a zone that is created again is in a shared history once", remadeSharedZone),
    Check("old deletions of zones are removed from shared histories", sharedHistoriesForget),
    Check("one call of relistChanged moves a limited number of zones", relistingIsBounded),
    Check("subscriptions of a zone's owner and participants are found", audience),
  ]

  /// Neither the participant's private database nor the shared database of a third user lists the
  /// zone.
  static func sharedZonesAreListed(_ store: any Store) async throws {
    try await store.save(["a"], inZone: "Notes")
    let participation = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      let first = try body.list(zone, inSharedDatabaseOf: "_bob")
      // The zone is already listed.
      return [first, try body.list(zone, inSharedDatabaseOf: "_bob")]
    }
    let (zone, ofBob, own, ofCarl, zones, epoch, epochOfAnn) = try await store.read {
      (body) throws(ServerError) in
      (
        try body.existing("Notes"), try body.sharedHistory(of: "_bob"),
        try body.zoneChanges(in: Sample.bob, after: 0, limit: 9),
        try body.sharedHistory(of: "_carl"),
        try body.sharedZones(of: "_bob", after: 0, limit: 9),
        try body.epoch(of: .shared(user: "_bob")), try body.epoch(of: Sample.ann)
      )
    }
    try expect(participation, [1, 1])
    try expect(
      ofBob,
      [
        ZoneChange(
          incarnation: zone.incarnation, name: "Notes", database: Sample.ann, change: 1,
          isDeleted: false,
          participation: 1)
      ])
    try expect(own, [])
    try expect(ofCarl, [])
    try expect(zones, [zone])
    try expect(epoch, epochOfAnn)
  }

  /// A change in a zone concerns the database subscriptions of the zone's owner and of all users
  /// whose shared databases list the zone. The store returns these subscriptions in order and in
  /// pages.
  static func audience(_ store: any Store) async throws {
    for zone in ["One", "Two"] { try await store.share(zone, with: "_bob") }
    let before = try await store.write { (body) throws(ServerError) in
      for user in ["_bob", "_ann", "_carl"] {
        let view: DatabaseView = user == "_ann" ? Sample.annsView : .shared(user: user)
        try body.save(
          Subscription(id: user, .database(recordType: nil)), of: user, in: view, under: .database)
      }
      let zone = try body.existing("One")
      var users: [[String]] = []
      var last: Int64 = 0
      for _ in 0..<3 {
        let page = try body.subscriptions(
          under: .database, toZone: zone.id, in: zone.database, after: last, limit: 1)
        users.append(page.map(\.user))
        last = page.last?.number ?? last
      }
      return (users, try body.watchForWriting(of: Sample.ann).hasParticipants)
    }
    try expect(before.0, [["_bob"], ["_ann"], []])
    try expect(before.1, true)
    let after = try await store.write { (body) throws(ServerError) in
      for name in ["One", "Two"] {
        try body.unlist(try body.existing(name), inSharedDatabaseOf: "_bob", at: Sample.time)
      }
      let zone = try body.existing("One")
      let users = try body.subscriptions(
        under: .database, toZone: zone.id, in: zone.database, after: 0, limit: 9)
      return (users.map(\.user), try body.watchForWriting(of: Sample.ann).hasParticipants)
    }
    try expect(after.0, ["_ann"])
    try expect(after.1, false)
  }

  /// A request for the changes of a shared database calls `relistChanged`. Each changed zone is
  /// then listed once, after all other zones, with a number from the shared database's counter.
  static func changedZonesAreRelisted(_ store: any Store) async throws {
    for name in ["One", "Two"] { try await store.share(name, with: "_bob") }
    try await store.save(["b", "c"], inZone: "One")
    let (before, mustRelist) = try await store.read { (body) throws(ServerError) in
      (
        try body.sharedHistory(of: "_bob").map(\.name),
        try body.mustRelist(inSharedDatabaseOf: "_bob")
      )
    }
    let (after, latest, mustStill) = try await store.write { (body) throws(ServerError) in
      try body.relistChanged(inSharedDatabaseOf: "_bob", at: Sample.time, limit: 10)
      return (
        try body.sharedHistory(of: "_bob"),
        try body.latestZoneChange(in: .shared(user: "_bob")),
        try body.mustRelist(inSharedDatabaseOf: "_bob")
      )
    }
    try expect(before, ["One", "Two"])
    try expect(mustRelist, true)
    try expect(after.map(\.name), ["Two", "One"])
    try expect(after.map(\.change), [2, 3])
    try expect(after.map(\.participation), [2, 1])
    try expect(latest, 3)
    try expect(mustStill, false)
  }

  /// A save changes only the owner's history.
  static func noFanOut(_ store: any Store) async throws {
    try await store.share("Notes", with: "_bob")
    try await store.save(["b"], inZone: "Notes")
    let (ofBob, ofAnn) = try await store.read { (body) throws(ServerError) in
      (
        try body.latestZoneChange(in: .shared(user: "_bob")),
        try body.latestZoneChange(in: Sample.ann)
      )
    }
    try expect(ofBob, 1)
    try expect(ofAnn, 3)
  }

  /// Between the two participations, the zone is deleted for the participant, but exists for its
  /// owner.
  static func participations(_ store: any Store) async throws {
    try await store.share("Notes", with: "_bob")
    let (left, numbers) = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      let first = try body.participation(of: "_bob", in: zone)
      let wasListed = [
        try body.unlist(zone, inSharedDatabaseOf: "_bob", at: Sample.time),
        try body.unlist(zone, inSharedDatabaseOf: "_bob", at: Sample.time),
      ]
      try expectIn(wasListed == [true, false])
      let left = try body.sharedHistory(of: "_bob")
      let none = try body.participation(of: "_bob", in: zone)
      try body.list(zone, inSharedDatabaseOf: "_bob")
      let again = try body.participation(of: "_bob", in: zone)
      return (left, [first, none, again].map { $0?.number })
    }
    let (again, ofAnn) = try await store.read { (body) throws(ServerError) in
      (
        try body.sharedHistory(of: "_bob"), try body.zoneChanges(in: Sample.ann, after: 0, limit: 9)
      )
    }
    try expect(left.map(\.isDeleted), [true])
    try expect(left.map(\.change), [2])
    try expect(numbers, [1, nil, 3])
    try expect(again.map(\.isDeleted), [false])
    try expect(again.map(\.change), [3])
    try expect(ofAnn.map(\.isDeleted), [false])
  }

  /// The participant sees the owner's reason for the deletion, whether the zone's rows have already
  /// been removed or still exist.
  static func ownersDeletions(_ store: any Store) async throws {
    for name in ["Purged", "Unpurged"] { try await store.share(name, with: "_bob") }
    let changes = try await store.write { (body) throws(ServerError) in
      try body.deleteZone(try body.existing("Purged"), reason: .purged)
      while try body.purge(limit: 10) != nil {}
      try body.deleteZone(try body.existing("Unpurged"))
      try body.relistChanged(inSharedDatabaseOf: "_bob", at: Sample.time, limit: 10)
      return try body.sharedHistory(of: "_bob")
    }
    try expect(changes.map(\.name), ["Purged", "Unpurged"])
    try expect(changes.map(\.isDeleted), [true, true])
    try expect(changes.map(\.deletionReason), [.purged, .deleted])
    try expect(changes.map(\.change), [3, 4])
  }

  /// The check deletes two shared zones, and shares new zones with the same names. Before that, the
  /// participant's history lists the deletion of the first zone, but not that of the second.
  static func remadeSharedZone(_ store: any Store) async throws {
    for isRead in [true, false] {
      let name = isRead ? "Read" : "Unread"
      try await store.share(name, with: "_bob")
      try await store.write { (body) throws(ServerError) in
        try body.deleteZone(try body.existing(name))
        while try body.purge(limit: 10) != nil {}
        if isRead {
          try body.relistChanged(inSharedDatabaseOf: "_bob", at: Sample.time, limit: 10)
        }
      }
      try await store.share(name, with: "_bob")
    }
    let (changes, zones) = try await store.write { (body) throws(ServerError) in
      try body.relistChanged(inSharedDatabaseOf: "_bob", at: Sample.time, limit: 10)
      return (
        try body.sharedHistory(of: "_bob"), try body.sharedZones(of: "_bob", after: 0, limit: 9)
      )
    }
    try expect(changes.map(\.name), ["Read", "Unread"])
    try expect(changes.map(\.isDeleted), [false, false])
    try expect(changes.map(\.incarnation), zones.map(\.incarnation))
  }

  /// The row of a deleted zone is kept while any history still lists the zone.
  static func sharedHistoriesForget(_ store: any Store) async throws {
    for name in ["Left", "Kept", "Deleted"] { try await store.share(name, with: "_bob") }
    let (changes, forgotten) = try await store.write { (body) throws(ServerError) in
      try body.unlist(try body.existing("Left"), inSharedDatabaseOf: "_bob", at: Sample.time)
      try body.deleteZone(try body.existing("Deleted"))
      while try body.purge(limit: 10) != nil {}
      while try body.expireDeletions(before: Sample.time + 1, limit: 10) {}
      // The owner's history no longer has the zone. The participant's history has not been updated
      // yet.
      try body.relistChanged(inSharedDatabaseOf: "_bob", at: Sample.time, limit: 10)
      let before = try body.sharedHistory(of: "_bob")
      while try body.expireDeletions(before: Sample.time + 1, limit: 10) {}
      return (
        [before, try body.sharedHistory(of: "_bob")].map { $0.map(\.name) },
        try body.newestExpiredZone(in: .shared(user: "_bob"))
      )
    }
    try expect(changes, [["Kept", "Deleted"], ["Kept"]])
    try expect(forgotten, 5)
  }

  /// The check moves five zones to the end of the history, at most two in one call.
  static func relistingIsBounded(_ store: any Store) async throws {
    for index in 1...5 { try await store.share("Zone \(index)", with: "_bob") }
    for index in 1...5 { try await store.save(["b"], inZone: "Zone \(index)") }
    var latest: [Int64] = []
    var hasMore = true
    while hasMore, latest.count < 9 {
      let (more, change) = try await store.write { (body) throws(ServerError) in
        (
          try body.relistChanged(inSharedDatabaseOf: "_bob", at: Sample.time, limit: 2),
          try body.latestZoneChange(in: .shared(user: "_bob"))
        )
      }
      latest.append(change)
      hasMore = more
    }
    try expect(latest, [7, 9, 10])
  }

  private static func expectIn(_ condition: Bool) throws(ServerError) {
    if !condition { throw .fault("a zone is missing in the listing, or listed twice") }
  }
}

extension StoreReading {
  fileprivate func sharedHistory(of user: String) throws(ServerError) -> [ZoneChange] {
    try zoneChanges(in: DatabaseView.shared(user: user), after: 0, limit: 100)
  }
}

extension Store {
  /// Saves a record in a zone of Ann, which is created if necessary, and lists the zone in the
  /// shared database of the given user.
  fileprivate func share(_ name: String, with user: String) async throws(ServerError) {
    try await save(["a"], inZone: name)
    try await write { (body) throws(ServerError) in
      _ = try body.list(try body.existing(name), inSharedDatabaseOf: user)
    }
  }
}
