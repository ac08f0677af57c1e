public import StratusDomain

extension StoreTables {
  /// Returns the epoch by which the registry identifies a store, or nil if the table `store` is
  /// empty.
  ///
  /// - Throws: `INTERNAL_ERROR` if the store cannot be read or has no tables.
  public static func identity(on connection: any SQLConnection) throws(ServerError) -> Int64? {
    try connection.first(readIdentity, []) { $0.integer(0) }
  }

  private static let readIdentity = SQLStatement("SELECT epoch FROM store")
}
