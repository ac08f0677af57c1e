public import StratusDomain
import StratusWire

extension StoreSession {
  public func records(
    named names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    guard !names.isEmpty, let number = try number(of: zone.database) else { return [:] }
    var result: [ExactName: StoredRecord] = [:]
    var reader = RecordReader()
    let key: [SQLValue] = [.integer(number), .integer(zone.id)]
    if names.count == 1 {
      try connection.run(RecordStatements.find, key + [.text(names[0])]) {
        (row) throws(ServerError) in
        let record = reader.record(row)
        result[ExactName(record.name)] = record
        return false
      }
      return result
    }
    try connection.findSeveral(RecordStatements.findSeveral, key, names) { row in
      let record = reader.record(row)
      result[ExactName(record.name)] = record
    }
    return result
  }

  public func apply(_ changes: ChangeSet) throws(ServerError) {
    let zone = changes.zone
    if changes.records.isEmpty {
      guard let token = changes.clientChangeToken else { return }
      try requireOne(
        try connection.execute(
          RecordStatements.setToken, [.text(token), .integer(zone.id)]))
      return
    }
    let number = try requiredNumber(of: zone)
    for record in changes.records {
      try connection.execute(
        RecordStatements.upsert, values(of: record, in: zone.id, of: number))
    }
    if let watched = changes.watched { try add(watched) }
    try remove(changes.rows.removed, of: zone.id, in: number)
    try add(changes.rows.added, of: zone.id, in: number)
    let token = SQLValue.optional(changes.clientChangeToken)
    let newest = SQLValue.integer(changes.newestChange)
    if zone.isDefault {
      try requireOne(
        try connection.execute(
          RecordStatements.advance, [newest, token, .integer(zone.id), .integer(zone.change)]))
    } else {
      let listed = SQLValue.integer(try nextZoneChange(in: number))
      try requireOne(
        try connection.execute(
          RecordStatements.advanceListed,
          [newest, token, listed, .integer(zone.id), .integer(zone.change)]))
    }
  }

  private func requireOne(_ changed: Int) throws(ServerError) {
    if changed == 1 { return }
    throw .fault("a change set does not follow on from its zone's newest change")
  }

  /// The values of ``RecordColumns``, behind the record's place.
  func values(
    of record: StoredRecord, in zone: Int64, of database: Int64
  ) -> [SQLValue] {
    [
      .integer(database), .integer(zone), .text(record.name), .text(record.type),
      .integer(record.change), .flag(record.isDeleted),
      .integer(record.created.timestamp), .text(record.created.userRecordName),
      .text(record.created.deviceID),
      .integer(record.modified.timestamp), .text(record.modified.userRecordName),
      .text(record.modified.deviceID),
      record.isDeleted ? .null : .optional(record.parentRecordName),
      .bytes(record.isDeleted ? [] : record.fields.text),
      .flag(!record.isDeleted && record.hasAssets),
    ]
  }
}

private enum RecordStatements {
  static let find = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM records
    WHERE database = ? AND zone = ? AND name = ? AND deleted = 0
    """)
  static let findSeveral = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM records
    WHERE database = ? AND zone = ? AND deleted = 0
      AND name IN (\(SQLStatement.severalNames))
    """)
  static let upsert = SQLStatement(
    """
    INSERT INTO records (
      database, zone, name, type, change, deleted, created_at, created_by, created_device,
      modified_at, modified_by, modified_device, parent, fields, assets)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (database, zone, name) DO UPDATE SET
      type = excluded.type, change = excluded.change, deleted = excluded.deleted,
      created_at = excluded.created_at, created_by = excluded.created_by,
      created_device = excluded.created_device, modified_at = excluded.modified_at,
      modified_by = excluded.modified_by, modified_device = excluded.modified_device,
      parent = excluded.parent, fields = excluded.fields, assets = excluded.assets
    """)
  static let setToken = SQLStatement(
    "UPDATE zones SET client_token = ? WHERE zone = ? AND deleted = 0")
  /// NB: the number the set was decided on stands in the condition, so that a set built on another
  /// state of the zone is refused instead of giving change numbers twice.
  static let advance = SQLStatement(
    """
    UPDATE zones SET change = ?, client_token = COALESCE(?, client_token)
    WHERE zone = ? AND change = ? AND deleted = 0
    """)
  static let advanceListed = SQLStatement(
    """
    UPDATE zones SET change = ?, client_token = COALESCE(?, client_token), listed = ?
    WHERE zone = ? AND change = ? AND deleted = 0
    """)
}
