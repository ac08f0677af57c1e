import StratusWire

extension ZoneAccess {
  /// Whether the caller gets the keys of a zone or of one of its shared hierarchies. A participant
  /// of a hierarchy gets only the keys of this hierarchy, because the zone's keys would open
  /// records outside the hierarchy.
  ///
  /// - Parameter root: the root of the hierarchy, or nil for the keys of the zone.
  func showsKeys(ofRoot root: String?) -> Bool {
    switch role {
    case .owner: true
    case .participant(let participation):
      participation.shares.contains {
        $0.rootName.map(ExactName.init) == root.map(ExactName.init)
      }
    case .visitor: false
    }
  }

  /// Whether the caller may create a key after all keys of the zone or hierarchy were retired.
  func mayRenewKeys(ofRoot root: String?) -> Bool {
    showsKeys(ofRoot: root) && allowsPlace(inHierarchy: root)
  }
}

extension StoreReading {
  /// Returns the keys that a user can use: those wrapped for the user, and those wrapped for the
  /// URLs of shares.
  ///
  /// - Parameter root: the root of the hierarchy that the request is about, or nil for the zone. If
  ///   all its keys are retired, the public keys of its members are returned, too, so that the
  ///   caller can create a new key.
  func keys(
    of zone: StoredZone, ofRoot root: String?, for user: String, _ access: ZoneAccess
  ) throws(ServerError) -> FetchKeys.ZoneKeys {
    let all = try zoneKeys(of: zone)
    let own = try userKey(of: user)
    let scope = all.filter { $0.isOf(root: root) }
    let isDue =
      access.showsKeys(ofRoot: root) && !scope.isEmpty && scope.allSatisfy(\.isRetired)
    return FetchKeys.ZoneKeys(
      zoneID: zone.address.id,
      keys: all.filter { key in
        access.showsKeys(ofRoot: key.rootRecordName)
          && (key.recipient == own || key.form == .link)
      },
      memberKeys: isDue ? try memberKeys(of: zone, root: root) : [])
  }

  /// Returns the public keys of the owner of a zone and of the participants of a share.
  ///
  /// - Parameter root: the root of the share, or nil for the share of the zone.
  func memberKeys(of zone: StoredZone, root: String?) throws(ServerError) -> [[UInt8]] {
    var users = [zone.database.owner].compactMap { $0 }
    if let name = try shareLink(ofRoot: root, in: zone)?.shareName,
      let state = try records(named: [name], in: zone)[name]?.shareState()
    {
      users += state.members.keys.sorted()
    }
    var keys: [[UInt8]] = []
    for user in users {
      if let key = try userKey(of: user) { keys.append(key) }
    }
    return keys
  }

  /// Returns the root of each record's shared hierarchy, if the caller gets the keys of this
  /// hierarchy. A share record belongs to the hierarchy that it shares.
  func roots(
    of names: [String], in zone: StoredZone, _ access: ZoneAccess
  ) throws(ServerError) -> [FetchKeys.RecordRoot] {
    var roots = try readableHierarchies(of: names, in: zone)
    for record in try records(named: names, in: zone).values
    where record.type == ShareRecord.recordType && !record.isDeleted {
      roots[ExactName(record.name)] = try record.shareState()?.rootRecordName
    }
    return names.compactMap { name in
      guard let root = roots[ExactName(name)], access.showsKeys(ofRoot: root) else { return nil }
      return FetchKeys.RecordRoot(recordName: name, rootRecordName: root)
    }
  }
}

extension StoreWriting {
  /// Retires the keys of a zone or of a hierarchy after a participant has left its share. The next
  /// device that seals a value then creates a key that the participant does not have. If the zone
  /// or hierarchy has the maximum number of keys already, its keys stay in use.
  ///
  /// - Parameter root: the root of the hierarchy, or nil for the keys of the zone.
  func retireKeys(of zone: StoredZone, root: String?) throws(ServerError) {
    let keys = try zoneKeys(of: zone).filter { $0.isOf(root: root) }
    guard !keys.isEmpty, Set(keys.map(\.keyID)).count < Limits.zoneKeysMax else { return }
    try retireZoneKeys(of: zone, root: root)
  }
}

extension WrappedZoneKey {
  /// Whether the key belongs to this hierarchy, or to the zone if `root` is nil.
  func isOf(root: String?) -> Bool {
    rootRecordName.map(ExactName.init) == root.map(ExactName.init)
  }
}
