#if Postgres
  import StratusDomain
  import StratusSQL

  /// Adds the row of a node to the table `nodes`, if the node can work beside the running nodes and
  /// on the present tables.
  struct PostgresEntry: Sendable {
    let node: String
    let version: String
    let states: LayoutStates

    /// Returns the reason why the node cannot work now, or nil if it can. It must be called in a
    /// transaction, before ``add(on:)``.
    ///
    /// The lock for the list of stores excludes a change of a layout at the same time. Therefore
    /// either this node finds the new layout, or the node that changes it finds this node's row.
    ///
    /// - Parameter isFirst: whether the node has not entered before. Such a node has no bodies that
    ///   wait, so it can refuse single stores. Otherwise one store that is too new shuts it out.
    /// - Throws: the errors of the connection.
    func refusal(
      on connection: any SQLConnection, isFirst: Bool
    ) throws(ServerError) -> ServerError? {
      let installation = states.installation
      _ = try connection.first(
        EntryStatements.lock, [.integer(PostgresLockNumber.stores(of: installation))]
      ) { _ in true }
      if let refusal = try comparisonWithOthers(on: connection) { return refusal }
      let faulty = Set(
        try PostgresStoreFaults.numbers(on: connection).map { "\(installation)_\($0)" })
      for (schema, state) in try states.all(on: connection) {
        // A damaged store could not be upgraded, and no node uses it.
        if faulty.contains(schema), state.layout < states.layouts.store.newest { continue }
        if let refusal = refusal(of: state, in: schema, isFirst: isFirst) { return refusal }
      }
      return nil
    }

    /// Adds the row of the node.
    func add(on connection: any SQLConnection) throws(ServerError) {
      let (store, registry) = (states.layouts.store, states.layouts.registry)
      try connection.execute(
        EntryStatements.add,
        [
          .text(node), .text(version), .integer(store.oldest), .integer(store.newest),
          .integer(registry.oldest), .integer(registry.newest),
        ])
    }

    /// Returns an error if the nodes have no layout in common.
    private func comparisonWithOthers(
      on connection: any SQLConnection
    ) throws(ServerError) -> ServerError? {
      let found = try connection.first(
        EntryStatements.others, [.text(node), .integer(PostgresHeartbeat.silenceMilliseconds)]
      ) { row in
        [
          (oldest: row.integer(0), newest: row.integer(1)),
          (oldest: row.integer(2), newest: row.integer(3)),
        ]
      }
      let kinds = [states.layouts.store, states.layouts.registry]
      for (others, own) in zip(found ?? [], kinds) {
        guard max(others.oldest, own.oldest) > min(others.newest, own.newest) else { continue }
        var error = ServerError.fault(
          "the running nodes and this version have no layout in common",
          facts: [
            "nodes": "\(others.oldest) to \(others.newest)",
            "known": "\(own.oldest) to \(own.newest)",
          ])
        error.hint = """
          stop all nodes first, or upgrade by a version between the two; a node that was killed \
          counts as running for 30 seconds
          """
        return error
      }
      return nil
    }

    private func refusal(
      of state: LayoutState, in schema: String, isFirst: Bool
    ) -> ServerError? {
      let kind = states.layouts.kind(of: schema, in: states.installation)
      let facts = ["layout": "\(state.layout)", "known": "\(kind.newest)", "schema": schema]
      if state.layout > kind.newest {
        if schema == states.installation {
          var error = ServerError.fault(
            "it was written by a newer version of Stratus", facts: facts)
          error.hint = "start that version, or a later one"
          return error
        }
        return isFirst ? nil : PostgresFailure.tooOld(for: state.layout, newest: kind.newest)
      }
      if state.layout < kind.oldest {
        return .fault("tables have an earlier layout, and were not upgraded", facts: facts)
      }
      let isOwn = state.target == kind.newest && kind.upgrade != nil
      if state.target != 0, state.target <= kind.newest, !isOwn {
        return PostgresOfflineUpgrade.unfinished(schema)
      }
      return nil
    }
  }

  private enum EntryStatements {
    static let lock = SQLStatement("SELECT pg_advisory_xact_lock(?)")
    static let others = SQLStatement(
      """
      SELECT COALESCE(MAX(store_oldest), 0), COALESCE(MIN(store_newest), \(Int64.max)),
        COALESCE(MAX(registry_oldest), 0), COALESCE(MIN(registry_newest), \(Int64.max))
      FROM nodes WHERE node <> ? AND seen_at >= \(PostgresTables.now) - ?
      """)
    static let add = SQLStatement(
      """
      INSERT INTO nodes (
        node, version, started_at, seen_at, draining,
        store_oldest, store_newest, registry_oldest, registry_newest)
      VALUES (?, ?, \(PostgresTables.now), \(PostgresTables.now), 0, ?, ?, ?, ?)
      """)
  }
#endif
