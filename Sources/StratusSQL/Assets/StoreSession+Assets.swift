public import StratusDomain
import StratusWire

extension StoreSession {
  public func asset(checksum: [UInt8]) throws(ServerError) -> StoredAsset? {
    try connection.first(AssetStatements.find, [.bytes(checksum)], StoredAsset.init(row:))
  }

  public func unheldAssets(
    touchedBefore time: Int64, limit: Int
  ) throws(ServerError) -> [StoredAsset] {
    guard limit > 0 else { return [] }
    return try connection.all(
      AssetStatements.unheld, [.integer(time), .integer(Int64(limit))], StoredAsset.init(row:))
  }

  public func unheldBytes() throws(ServerError) -> [String: Int64] {
    var bytes: [String: Int64] = [:]
    try connection.run(AssetStatements.unheldSizes, [.integer(.min)]) {
      (row) throws(ServerError) in
      bytes[row.isNull(1) ? "" : row.text(1), default: 0] += row.integer(0)
      return true
    }
    return bytes
  }

  public func noteUploader(
    _ user: String, ofAsset checksum: [UInt8]
  ) throws(ServerError) {
    try connection.execute(AssetStatements.noteUploader, [.bytes(checksum), .text(user)])
  }

  public func registered(files: [String]) throws(ServerError) -> Set<String> {
    var result: Set<String> = []
    try connection.findSeveral(AssetStatements.registered, [], files) { row in
      result.insert(row.text(0))
    }
    return result
  }

  public func register(_ asset: StoredAsset) throws(ServerError) -> StoredAsset {
    try connection.queue(
      AssetStatements.register,
      [
        .bytes(asset.checksum), .text(asset.file), .integer(asset.size),
        .integer(asset.touched), .bytes(asset.checksum),
      ])
    guard let kept = try self.asset(checksum: asset.checksum) else {
      throw .fault("an asset that was just registered is missing")
    }
    return kept
  }

  public func replace(file: String, by asset: StoredAsset) throws(ServerError) -> Bool {
    let changed = try connection.execute(
      AssetStatements.replace, [.text(asset.file), .bytes(asset.checksum), .text(file)])
    return changed == 1
  }

  public func unregister(
    _ asset: StoredAsset, touchedBefore time: Int64
  ) throws(ServerError) -> Bool {
    let removed = try connection.execute(
      AssetStatements.unregister,
      [
        .bytes(asset.checksum), .text(asset.file), .integer(time), .bytes(asset.checksum),
      ])
    if removed == 1 {
      try connection.execute(AssetStatements.forgetUploader, [.bytes(asset.checksum)])
    }
    return removed == 1
  }
}

extension StoredAsset {
  fileprivate init(row: any SQLRow) {
    self.init(
      checksum: row.bytes(0), file: row.text(1), size: row.integer(2), touched: row.integer(3))
  }
}

private enum AssetStatements {
  private static let select = "SELECT checksum, file, size, touched FROM assets"

  static let find = SQLStatement(select + " WHERE checksum = ?")
  /// NB: the column `held` repeats the contents of the table `asset_holds`. Because of this column,
  /// the query can use the index `assets_unheld`, and reads only the rows that it returns. The
  /// table `asset_holds` decides whether a file may be removed.
  static let unheld = SQLStatement(
    select + " WHERE held = 0 AND touched < ? ORDER BY touched LIMIT ?")
  /// NB: by the index `assets_unheld`, this statement reads only the files that no record uses.
  static let unheldSizes = SQLStatement(
    """
    SELECT size, uploader FROM assets
    LEFT JOIN asset_uploaders ON asset_uploaders.checksum = assets.checksum
    WHERE held = 0 AND touched > ?
    """)
  static let noteUploader = SQLStatement(
    """
    INSERT INTO asset_uploaders (checksum, uploader) VALUES (?, ?)
    ON CONFLICT (checksum) DO UPDATE SET uploader = excluded.uploader
    """)
  static let forgetUploader = SQLStatement("DELETE FROM asset_uploaders WHERE checksum = ?")
  static let registered = SQLStatement(
    "SELECT file FROM assets WHERE file IN (\(SQLStatement.severalNames))")
  /// The column `touched` never decreases, so that a recently used asset does not look old after
  /// the clock was set back.
  static let register = SQLStatement(
    """
    INSERT INTO assets (checksum, file, size, touched, held)
    VALUES (?, ?, ?, ?, CASE WHEN EXISTS (
      SELECT 1 FROM asset_holds WHERE asset_holds.checksum = ?) THEN 1 ELSE 0 END)
    ON CONFLICT (checksum) DO UPDATE SET touched =
      CASE WHEN excluded.touched > assets.touched THEN excluded.touched ELSE assets.touched END
    """)
  static let replace = SQLStatement(
    "UPDATE assets SET file = ? WHERE checksum = ? AND file = ?")
  static let unregister = SQLStatement(
    """
    DELETE FROM assets WHERE checksum = ? AND file = ? AND touched < ? AND NOT EXISTS (
      SELECT 1 FROM asset_holds WHERE asset_holds.checksum = ?)
    """)
}
