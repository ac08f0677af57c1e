#if Postgres
  import StratusDomain
  import StratusSQL
  import Synchronization

  extension PostgresUpgrades {
    /// The place at which an upgrade continues.
    struct Part: Sendable {
      var schema: String
      var state: LayoutState
      /// The layout to which the upgrade leads.
      var target: Int64

      /// The state after the present step.
      var next: LayoutState {
        LayoutState(layout: state.layout, target: target, step: state.step + 1)
      }
    }

    /// The time for which a transaction of an upgrade waits for a lock, in milliseconds. Choice: an
    /// `ALTER TABLE` that waits makes all later statements on its table wait, too.
    private static let lockMillisecondsMax = 300

    /// Runs a step, or one batch of a fill.
    func run(_ step: UpgradeStep, _ part: Part) async throws(ServerError) {
      switch step {
      case .define(let text):
        try await write(part) { [states] (connection) throws(ServerError) in
          try Self.note(part.next, after: part, states, on: connection)
          try connection.define(text)
        }
      case .index(let name, let isUnique, let on):
        let text = "CREATE \(isUnique ? "UNIQUE " : "")INDEX CONCURRENTLY \"\(name)\" ON \(on)"
        try await makeIndex(name, text: text, in: part.schema)
        try await write(part) { [states] (connection) throws(ServerError) in
          try Self.note(part.next, after: part, states, on: connection)
        }
      case .fill(let fill):
        try await write(part) { [states] (connection) throws(ServerError) in
          let position = try states.position(of: part.schema, on: connection)
          let last = try fill(connection, position)
          try states.setPosition(last, of: part.schema, on: connection)
          if last == nil { try Self.note(part.next, after: part, states, on: connection) }
        }
      }
    }

    /// Notes that the upgrade is complete.
    func finish(_ part: Part) async throws(ServerError) {
      try await write(part) { [states] (connection) throws(ServerError) in
        try Self.note(LayoutState(layout: part.target), after: part, states, on: connection)
      }
    }

    private static func note(
      _ state: LayoutState, after part: Part, _ states: LayoutStates,
      on connection: any SQLConnection
    ) throws(ServerError) {
      guard try states.replace(part.state, by: state, of: part.schema, on: connection) else {
        throw .fault("the state of an upgrade has changed", facts: ["schema": part.schema])
      }
    }

    /// Runs a body in one transaction, unless another node has continued the upgrade.
    private func write(
      _ part: Part,
      _ body: @escaping @Sendable (any SQLConnection) throws(ServerError) -> Void
    ) async throws(ServerError) {
      let engine = PostgresEngine<PostgresSession>(schema: part.schema, pools: pools)
      try await engine.write { [states, interrupt] (session) throws(ServerError) in
        let connection = session.connection
        try connection.define("SET LOCAL lock_timeout = '\(Self.lockMillisecondsMax)ms';")
        guard try states.state(of: part.schema, on: connection) == part.state else { return }
        try body(connection)
        try interrupt(part.state.step)
      }
    }

    /// Creates an index, or does nothing if a valid index of this name exists.
    ///
    /// PostgreSQL creates the index outside of transactions. An interrupted attempt leaves an index
    /// that is not valid.
    private func makeIndex(
      _ name: String, text: String, in schema: String
    ) async throws(ServerError) {
      let lock = Self.lock(of: states.installation)
      try await PostgresAutocommit(pool: own, schema: schema).run {
        [self] (session) throws(ServerError) in
        let connection = session.connection
        // NB: if the connection was replaced since the last step, another node may have the lock.
        guard try Self.hasLock(lock, on: connection) else { throw PostgresFailure.busy() }
        let values: [SQLValue] = [.text(schema), .text(name)]
        let isValid = try connection.first(IndexStatements.isValid, values) { $0.integer(0) != 0 }
        if isValid == true { return }
        let number = try connection.first(IndexStatements.process, []) { $0.integer(0) }
        process.withLock { $0 = number }
        defer { process.withLock { $0 = nil } }
        if mustStop { throw PostgresFailure.closed }
        if isValid == false { try connection.define("DROP INDEX CONCURRENTLY \"\(name)\"") }
        if mustStop { throw PostgresFailure.closed }
        try connection.define(text)
      }
    }
  }

  private enum IndexStatements {
    static let isValid = SQLStatement(
      """
      SELECT indisvalid FROM pg_index
      JOIN pg_class AS indexes ON indexes.oid = indexrelid
      JOIN pg_namespace AS schemas ON schemas.oid = relnamespace
      WHERE nspname = ?::TEXT AND relname = ?::TEXT
      """)
    static let process = SQLStatement("SELECT pg_backend_pid()")
  }
#endif
