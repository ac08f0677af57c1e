public import StratusDomain
import StratusWire

extension StoreSession {
  public func zonesWithVersions(
    after place: ZoneAddress?, in database: DatabaseKey?, limit: Int
  ) throws(ServerError) -> [ZoneAddress] {
    guard limit > 0 else { return [] }
    var from: (database: Int64, name: String) = (.min, "")
    var only: Int64?
    if let database {
      guard let number = try number(of: database) else { return [] }
      only = number
      from = (number, "")
    }
    if let place {
      guard let number = try number(of: place.database) else { return [] }
      from = (number, place.name)
    }
    let values: [SQLValue] = [
      .integer(from.database), .text(from.name), .integer(Int64(limit)),
    ]
    var found: [FoundZone] = []
    for statement in [PastStatements.liveZones, PastStatements.keptZones] {
      found += try connection.all(statement, values, FoundZone.init(row:))
    }
    found.sort { $0.lies(before: $1) }
    var result: [ZoneAddress] = []
    var last: FoundZone?
    for zone in found where only == nil || zone.number == only {
      if let last, !last.lies(before: zone) { continue }
      last = zone
      let key = try Self.database(scope: zone.scope, owner: zone.owner)
      result.append(ZoneAddress(database: key, name: zone.name))
      if result.count >= limit { break }
    }
    return result
  }

  public func pastZone(
    at address: ZoneAddress, time: Int64
  ) throws(ServerError) -> PastZone? {
    guard let number = try number(of: address.database) else { return nil }
    let kept = try connection.first(
      PastStatements.keptZone, [.integer(number), .text(address.name), .integer(time)]
    ) {
      StoredZone(
        id: $0.integer(0), database: address.database, name: address.name,
        change: $0.integer(1), clientChangeToken: nil,
        encryptionScope: EncryptionScope(number: $0.integer(2)), incarnation: $0.integer(3))
    }
    let live = try kept == nil ? zone(named: address.name, in: address.database) : nil
    guard let zone = kept ?? live else { return nil }
    let first = try connection.first(
      PastStatements.firstUndone, [.integer(number), .integer(zone.id), .integer(time)]
    ) { $0.integer(0) }
    return PastZone(zone: zone, firstUndone: first, isDeleted: kept != nil)
  }

  public func pastNames(
    in past: PastZone, present: StoredZone?, after name: String?, limit: Int
  ) throws(ServerError) -> [String] {
    guard limit > 0, let number = try number(of: past.zone.database) else { return [] }
    let after = SQLValue.text(name ?? "")
    let rows = SQLValue.integer(Int64(limit))
    var names: Set<ExactName> = []
    if let first = past.firstUndone {
      names.formUnion(
        try connection.all(
          PastStatements.versionNames,
          [.integer(number), .integer(past.zone.id), after, .integer(first), rows]
        ) { ExactName($0.text(0)) })
    }
    // If the past zone was deleted, any of its records may differ from the records of the present
    // zone with the same name. So all records of both zones are included.
    if past.isDeleted {
      for zone in [past.zone.id, present?.id].compactMap({ $0 }) {
        names.formUnion(
          try connection.all(
            PastStatements.liveNames, [.integer(number), .integer(zone), after, rows]
          ) { ExactName($0.text(0)) })
      }
    }
    let sorted = names.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return Array(sorted.prefix(limit))
  }

  public func pastRecord(
    named name: String, in past: PastZone
  ) throws(ServerError) -> StoredRecord? {
    guard let number = try number(of: past.zone.database) else { return nil }
    let key: [SQLValue] = [.integer(number), .integer(past.zone.id), .text(name)]
    func read(
      _ statement: SQLStatement, _ values: [SQLValue]
    ) throws(ServerError) -> StoredRecord? {
      try connection.first(statement, values) { row in
        var reader = RecordReader()
        return reader.record(row)
      }
    }
    var record: StoredRecord?
    if let first = past.firstUndone {
      record = try read(PastStatements.version, key + [.integer(first)])
    }
    if record == nil { record = try read(PastStatements.record, key) }
    return record.flatMap { $0.isDeleted ? nil : $0 }
  }
}

private struct FoundZone {
  let number: Int64
  let name: String
  let scope: Int64
  let owner: String

  init(row: any SQLRow) {
    number = row.integer(0)
    name = row.text(1)
    scope = row.integer(2)
    owner = row.text(3)
  }

  func lies(before other: FoundZone) -> Bool {
    if number != other.number { return number < other.number }
    return name.utf8.lexicographicallyPrecedes(other.name.utf8)
  }
}

private enum PastStatements {
  static let liveZones = SQLStatement(
    """
    SELECT zones.database, zones.name, databases.scope, databases.owner
    FROM zones JOIN databases ON databases.database = zones.database
    WHERE zones.deleted = 0 AND (zones.database, zones.name) > (?, ?)
    ORDER BY zones.database, zones.name LIMIT ?
    """)
  static let keptZones = SQLStatement(
    """
    SELECT kept_zones.database, kept_zones.name, databases.scope, databases.owner
    FROM kept_zones JOIN databases ON databases.database = kept_zones.database
    WHERE (kept_zones.database, kept_zones.name) > (?, ?)
    ORDER BY kept_zones.database, kept_zones.name LIMIT ?
    """)
  static let keptZone = SQLStatement(
    """
    SELECT kept_zones.zone, zones.change, zones.encryption_scope, \(ZoneStatements.incarnation)
    FROM kept_zones JOIN zones ON zones.zone = kept_zones.zone
    WHERE kept_zones.database = ? AND kept_zones.name = ? AND kept_zones.deleted_at > ?
    ORDER BY kept_zones.zone LIMIT 1
    """)
  static let firstUndone = SQLStatement(
    """
    SELECT replaced FROM record_versions WHERE database = ? AND zone = ? AND replaced_at > ?
    ORDER BY replaced_at, replaced LIMIT 1
    """)
  static let versionNames = SQLStatement(
    """
    SELECT DISTINCT name FROM record_versions
    WHERE database = ? AND zone = ? AND name > ? AND replaced >= ? ORDER BY name LIMIT ?
    """)
  static let liveNames = SQLStatement(
    """
    SELECT name FROM records WHERE database = ? AND zone = ? AND name > ? AND deleted = 0
    ORDER BY name LIMIT ?
    """)
  static let version = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM record_versions
    WHERE database = ? AND zone = ? AND name = ? AND replaced >= ? ORDER BY replaced LIMIT 1
    """)
  static let record = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM records WHERE database = ? AND zone = ? AND name = ?
    """)
}
