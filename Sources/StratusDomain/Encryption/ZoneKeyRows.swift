import StratusWire

extension ZoneAccess {
  /// Whether the caller gets the keys of the zone: the owner, and participants of a share of the
  /// whole zone. A participant of a hierarchy would be able to open records outside the hierarchy.
  var showsKeys: Bool {
    switch role {
    case .owner: true
    case .participant(let participation): participation.showsZone
    case .visitor: false
    }
  }

  /// Whether the caller may create a key for the zone, after the keys of the zone were retired.
  var mayRenewKeys: Bool {
    showsKeys && allowsPlace(inHierarchy: nil)
  }
}

extension StoreReading {
  /// Returns the keys of a zone that a user can use: those wrapped for the user, and those wrapped
  /// for the URL of the zone's share.
  func keys(
    of zone: StoredZone, for user: String
  ) throws(ServerError) -> FetchKeys.ZoneKeys {
    let all = try zoneKeys(of: zone)
    let own = try userKey(of: user)
    let isDue = !all.isEmpty && all.allSatisfy(\.isRetired)
    return FetchKeys.ZoneKeys(
      zoneID: zone.address.id, keys: all.filter { $0.recipient == own || $0.form == .link },
      memberKeys: isDue ? try memberKeys(of: zone) : [])
  }

  /// Returns the public keys of the owner of a zone and of the participants of the zone's share.
  func memberKeys(of zone: StoredZone) throws(ServerError) -> [[UInt8]] {
    var users = [zone.database.owner].compactMap { $0 }
    if let name = try shareLink(ofRoot: nil, in: zone)?.shareName,
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
}

extension StoreWriting {
  /// Retires the keys of a zone after a participant of the whole zone has left, so that the next
  /// device that seals a value creates a key that the participant does not have.
  func retireKeys(of zone: StoredZone) throws(ServerError) {
    let keys = try zoneKeys(of: zone)
    guard !keys.isEmpty, Set(keys.map(\.keyID)).count < Limits.zoneKeysMax else { return }
    try retireZoneKeys(of: zone)
  }
}
