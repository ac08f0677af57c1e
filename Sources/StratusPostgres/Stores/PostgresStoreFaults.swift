#if Postgres
  import StratusDomain
  import StratusSQL
  import StratusWire

  /// The stores whose tables are damaged: the rows of the table `store_faults`. All nodes refuse
  /// requests to these stores, and work with the others.
  ///
  /// The statements expect the schema of the installation.
  enum PostgresStoreFaults {
    /// Whether an error means that the tables of a store are not as a node has left them. Other
    /// errors, such as a lost connection, concern all stores.
    static func isDamage(_ error: ServerError) -> Bool {
      // NB: a missing privilege is a mistake in the settings of PostgreSQL.
      if error.facts["postgres"]?.hasPrefix("42501") == true { return false }
      return error.code == .internalError || error.facts["fault"] == PostgresFailure.missingSchema
    }

    /// Notes that a store is damaged, unless another node has removed the store.
    static func note(
      _ error: ServerError, of number: Int64, on connection: any SQLConnection
    ) throws(ServerError) {
      let reason = error.facts["postgres"] ?? error.facts["fault"] ?? error.reason
      try connection.execute(
        FaultStatements.note, [.text(String(reason.prefix(reasonLengthMax))), .integer(number)])
    }

    /// The length of a reason, in characters. Choice: a message of PostgreSQL may contain values.
    private static let reasonLengthMax = 300

    /// Returns why a store is damaged, or nil if it is not.
    static func reason(
      of number: Int64, on connection: any SQLConnection
    ) throws(ServerError) -> String? {
      try connection.first(FaultStatements.find, [.integer(number)]) { $0.text(0) }
    }

    /// Returns the numbers of the damaged stores.
    static func numbers(on connection: any SQLConnection) throws(ServerError) -> Set<Int64> {
      Set(try connection.all(FaultStatements.list, []) { $0.integer(0) })
    }

    /// Notes that a store can be used again, or was removed.
    static func remove(_ number: Int64, on connection: any SQLConnection) throws(ServerError) {
      try connection.execute(FaultStatements.remove, [.integer(number)])
    }
  }

  private enum FaultStatements {
    static let note = SQLStatement(
      """
      INSERT INTO store_faults (number, reason)
      SELECT number, ?::TEXT FROM store_schemas WHERE number = ?
      ON CONFLICT (number) DO UPDATE SET reason = excluded.reason
      """)
    static let find = SQLStatement("SELECT reason FROM store_faults WHERE number = ?")
    static let list = SQLStatement("SELECT number FROM store_faults")
    static let remove = SQLStatement("DELETE FROM store_faults WHERE number = ?")
  }
#endif
