import StratusDomain

extension Sample {
  /// Returns an index entry, by default of index 1.
  static func entry(_ value: [UInt8], _ record: Int64, index: Int64 = 1) -> IndexEntry {
    IndexEntry(index: index, value: value, record: record)
  }

  static func link(
    _ source: String, to target: String, _ kind: LinkKind = .deleteSelf
  ) -> RecordLink {
    RecordLink(kind: kind, target: target, source: source)
  }

  /// Returns a checksum that begins with the given byte and is not valid UTF-8.
  static func checksum(_ byte: UInt8) -> [UInt8] {
    [byte, 0, 255] + [UInt8](repeating: byte, count: 29)
  }

  static func asset(_ byte: UInt8, touched: Int64 = 0) -> StoredAsset {
    StoredAsset(
      checksum: checksum(byte), file: "file \(byte)", size: Int64(byte) << 32, touched: touched)
  }

  /// Returns derived rows with the given entries, links and holds.
  static func rows(
    entries: [IndexEntry] = [], links: [RecordLink] = [], holds: [AssetHold] = []
  ) -> DerivedRows {
    var rows = DerivedRows()
    rows.entries = entries
    rows.links = Set(links)
    rows.holds = Set(holds)
    return rows
  }

  /// Returns the range of a whole index, by default of index 1.
  static func all(index: Int64 = 1, isReversed: Bool = false) -> EntryRange {
    EntryRange(index: index, lower: [], upper: nil, isReversed: isReversed)
  }
}

extension StoreWriting {
  /// Changes derived rows of a zone in a write that also saves an unrelated record.
  func change(
    in zone: String = "Notes", of database: DatabaseKey = Sample.ann,
    removing removed: DerivedRows = DerivedRows(), adding added: DerivedRows = DerivedRows()
  ) throws(ServerError) {
    let zone = try someZone(zone, in: database)
    var rows = RowChanges()
    rows.removed = removed
    rows.added = added
    let record = Sample.record("carrier", change: zone.change + 1)
    try apply(ChangeSet(zone: zone, records: [record], rows: rows))
  }

  /// Runs one step of a purge.
  ///
  /// - Returns: the number of removed records, or nil if there was nothing to purge.
  @discardableResult
  func purge(limit: Int, rows: DerivedRows = DerivedRows()) throws(ServerError) -> Int? {
    guard let batch = try recordsToPurge(limit: limit) else { return nil }
    try purge(batch, rows: rows)
    return batch.records.count
  }
}

extension Store {
  /// Calls ``StoreWriting/change(in:of:removing:adding:)`` in a separate transaction.
  func change(
    in zone: String = "Notes", of database: DatabaseKey = Sample.ann,
    removing removed: DerivedRows = DerivedRows(), adding added: DerivedRows = DerivedRows()
  ) async throws(ServerError) {
    try await write { (body) throws(ServerError) in
      try body.change(in: zone, of: database, removing: removed, adding: added)
    }
  }

  /// Returns the entries in a range of an index.
  func entries(
    in range: EntryRange, of database: DatabaseKey = Sample.ann, limit: Int = 10_000
  ) async throws(ServerError) -> [FoundEntry] {
    try await read { (body) throws(ServerError) in
      try body.entries(in: range, of: database, limit: limit)
    }
  }
}
