import StratusDomain
import StratusWire

/// Checks of encryption keys. The store only stores these keys and never uses them.
extension StoreConformance {
  static let keyChecks: [Check] = [
    Check("a user has no public key until one is set", userKeyIsSet),
    Check("a zone's keys are stored byte for byte, in order of their IDs", zoneKeysAreKept),
    Check("a key cannot be added to a zone twice", zoneKeyIsAddedOnce),
    Check("a zone's keys are retired, but not those that are added later", zoneKeysAreRetired),
    Check("a zone's keys for one recipient are removed", keysOfRecipientAreRemoved),
    Check("zones with keys are found only in their own database", zonesWithKeysAreFound),
    Check("a zone's keys are deleted with the zone", keysGoWithTheirZone),
    Check("a zone keeps the reason of its deletion until it is created again", reasonIsKept),
    Check("a zone keeps its encryption scope", scopeIsKept),
  ]

  private static func key(_ byte: UInt8) -> WrappedZoneKey {
    WrappedZoneKey(
      keyID: [byte, 0, 255, 39, 34, 0, 128, 1], recipient: [UInt8](repeating: byte, count: 32),
      wrapped: [UInt8](0...255))
  }

  /// Setting a user's key again replaces it. Other users have no key.
  static func userKeyIsSet(_ store: any Store) async throws {
    let first = [UInt8](0..<32)
    let second = [UInt8](100..<132)
    let before = try await store.read { (body) throws(ServerError) in try body.userKey(of: "_ann") }
    try await store.write { (body) throws(ServerError) in
      try body.setUserKey(first, of: "_ann")
    }
    let set = try await store.read { (body) throws(ServerError) in try body.userKey(of: "_ann") }
    try await store.write { (body) throws(ServerError) in
      try body.setUserKey(second, of: "_ann")
    }
    let (reset, other) = try await store.read { (body) throws(ServerError) in
      (try body.userKey(of: "_ann"), try body.userKey(of: "_bob"))
    }
    try expect(before, nil)
    try expect(set, first)
    try expect(reset, second)
    try expect(other, nil)
  }

  /// A zone with the same name in another database has no keys.
  static func zoneKeysAreKept(_ store: any Store) async throws {
    let keys = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.add(key(2), to: zone)
      try body.add(key(1), to: zone)
      return try body.zoneKeys(of: zone)
    }
    let (read, other) = try await store.write { (body) throws(ServerError) in
      let other = try body.createZone(named: "Notes", in: Sample.bob)
      return (try body.zoneKeys(of: try body.existing("Notes")), try body.zoneKeys(of: other))
    }
    try expect(keys, [key(1), key(2)])
    try expect(read, keys)
    try expect(other, [])
  }

  /// The store refuses to add a key twice to a zone. A correct caller never requests this.
  static func zoneKeyIsAddedOnce(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.add(key(1), to: try body.createZone(named: "Notes", in: Sample.ann))
    }
    let error = await store.failure { (body) throws(ServerError) in
      try body.add(key(1), to: try body.existing("Notes"))
    }
    try expect(error?.code, .internalError)
  }

  /// The retirement of the keys of a zone itself retires neither the keys of its hierarchies nor
  /// the keys of other zones.
  static func zoneKeysAreRetired(_ store: any Store) async throws {
    let (retired, other) = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      let other = try body.createZone(named: "Other", in: Sample.ann)
      try body.add(key(1), to: zone)
      try body.add(key(1), to: other)
      var rome = key(4)
      rome.rootRecordName = "Rome"
      try body.add(rome, to: zone)
      try body.retireZoneKeys(of: zone, root: nil)
      try body.add(key(2), to: zone)
      var third = key(3)
      third.isRetired = true
      try body.add(third, to: zone)
      return (try body.zoneKeys(of: zone), try body.zoneKeys(of: other))
    }
    try expect(retired.map(\.isRetired), [true, false, true, false])
    try expect(
      retired.map(\.keyID), [key(1).keyID, key(2).keyID, key(3).keyID, key(4).keyID])
    try expect(retired.map(\.rootRecordName), [nil, nil, nil, "Rome"])
    try expect(other.map(\.isRetired), [false])
    let ended = try await store.write { (body) throws(ServerError) in
      let zone = try body.existing("Notes")
      try body.retireZoneKeys(of: zone, root: "Rome")
      return try body.zoneKeys(of: zone)
    }
    try expect(ended.map(\.isRetired), [true, false, true, true])
  }

  /// The keys for other recipients stay.
  static func keysOfRecipientAreRemoved(_ store: any Store) async throws {
    let keys = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.add(key(1), to: zone)
      try body.add(key(2), to: zone)
      try body.removeZoneKeys(for: key(1).recipient, of: zone)
      return try body.zoneKeys(of: zone)
    }
    try expect(keys, [key(2)])
  }

  /// The list includes the default zone, and contains each zone once.
  static func zonesWithKeysAreFound(_ store: any Store) async throws {
    let (all, first, after) = try await store.write { (body) throws(ServerError) in
      for name in [ZoneID.defaultZoneName, "A", "B"] {
        let zone = try body.createZone(named: name, in: Sample.ann)
        if name == "A" { continue }
        try body.add(key(1), to: zone)
        try body.add(key(2), to: zone)
      }
      try body.add(key(1), to: try body.createZone(named: "C", in: Sample.bob))
      let all = try body.zonesWithKeys(in: Sample.ann, limit: 10).map(\.name)
      let first = try body.zonesWithKeys(in: Sample.ann, limit: 1).map(\.name)
      try body.removeZoneKeys(of: try body.existing(ZoneID.defaultZoneName))
      return (all, first, try body.zonesWithKeys(in: Sample.ann, limit: 10).map(\.name))
    }
    try expect(all, [ZoneID.defaultZoneName, "B"])
    try expect(first, [ZoneID.defaultZoneName])
    try expect(after, ["B"])
  }

  /// After the deletion, a new zone with the same name has no keys.
  static func keysGoWithTheirZone(_ store: any Store) async throws {
    let (found, keys) = try await store.write { (body) throws(ServerError) in
      let zone = try body.createZone(named: "Notes", in: Sample.ann)
      try body.add(key(1), to: zone)
      try body.deleteZone(zone, reason: .encryptedDataReset)
      let found = try body.zonesWithKeys(in: Sample.ann, limit: 10)
      return (found, try body.zoneKeys(of: try body.createZone(named: "Notes", in: Sample.ann)))
    }
    try expect(found, [])
    try expect(keys, [])
  }

  /// The reason for a zone's deletion can be read by the zone's name, and in the database's
  /// history.
  static func reasonIsKept(_ store: any Store) async throws {
    let names = ["reset", "deleted", "remade"]
    try await store.write { (body) throws(ServerError) in
      for name in names {
        let zone = try body.createZone(named: name, in: Sample.ann)
        try body.save(["a"], in: zone)
        try body.deleteZone(zone, reason: name == "deleted" ? .deleted : .encryptedDataReset)
      }
      _ = try body.createZone(named: "remade", in: Sample.ann)
    }
    let (reasons, changes) = try await store.read { (body) throws(ServerError) in
      var reasons: [ZoneDeletionReason?] = []
      for name in names + ["never"] {
        reasons.append(try body.deletionReason(ofZoneNamed: name, in: Sample.ann))
      }
      return (reasons, try body.zoneChanges(in: Sample.ann, after: 0, limit: 10))
    }
    try expect(reasons, [.encryptedDataReset, .deleted, nil, nil])
    try expect(changes.map(\.name), names)
    try expect(changes.map(\.deletionReason), [.encryptedDataReset, .deleted, .deleted])
    try expect(changes.map(\.isDeleted), [true, true, false])
  }

  /// All methods that read the zone return its encryption scope.
  static func scopeIsKept(_ store: any Store) async throws {
    let scopes = try await store.write { (body) throws(ServerError) in
      let made = try body.createZone(
        named: "Notes", in: Sample.ann, encryptionScope: .perZone)
      let plain = try body.createZone(named: "Plain", in: Sample.ann)
      return [
        made, try body.existing("Notes"), try body.lockZone(named: "Notes", in: Sample.ann),
        try body.zone(id: made.id, in: Sample.ann),
        try body.zones(in: Sample.ann, after: nil, limit: 1).first, plain,
      ].map { $0?.encryptionScope }
    }
    try expect(scopes, [.perZone, .perZone, .perZone, .perZone, .perZone, .perRecord])
  }
}
