import StratusDomain

extension StoreConformance {
  static let concurrencyChecks: [Check] = [
    Check("a failing write does not affect other writes", neighboursSurvive),
    Check("concurrent writers get each change number exactly once", changeNumbersAreUnique),
    Check("concurrent writes to many zones are independent", manyZonesAreIndependent),
    Check("a read sees every write that was acknowledged", readsAreFresh),
    Check("a read sees one consistent state", readsAreConsistent),
    Check("all reads finish even if there are more reads than connections", manyReadsEnd),
  ]

  /// Many writes wait at the same time. Every third write fails after it has written.
  static func neighboursSurvive(_ store: any Store) async throws {
    try await store.save(["first"], inZone: "Notes")
    let failures = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<150 {
        group.addTask {
          let error = await store.failure { (body) throws(ServerError) in
            try body.save(["\(index)"], in: try body.someZone("Notes"))
            // Each write also creates a zone in a new database. If the write fails, the zone and
            // the database do not exist, and other writes may get their numbers.
            _ = try body.someZone("Own", in: .private(owner: "_\(index)"))
            if index % 3 == 0 { throw Sample.refusal }
          }
          return error == Sample.refusal
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    try expect(failures, 50)
    let (names, owners) = try await store.read { (body) throws(ServerError) in
      var owners: [Int] = []
      for index in 0..<150 {
        let zone = try body.zone(named: "Own", in: .private(owner: "_\(index)"))
        if zone != nil { owners.append(index) }
      }
      return (try body.changes(in: try body.existing("Notes")).map(\.name), owners)
    }
    let kept = (0..<150).filter { $0 % 3 != 0 }
    try expect(Set(names), Set(kept.map { "\($0)" } + ["first"]))
    try expect(owners, kept)
  }

  /// Each write gets the zone's next number. The feed contains all of these numbers without a gap.
  static func changeNumbersAreUnique(_ store: any Store) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<400 {
        group.addTask { try await store.save(["\(index)"], inZone: "Notes") }
      }
      try await group.waitForAll()
    }
    let (zone, changes) = try await store.read { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      return (zone, try body.changes(in: zone).map(\.change))
    }
    try expect(zone.change, 400)
    try expect(changes, Array(1...400))
  }

  /// Many writes to the zones of four users wait at the same time. Each write names its zone, and
  /// one write of each zone fails after it has written.
  static func manyZonesAreIndependent(_ store: any Store) async throws {
    let zones = (0..<24).map { number in
      ZoneAddress(database: .private(owner: "_\(number % 4)"), name: "Zone \(number)")
    }
    let failures = await withTaskGroup(of: Bool.self) { group in
      for round in 0..<6 {
        for zone in zones {
          group.addTask {
            do throws(ServerError) {
              try await store.write(to: [zone], reading: "\(round)") {
                (body) throws(ServerError) in
                try body.save(["\(round)"], in: try body.someZone(zone.name, in: zone.database))
                if round == 3 { throw Sample.refusal }
              }
              return false
            } catch {
              return error == Sample.refusal
            }
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    try expect(failures, zones.count)
    let (changes, names, listed) = try await store.read { (body) throws(ServerError) in
      var changes: Set<[Int64]> = []
      var names: Set<Set<String>> = []
      var listed = 0
      for address in zones {
        let found = try body.changes(in: try body.existing(address.name, in: address.database))
        changes.insert(found.map(\.change))
        names.insert(Set(found.map(\.name)))
      }
      for user in 0..<4 {
        let database = DatabaseKey.private(owner: "_\(user)")
        listed += try body.zoneChanges(in: database, after: 0, limit: 100).count
      }
      return (changes, names, listed)
    }
    try expect(changes, [[1, 2, 3, 4, 5]])
    try expect(names, [["0", "1", "2", "4", "5"]])
    try expect(listed, zones.count)
  }

  /// Each task reads its own write. Any connection may run this read.
  static func readsAreFresh(_ store: any Store) async throws {
    try await store.save(["first"], inZone: "Notes")
    let missed = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var missed = 0
          for round in 0..<25 {
            let name = "\(task)-\(round)"
            try await store.save([name], inZone: "Notes")
            let found = try await store.read { (body) throws(ServerError) in
              try body.records(named: [name], in: try body.existing("Notes"))
            }
            if found[name] == nil { missed += 1 }
          }
          return missed
        }
      }
      return try await group.reduce(0, +)
    }
    try expect(missed, 0)
  }

  /// While other tasks write, the zone, its feed and the database's history agree in every read.
  static func readsAreConsistent(_ store: any Store) async throws {
    try await store.save(["first"], inZone: "Notes")
    let torn = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<40 { try await store.save(["\(task)-\(round)"], inZone: "Notes") }
          return 0
        }
        group.addTask {
          var torn = 0
          for _ in 0..<40 {
            let isWhole = try await store.read { (body) throws(ServerError) in
              let zone = try body.existing("Notes")
              let newest = try body.changes(in: zone, newestFirst: true, limit: 1)
              let latest = try body.latestZoneChange(in: Sample.ann)
              // The counter of the history counts the creation of the zone and each save.
              return newest.first?.change == zone.change && latest == zone.change + 1
            }
            if !isWhole { torn += 1 }
          }
          return torn
        }
      }
      return try await group.reduce(0, +)
    }
    try expect(torn, 0)
  }

  /// If there are more reads than connections, the other reads wait and do not fail.
  static func manyReadsEnd(_ store: any Store) async throws {
    try await store.save(["one"], inZone: "Notes")
    let found = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<500 {
        group.addTask {
          try await store.read { (body) throws(ServerError) in
            try body.records(named: ["one"], in: try body.existing("Notes")).count
          }
        }
      }
      return try await group.reduce(0, +)
    }
    try expect(found, 500)
  }
}
