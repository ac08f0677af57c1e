extension SavedSyncState: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, user, isSignedOut, databaseToken, zones, unfetchedZones, pendingRecordChanges
    case pendingZoneChanges, hasPendingUntrackedChanges, subscriptionID
  }

  /// A known zone: its incarnation, and the token up to which it was fetched.
  private struct ZoneKeyContext: Codable {
    var zone: ZoneName
    var token: String?
    var incarnation: String?
  }

  private struct ZoneName: Codable {
    var name: String
    /// The owner's record name; nil for the current user.
    var owner: String?

    init(_ zoneID: CKRecordZone.ID) {
      name = zoneID.zoneName
      owner = zoneID.ownerName == CKCurrentUserDefaultName ? nil : zoneID.ownerName
    }

    func zoneID(_ path: [any CodingKey]) throws -> CKRecordZone.ID {
      guard !name.isEmpty, owner?.isEmpty != true else {
        throw SavedSyncState.broken("a zone has no name", at: path)
      }
      return CKRecordZone.ID(zoneName: name, ownerName: owner ?? CKCurrentUserDefaultName)
    }
  }

  /// Consecutive changes of records of one zone. A `+` before a name means a save, and a `-` means
  /// a deletion.
  private struct Run: Codable {
    var zone: ZoneName
    var changes: [String]
  }

  private struct ZoneChange: Codable {
    var zone: ZoneName
    var isDeletion: Bool
    var encryptionScope: Int?
  }

  private static func broken(_ text: String, at path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: path, debugDescription: "a sync engine's state: \(text)"))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.version, forKey: .version)
    switch user {
    case .unknown: break
    case .nobody: try container.encode(true, forKey: .isSignedOut)
    case .known(let recordName): try container.encode(recordName, forKey: .user)
    }
    try container.encodeIfPresent(databaseToken, forKey: .databaseToken)
    // NB: the zones are sorted, so that the same state is always encoded as the same text.
    let known = Set(zoneTokens.keys).union(incarnations.keys).sorted { $0.precedes($1) }
    let contexts = known.map { zoneID in
      ZoneKeyContext(
        zone: ZoneName(zoneID), token: zoneTokens[zoneID], incarnation: incarnations[zoneID])
    }
    try container.encode(contexts, forKey: .zones)
    try container.encode(
      unfetchedZones.elements.map(ZoneName.init), forKey: .unfetchedZones)
    try container.encode(runs, forKey: .pendingRecordChanges)
    try container.encode(zoneChanges, forKey: .pendingZoneChanges)
    try container.encode(hasUntrackedChanges, forKey: .hasPendingUntrackedChanges)
    try container.encodeIfPresent(subscriptionID, forKey: .subscriptionID)
  }

  private var runs: [Run] {
    var runs: [Run] = []
    var zoneID: CKRecordZone.ID?
    for change in records.elements {
      let recordID = change.recordID
      if zoneID.map({ $0 === recordID.zoneID || $0.isEqual(recordID.zoneID) }) != true {
        runs.append(Run(zone: ZoneName(recordID.zoneID), changes: []))
        zoneID = recordID.zoneID
      }
      switch change {
      case .saveRecord: runs[runs.count - 1].changes.append("+" + recordID.recordName)
      case .deleteRecord: runs[runs.count - 1].changes.append("-" + recordID.recordName)
      }
    }
    return runs
  }

  private var zoneChanges: [ZoneChange] {
    zones.elements.map { change in
      switch change {
      case .saveZone(let zone):
        ZoneChange(
          zone: ZoneName(zone.zoneID), isDeletion: false,
          encryptionScope: zone.explicitEncryptionScope?.rawValue)
      case .deleteZone(let zoneID): ZoneChange(zone: ZoneName(zoneID), isDeletion: true)
      }
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let path = decoder.codingPath
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else {
      throw Self.broken("its version is \(version), not \(Self.version)", at: path)
    }
    if let name = try container.decodeIfPresent(String.self, forKey: .user) {
      if name.isEmpty { throw Self.broken("the user has no name", at: path) }
      user = .known(recordName: name)
    } else if try container.decodeIfPresent(Bool.self, forKey: .isSignedOut) == true {
      user = .nobody
    }
    databaseToken = try container.decodeIfPresent(String.self, forKey: .databaseToken)
    for context in try container.decode([ZoneKeyContext].self, forKey: .zones) {
      let zoneID = try context.zone.zoneID(path)
      zoneTokens[zoneID] = context.token
      incarnations[zoneID] = context.incarnation
    }
    for zone in try container.decode([ZoneName].self, forKey: .unfetchedZones) {
      unfetchedZones.append(try zone.zoneID(path))
    }
    for run in try container.decode([Run].self, forKey: .pendingRecordChanges) {
      let zoneID = try run.zone.zoneID(path)
      for text in run.changes { records.append(try Self.change(text, in: zoneID, path)) }
    }
    for change in try container.decode([ZoneChange].self, forKey: .pendingZoneChanges) {
      zones.append(try Self.change(change, path))
    }
    hasUntrackedChanges = try container.decode(Bool.self, forKey: .hasPendingUntrackedChanges)
    subscriptionID = try container.decodeIfPresent(String.self, forKey: .subscriptionID)
  }

  private static func change(
    _ text: String, in zoneID: CKRecordZone.ID, _ path: [any CodingKey]
  ) throws -> CKSyncEngine.PendingRecordZoneChange {
    // NB: the text is split by bytes. Otherwise, a combining character at the start of the name
    // would form one character with the sign.
    let name = String(decoding: text.utf8.dropFirst(), as: UTF8.self)
    guard !name.isEmpty else { throw broken("a record has no name", at: path) }
    let recordID = CKRecord.ID(recordName: name, zoneID: zoneID)
    switch text.utf8.first {
    case UInt8(ascii: "+"): return .saveRecord(recordID)
    case UInt8(ascii: "-"): return .deleteRecord(recordID)
    case _: throw broken("a change begins with neither + nor -: \(text)", at: path)
    }
  }

  private static func change(
    _ change: ZoneChange, _ path: [any CodingKey]
  ) throws -> CKSyncEngine.PendingDatabaseChange {
    let zoneID = try change.zone.zoneID(path)
    if change.isDeletion { return .deleteZone(zoneID) }
    let zone = CKRecordZone(zoneID: zoneID)
    if let scope = change.encryptionScope.flatMap(CKRecordZone.EncryptionScope.init) {
      zone.encryptionScope = scope
    }
    return .saveZone(zone)
  }
}
