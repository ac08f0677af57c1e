import StratusDomain
import StratusWire

/// Checks of the rows of a removed user that belong to no zone.
extension StoreConformance {
  static let userRowChecks: [Check] = [
    Check("the rows of a user are removed in limited steps", userRowsGo),
    Check(
      "a zone of a removed user stays while the shared database of a participant lists it",
      listedZonesStay),
  ]

  /// The rows of another user stay.
  static func userRowsGo(_ store: any Store) async throws {
    let steps = try await store.write { (body) throws(ServerError) in
      for user in ["_ann", "_bob"] {
        try body.enqueue((1...5).map { Sample.notification("\($0)", for: user) })
        try body.register(Sample.device("phone", of: user))
        try body.setBadge(3, of: user)
        try body.setUserKey([UInt8](repeating: 1, count: 32), of: user)
      }
      let zone = try body.someZone("Notes")
      try body.deleteZone(zone)
      var steps: [[String: Int]] = []
      while true {
        let step = try body.removeRows(ofUser: "_ann", limit: 2)
        if step.isEmpty || steps.count > 9 { return steps }
        steps.append(step)
      }
    }
    try expect(
      steps,
      [
        // `histories` counts the zone's row in the database's history, and the row of the zone
        // itself.
        ["notifications": 2, "devices": 1, "badges": 1, "keys": 1, "histories": 2],
        ["notifications": 2], ["notifications": 1],
      ])
    let (ann, bob) = try await store.read { (body) throws(ServerError) in
      (
        (try body.queue().count, try body.devices(of: "_ann").count, try body.userKey(of: "_ann")),
        (
          try body.queue(of: "_bob").count, try body.devices(of: "_bob").count,
          try body.badge(of: "_bob")
        )
      )
    }
    try expect(ann.0 + ann.1, 0)
    try expect(ann.2, nil)
    try expect([bob.0, bob.1, bob.2], [5, 1, 3])
    let history = try await store.read { (body) throws(ServerError) in
      try body.zoneChanges(in: Sample.ann, after: 0, limit: 9)
    }
    try expect(history, [])
  }

  /// The participant must still learn that the zone was deleted.
  static func listedZonesStay(_ store: any Store) async throws {
    let listed = try await store.write { (body) throws(ServerError) in
      let zone = try body.someZone("Notes")
      try body.list(zone, inSharedDatabaseOf: "_bob")
      try body.deleteZone(zone)
      while !(try body.removeRows(ofUser: "_ann", limit: 9).isEmpty) {}
      _ = try body.relistChanged(inSharedDatabaseOf: "_bob", at: Sample.time, limit: 9)
      return try body.zoneChanges(in: .shared(user: "_bob"), after: 0, limit: 9)
    }
    try expect(listed.map(\.name), ["Notes"])
    try expect(listed.map(\.isDeleted), [true])
  }
}
