public import StratusDomain
public import StratusWire

extension StoreSession {
  public func userKey(of user: String) throws(ServerError) -> [UInt8]? {
    try connection.first(KeyStatements.findUserKey, [.text(user)]) { $0.bytes(0) }
  }

  public func setUserKey(_ key: [UInt8], of user: String) throws(ServerError) {
    try connection.queue(KeyStatements.setUserKey, [.text(user), .bytes(key)])
  }

  public func zoneKeys(of zone: StoredZone) throws(ServerError) -> [WrappedZoneKey] {
    guard let number = try number(of: zone.database) else { return [] }
    let values: [SQLValue] = [.integer(number), .integer(zone.id)]
    return try connection.all(KeyStatements.zoneKeys, values) { row in
      var key = WrappedZoneKey(
        keyID: row.bytes(0), recipient: row.bytes(1), wrapped: row.bytes(2),
        rootRecordName: row.text(4).isEmpty ? nil : row.text(4))
      key.isRetired = row.integer(3) != 0
      return key
    }
  }

  public func zonesWithKeys(
    in database: DatabaseKey, limit: Int
  ) throws(ServerError) -> [StoredZone] {
    guard limit > 0, let number = try number(of: database) else { return [] }
    let values: [SQLValue] = [.integer(number), .integer(Int64(limit))]
    let ids = try connection.all(KeyStatements.zonesWithKeys, values) { $0.integer(0) }
    var zones: [StoredZone] = []
    for id in ids {
      guard let zone = try zone(id: id, in: database) else {
        throw .fault("a zone that does not exist has keys")
      }
      zones.append(zone)
    }
    return zones
  }

  public func deletionReason(
    ofZoneNamed name: String, in database: DatabaseKey
  ) throws(ServerError) -> ZoneDeletionReason? {
    guard let number = try number(of: database) else { return nil }
    let values: [SQLValue] = [.integer(number), .text(name)]
    return try connection.first(KeyStatements.deletionReason, values) {
      ZoneDeletionReason(number: $0.integer(0))
    }
  }

  public func add(_ key: WrappedZoneKey, to zone: StoredZone) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    try connection.queue(
      KeyStatements.addZoneKey,
      [
        .integer(number), .integer(zone.id), .bytes(key.keyID), .bytes(key.recipient),
        .bytes(key.wrapped), .flag(key.isRetired), .text(key.rootRecordName ?? ""),
      ])
  }

  public func removeZoneKeys(of zone: StoredZone) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    try connection.queue(KeyStatements.removeZoneKeys, [.integer(number), .integer(zone.id)])
  }

  public func removeZoneKeys(
    for recipient: [UInt8], of zone: StoredZone
  ) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    try connection.queue(
      KeyStatements.removeZoneKeysOfRecipient,
      [.integer(number), .integer(zone.id), .bytes(recipient)])
  }

  public func retireZoneKeys(of zone: StoredZone, root: String?) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    try connection.queue(
      KeyStatements.retireZoneKeys, [.integer(number), .integer(zone.id), .text(root ?? "")])
  }
}

private enum KeyStatements {
  static let findUserKey = SQLStatement("SELECT public_key FROM user_keys WHERE owner = ?")
  static let setUserKey = SQLStatement(
    """
    INSERT INTO user_keys (owner, public_key) VALUES (?, ?)
    ON CONFLICT (owner) DO UPDATE SET public_key = excluded.public_key
    """)
  static let zoneKeys = SQLStatement(
    """
    SELECT key_id, recipient, wrapped, retired, root FROM zone_keys
    WHERE database = ? AND zone = ? ORDER BY key_id, recipient
    """)
  static let zonesWithKeys = SQLStatement(
    "SELECT DISTINCT zone FROM zone_keys WHERE database = ? ORDER BY zone LIMIT ?")
  static let deletionReason = SQLStatement(
    """
    SELECT listings.deletion_reason FROM zones
      JOIN listings ON listings.database = zones.database AND listings.zone = zones.zone
    WHERE zones.database = ? AND zones.name = ? AND zones.deleted <> 0
    """)
  static let addZoneKey = SQLStatement(
    """
    INSERT INTO zone_keys (database, zone, key_id, recipient, wrapped, retired, root)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """)
  static let removeZoneKeys = SQLStatement(
    "DELETE FROM zone_keys WHERE database = ? AND zone = ?")
  static let removeZoneKeysOfRecipient = SQLStatement(
    "DELETE FROM zone_keys WHERE database = ? AND zone = ? AND recipient = ?")
  static let retireZoneKeys = SQLStatement(
    "UPDATE zone_keys SET retired = 1 WHERE database = ? AND zone = ? AND root = ?")
}

extension ZoneDeletionReason {
  /// Decodes the reason from its number in the tables.
  init(number: Int64) {
    self =
      switch number {
      case 1: .encryptedDataReset
      case 2: .purged
      default: .deleted
      }
  }

  var number: Int64 {
    switch self {
    case .deleted: 0
    case .encryptedDataReset: 1
    case .purged: 2
    }
  }
}

extension EncryptionScope {
  /// Decodes the scope from its number in the tables.
  init(number: Int64) { self = number == 1 ? .perZone : .perRecord }

  var number: Int64 {
    switch self {
    case .perRecord: 0
    case .perZone: 1
    }
  }
}
