public import StratusDomain

/// Changes to a copy of a store before a server uses it.
extension StoreTables {
  /// Removes from a copied store the assets that no record uses. The original store removes their
  /// files after a while, and a copy must not name files that it does not have.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public static func forgetUnheldAssets(on connection: any SQLConnection) throws(ServerError) {
    try connection.execute(forgetUnheld, [])
  }

  /// Calls `body` for each asset, with the name, the size in bytes and the checksum of the asset's
  /// file.
  ///
  /// - Throws: `INTERNAL_ERROR`, and any error of `body`.
  public static func eachAssetFile(
    on connection: any SQLConnection,
    _ body: (_ file: String, _ size: Int64, _ checksum: [UInt8]) throws(ServerError) -> Void
  ) throws(ServerError) {
    try connection.run(files, []) { (row) throws(ServerError) in
      try body(row.text(0), row.integer(1), row.bytes(2))
      return true
    }
  }

  private static let forgetUnheld = SQLStatement(
    """
    DELETE FROM assets WHERE NOT EXISTS (
      SELECT 1 FROM asset_holds WHERE asset_holds.checksum = assets.checksum)
    """)
  private static let files = SQLStatement("SELECT file, size, checksum FROM assets ORDER BY file")
}
