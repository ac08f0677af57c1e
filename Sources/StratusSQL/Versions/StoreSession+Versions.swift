public import StratusDomain
import StratusWire

extension StoreSession {
  /// Whether the store keeps the states that writes replace.
  ///
  /// A save reads the schema anyway, so a save needs no statement for this.
  func keepsVersions() throws(ServerError) -> Bool {
    try schema().settings.versionDays != nil
  }

  /// Stores the present states of the records that a change set replaces.
  ///
  /// NB: the time of a version never precedes that of an earlier change to the zone, even if the
  /// clock was set back. So the changes after a given time are exactly the changes after one change
  /// number.
  func keepVersions(replacedBy changes: ChangeSet, in database: Int64) throws(ServerError) {
    let key: [SQLValue] = [.integer(database), .integer(changes.zone.id)]
    let newest = try connection.first(RecordVersionStatements.newestTime, key) { $0.integer(0) }
    let written = changes.time ?? changes.records.map(\.modified.timestamp).max() ?? 0
    let time = max(written, newest ?? .min)
    let present = try presentRecords(named: changes.records.map(\.name), key)
    var holds = DerivedRows()
    var bytes: Int64 = 0
    for record in changes.records {
      let old = present[ExactName(record.name)] ?? Self.nothing(before: record)
      let files = try old.heldFiles()
      var size = Int64(old.name.utf8.count + (old.isDeleted ? 0 : old.fields.text.count))
      for file in files {
        holds.holds.insert(
          AssetHold(checksum: file.checksum, recordName: Self.holder(record.change)))
        let hold = AssetHold(checksum: file.checksum, recordName: record.name)
        if changes.rows.removed.holds.contains(hold) { size += file.size }
      }
      bytes += size
      let values = values(
        of: old, in: changes.zone.id, of: database, number: old.number)
      try connection.queue(
        RecordVersionStatements.insert,
        [
          .integer(record.change), .integer(time), .integer(size),
          .bytes(files.flatMap(\.checksum)),
        ] + values)
    }
    try add(holds, of: changes.zone.id, in: database)
    try connection.queue(
      RecordVersionStatements.count,
      [.integer(Int64(changes.records.count)), .integer(bytes), .integer(changes.zone.id)])
  }

  /// The name under which a version holds its files in `asset_holds`.
  ///
  /// NB: no record has such a name, because names have no control characters.
  private static func holder(_ replaced: Int64) -> String { "\u{1}\(replaced)" }

  /// Returns a tombstone. As a version, it says that there was no record before.
  private static func nothing(before record: StoredRecord) -> StoredRecord {
    StoredRecord(
      name: record.name, type: record.type, change: 0, isDeleted: true, created: record.created,
      modified: record.created, parentRecordName: nil, fields: .empty)
  }

  /// Reads live records and tombstones.
  private func presentRecords(
    named names: [String], _ key: [SQLValue]
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    var result: [ExactName: StoredRecord] = [:]
    var reader = RecordReader()
    try connection.findSeveral(RecordVersionStatements.present, key, names) { row in
      let record = reader.record(row)
      result[ExactName(record.name)] = record
    }
    return result
  }

  // Removal

  /// Removes at most `limit` versions of a zone.
  ///
  /// - Returns: the number of removed versions.
  func removeVersions(
    of zone: Int64, in database: Int64, limit: Int
  ) throws(ServerError) -> Int {
    let found = try connection.all(
      RecordVersionStatements.ofZone, [.integer(database), .integer(zone), .integer(Int64(limit))],
      StoredVersion.init(row:))
    try remove(found)
    return found.count
  }

  /// Removes versions and the holds of their files.
  private func remove(_ versions: [StoredVersion]) throws(ServerError) {
    var sums: [Int64: (count: Int64, bytes: Int64)] = [:]
    for version in versions {
      var holds = DerivedRows()
      for checksum in version.checksums {
        holds.holds.insert(
          AssetHold(checksum: checksum, recordName: Self.holder(version.replaced)))
      }
      try remove(holds, of: version.zone, in: version.database)
      try connection.queue(
        RecordVersionStatements.delete,
        [
          .integer(version.database), .integer(version.zone), .text(version.name),
          .integer(version.replaced),
        ])
      sums[version.zone, default: (0, 0)].count += 1
      sums[version.zone, default: (0, 0)].bytes += version.size
    }
    for (zone, sum) in sums.sorted(by: { $0.key < $1.key }) {
      try connection.queue(
        RecordVersionStatements.count, [.integer(-sum.count), .integer(-sum.bytes), .integer(zone)])
    }
  }

  public func trimVersions(
    _ bounds: VersionBounds, limit: Int
  ) throws(ServerError) -> Bool {
    guard limit > 0 else { return false }
    var (count, bytes) = (bounds.excessCount, bounds.excessBytes)
    var since: Int64?
    let oldestKept = try connection.all(
      RecordVersionStatements.oldestKept, [.integer(.min), .integer(Int64(limit))]
    ) { row in
      (
        zone: row.integer(0), time: row.integer(1), bytes: row.integer(2),
        database: row.integer(3)
      )
    }
    var kept = oldestKept[...]
    var removed: [StoredVersion] = []
    let oldest = try connection.all(
      RecordVersionStatements.oldest, [.integer(.min), .integer(Int64(limit))],
      StoredVersion.init(row:))
    var releasedCount = 0
    func exceeds(_ time: Int64) -> Bool {
      guard let bound = bounds.time else { return true }
      return time < bound || count > 0 || bytes > 0
    }
    func release(before time: Int64) throws(ServerError) {
      while let zone = kept.first, zone.time <= time, exceeds(zone.time) {
        kept.removeFirst()
        try connection.queue(RecordVersionStatements.release, [.integer(zone.zone)])
        try connection.queue(
          RecordVersionStatements.forgetKept, [.integer(zone.database), .integer(zone.zone)])
        bytes -= zone.bytes
        since = max(since ?? .min, zone.time)
        releasedCount += 1
      }
    }
    for version in oldest {
      try release(before: version.time)
      if !exceeds(version.time) { break }
      removed.append(version)
      count -= 1
      bytes -= version.size
      since = max(since ?? .min, version.time)
    }
    if oldest.count < limit { try release(before: .max) }
    try remove(removed)
    if let since {
      try connection.queue(RecordVersionStatements.raise, [.integer(since), .integer(since)])
    }
    let hasMore = removed.count >= limit || releasedCount >= limit
    if bounds.time == nil, !hasMore { try connection.queue(RecordVersionStatements.endExtent, []) }
    return hasMore
  }

  // Extent

  public func beginVersions(at time: Int64) throws(ServerError) {
    try connection.queue(RecordVersionStatements.endExtent, [])
    try connection.queue(RecordVersionStatements.beginExtent, [.integer(time)])
  }

  public func versionExtent() throws(ServerError) -> VersionExtent? {
    guard let since = try connection.first(RecordVersionStatements.since, [], { $0.integer(0) })
    else {
      return nil
    }
    let sums = try connection.first(RecordVersionStatements.sums, []) {
      (count: $0.integer(0), bytes: $0.integer(1))
    }
    let kept = try connection.first(RecordVersionStatements.keptSums, []) {
      (count: $0.integer(0), bytes: $0.integer(1))
    }
    return VersionExtent(
      since: since, count: sums?.count ?? 0, bytes: (sums?.bytes ?? 0) + (kept?.bytes ?? 0),
      keptZones: kept?.count ?? 0)
  }

  public func keepRecords(
    ofDeleted zone: StoredZone, at time: Int64
  ) throws(ServerError) {
    let number = try requiredNumber(of: zone)
    // A zone that never had a record has nothing to keep.
    let kept = try connection.execute(RecordVersionStatements.keep, [.integer(zone.id)])
    guard kept == 1 else { return }
    try connection.queue(
      RecordVersionStatements.noteKept,
      [.integer(zone.id), .integer(number), .text(zone.name), .integer(time)])
  }

  public func releaseKeptZones(of database: DatabaseKey) throws(ServerError) {
    guard let number = try number(of: database) else { return }
    try connection.queue(RecordVersionStatements.releaseAll, [.integer(number)])
    try connection.queue(RecordVersionStatements.forgetAllKept, [.integer(number)])
  }
}

/// The key, the time, the size and the files of a version.
private struct StoredVersion {
  var database: Int64
  var zone: Int64
  var name: String
  var replaced: Int64
  var time: Int64
  var size: Int64
  var files: [UInt8]

  init(row: any SQLRow) {
    database = row.integer(0)
    zone = row.integer(1)
    name = row.text(2)
    replaced = row.integer(3)
    time = row.integer(4)
    size = row.integer(5)
    files = row.bytes(6)
  }

  private static let checksumCount = 32

  var checksums: [[UInt8]] {
    stride(from: 0, to: files.count, by: Self.checksumCount).map {
      Array(files[$0..<min($0 + Self.checksumCount, files.count)])
    }
  }
}

enum RecordVersionStatements {
  static let newestTime = SQLStatement(
    """
    SELECT replaced_at FROM record_versions WHERE database = ? AND zone = ?
    ORDER BY replaced_at DESC, replaced DESC LIMIT 1
    """)
  static let present = SQLStatement(
    """
    SELECT \(RecordColumns.list) FROM records
    WHERE database = ? AND zone = ? AND name IN (\(SQLStatement.severalNames))
    """)
  static let insert = SQLStatement(
    """
    INSERT INTO record_versions (
      replaced, replaced_at, size, files, database, zone, name, type, change, deleted, created_at,
      created_by, created_device, modified_at, modified_by, modified_device, parent, fields,
      assets, revision, record)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let count = SQLStatement(
    """
    UPDATE zones SET version_count = version_count + ?, version_bytes = version_bytes + ?
    WHERE zone = ?
    """)
  private static let keys =
    "SELECT database, zone, name, replaced, replaced_at, size, files FROM record_versions"
  static let ofZone = SQLStatement(
    keys + " WHERE database = ? AND zone = ? ORDER BY name, replaced LIMIT ?")
  static let oldest = SQLStatement(
    keys + " WHERE replaced_at > ? ORDER BY replaced_at LIMIT ?")
  static let delete = SQLStatement(
    """
    DELETE FROM record_versions WHERE database = ? AND zone = ? AND name = ? AND replaced = ?
    """)
  static let oldestKept = SQLStatement(
    """
    SELECT kept_zones.zone, kept_zones.deleted_at, zones.used_bytes, kept_zones.database
    FROM kept_zones JOIN zones ON zones.zone = kept_zones.zone
    WHERE kept_zones.deleted_at > ? ORDER BY kept_zones.deleted_at LIMIT ?
    """)
  static let release = SQLStatement("UPDATE zones SET deleted = 1 WHERE zone = ? AND deleted = 3")
  static let forgetKept = SQLStatement(
    "DELETE FROM kept_zones WHERE database = ? AND zone = ?")
  static let releaseAll = SQLStatement(
    "UPDATE zones SET deleted = 1 WHERE database = ? AND deleted <> 0 AND deleted = 3")
  static let forgetAllKept = SQLStatement("DELETE FROM kept_zones WHERE database = ?")
  static let raise = SQLStatement("UPDATE version_extent SET since = ? WHERE since < ?")
  static let beginExtent = SQLStatement("INSERT INTO version_extent (since) VALUES (?)")
  static let endExtent = SQLStatement("DELETE FROM version_extent")
  static let since = SQLStatement("SELECT since FROM version_extent")
  static let sums = SQLStatement(
    """
    SELECT CAST(COALESCE(SUM(version_count), 0) AS BIGINT),
      CAST(COALESCE(SUM(version_bytes), 0) AS BIGINT) FROM zones
    """)
  static let keptSums = SQLStatement(
    """
    SELECT COUNT(*), CAST(COALESCE(SUM(zones.used_bytes), 0) AS BIGINT)
    FROM kept_zones JOIN zones ON zones.zone = kept_zones.zone
    """)
  static let keep = SQLStatement("UPDATE zones SET deleted = 3 WHERE zone = ? AND deleted = 1")
  static let noteKept = SQLStatement(
    "INSERT INTO kept_zones (zone, database, name, deleted_at) VALUES (?, ?, ?, ?)")
}
