import StratusDomain

extension StoreSession {
  /// Removes derived rows (index entries, links and uses of assets) of a zone's records. Missing
  /// rows are ignored.
  ///
  /// NB: collected entries are deleted before collected entries are inserted. The order is right,
  /// because the entries of one record are collected only once before they are sent.
  ///
  /// Rows are removed and added in the key order of their tables, so that adjacent rows are written
  /// together.
  func remove(
    _ rows: DerivedRows, of zone: Int64, in database: Int64
  ) throws(ServerError) {
    let entries = rows.entries.sorted(by: IndexEntry.lies(_:before:))
    if let saves = connection.saves {
      for entry in entries {
        if saves.isFull { try connection.sendSaves() }
        connection.writes += 1
        saves.deleteEntry(entry.values(of: zone, in: database, connection.dialect))
      }
    } else {
      try queue(
        entries[...], one: EntryStatements.delete, several: EntryStatements.deleteValues, of: zone,
        in: database)
    }
    for link in rows.links.sorted(by: RecordLink.lies(_:before:)) {
      try connection.queue(RowStatements.deleteLink, link.values(of: zone, in: database))
    }
    for hold in rows.holds.sorted(by: AssetHold.lies(_:before:)) {
      let removed = try connection.execute(
        RowStatements.deleteHold, hold.values(of: zone, in: database))
      if removed == 0 { continue }
      try connection.queue(
        RowStatements.release, [.bytes(hold.checksum), .bytes(hold.checksum)])
    }
  }

  /// Adds derived rows (index entries, links and uses of assets) of a zone's records. Existing rows
  /// are ignored.
  func add(_ rows: DerivedRows, of zone: Int64, in database: Int64) throws(ServerError) {
    if let saves = connection.saves {
      for entry in rows.entries.sorted(by: IndexEntry.lies(_:before:)) {
        if saves.isFull { try connection.sendSaves() }
        connection.writes += 1
        saves.insertEntry(entry.values(of: zone, in: database, connection.dialect))
      }
    } else {
      try add(rows.entries, of: zone, in: database)
    }
    for link in rows.links.sorted(by: RecordLink.lies(_:before:)) {
      try connection.queue(RowStatements.insertLink, link.values(of: zone, in: database))
    }
    for hold in rows.holds.sorted(by: AssetHold.lies(_:before:)) {
      try connection.queue(RowStatements.insertHold, hold.values(of: zone, in: database))
      try connection.queue(RowStatements.hold, [.bytes(hold.checksum)])
    }
  }
}

extension RecordLink {
  fileprivate static func lies(_ one: RecordLink, before other: RecordLink) -> Bool {
    if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
    if ExactName(one.target) != ExactName(other.target) {
      return one.target.utf8.lexicographicallyPrecedes(other.target.utf8)
    }
    return one.source.utf8.lexicographicallyPrecedes(other.source.utf8)
  }

  fileprivate func values(of zone: Int64, in database: Int64) -> [SQLValue] {
    [
      .integer(database), .integer(zone), .integer(kind.rawValue), .text(target), .text(source),
    ]
  }
}

extension AssetHold {
  fileprivate static func lies(_ one: AssetHold, before other: AssetHold) -> Bool {
    if one.checksum != other.checksum {
      return one.checksum.lexicographicallyPrecedes(other.checksum)
    }
    return one.recordName.utf8.lexicographicallyPrecedes(other.recordName.utf8)
  }

  fileprivate func values(of zone: Int64, in database: Int64) -> [SQLValue] {
    [.bytes(checksum), .integer(database), .integer(zone), .text(recordName)]
  }
}

private enum RowStatements {
  static let insertLink = SQLStatement(
    """
    INSERT INTO links (database, zone, kind, target, name) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (database, zone, kind, target, name) DO NOTHING
    """)
  static let deleteLink = SQLStatement(
    """
    DELETE FROM links
    WHERE database = ? AND zone = ? AND kind = ? AND target = ? AND name = ?
    """)
  static let insertHold = SQLStatement(
    """
    INSERT INTO asset_holds (checksum, database, zone, name) VALUES (?, ?, ?, ?)
    ON CONFLICT (checksum, database, zone, name) DO NOTHING
    """)
  static let deleteHold = SQLStatement(
    """
    DELETE FROM asset_holds WHERE checksum = ? AND database = ? AND zone = ? AND name = ?
    """)
  static let hold = SQLStatement(
    "UPDATE assets SET held = 1 WHERE checksum = ? AND held = 0")
  static let release = SQLStatement(
    """
    UPDATE assets SET held = 0 WHERE checksum = ? AND NOT EXISTS (
      SELECT 1 FROM asset_holds WHERE asset_holds.checksum = ?)
    """)
}
