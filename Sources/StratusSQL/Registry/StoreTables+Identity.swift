public import StratusDomain

extension StoreTables {
  /// The epoch by which the server's own file knows a store.
  ///
  /// - Returns: nil: the tables are there, and nothing in them.
  /// - Throws: `INTERNAL_ERROR` if there are no tables.
  public static func identity(on connection: any SQLConnection) throws(ServerError) -> Int64? {
    try connection.first(readIdentity, []) { $0.integer(0) }
  }

  private static let readIdentity = SQLStatement("SELECT epoch FROM store")
}
