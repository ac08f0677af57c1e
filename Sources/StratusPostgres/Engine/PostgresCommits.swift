#if Postgres
  import StratusDomain
  import StratusSQL

  /// The numbers by which a node finds out whether a commit succeeded if the answer to it was lost.
  ///
  /// Each connection that writes has a row in `writers`. Every transaction that writes also writes
  /// the number of its commit to this row. After the connection was lost, the node removes the row,
  /// which returns the number of the last commit. If the old transaction is still running, the
  /// removal waits for it. If the old transaction begins to write its number later, it finds no row
  /// and fails. So the answer is final, even if the node's new connection leads to another server.
  struct PostgresCommits: Sendable {
    /// The statement that stores the number of a commit. Its values are the number and the
    /// connection.
    let statement: SQLStatement
    private let add: SQLStatement
    private let remove: SQLStatement
    private let node: String
    private let schema: String

    /// The error of a transaction whose connection has no row in `writers` any more.
    static let shutOut = "another node has shut out this connection"

    /// - Parameters:
    ///   - node: the name of the node.
    ///   - schema: the schema of the table `writers`.
    init(node: String, schema: String) {
      self.node = node
      self.schema = schema
      statement = SQLStatement("UPDATE \"\(schema)\".writers SET commits = ? WHERE writer = ?")
      // NB: another node may be removing the row in `nodes`. The row lock makes one of the two
      // statements wait, so that no row of `writers` remains.
      add = SQLStatement(
        """
        INSERT INTO "\(schema)".writers (node, commits)
        SELECT node, 0 FROM "\(schema)".nodes WHERE node = ? FOR KEY SHARE RETURNING writer
        """)
      remove = SQLStatement(
        "DELETE FROM \"\(schema)\".writers WHERE writer = ? RETURNING commits")
    }

    /// Adds the row of a new connection.
    ///
    /// - Throws: `TRY_AGAIN_LATER` if the table `nodes` does not contain the node. Another node has
    ///   then removed the row, and may have upgraded tables that this node cannot use any more.
    func register(_ connection: PostgresConnection) throws(ServerError) {
      let writer = try connection.runApart(in: schema) {
        (connection) throws(ServerError) in
        try connection.first(add, [.text(node)]) { $0.integer(0) }
      }
      guard let writer else { throw PostgresFailure.notEntered }
      connection.writer = writer
      connection.commits = 0
    }

    /// Whether a commit of a lost connection succeeded.
    ///
    /// - Returns: nil if this cannot be found out now, or if another node has removed the
    ///   connection's row.
    func hasCommitted(_ commit: Int64, of writer: Int64, on connector: PostgresConnector) -> Bool? {
      guard writer != 0 else { return nil }
      for _ in 0..<PostgresLimits.connectionsPerOutcomeMax {
        do throws(ServerError) {
          let newest = try connector.open().runApart(in: schema) {
            (connection) throws(ServerError) in
            try connection.first(remove, [.integer(writer)]) { $0.integer(0) }
          }
          // If the row is missing, another node has removed it because this node seemed to be dead.
          return newest.map { $0 >= commit }
        } catch {
          continue
        }
      }
      return nil
    }
  }
#endif
