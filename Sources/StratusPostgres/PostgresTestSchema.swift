#if Postgres
  package import StratusDomain

  /// Operations on the PostgreSQL schemas that belong to one test. Each call uses a connection of
  /// its own and blocks the thread.
  package struct PostgresTestSchema: Sendable {
    private let url: PostgresURL
    private let schema: String

    package init(of settings: PostgresSettings) {
      url = settings.url
      schema = settings.schema
    }

    /// Begins a new history in every store, so that all change tokens expire.
    package func renewEpochs(
      makeEpoch: @escaping @Sendable () -> Int64, now: @escaping @Sendable () -> Int64
    ) throws(ServerError) {
      let timelines = PostgresTimelines(
        schema: schema, makeEpoch: makeEpoch, now: now, report: { _ in })
      try connected { (connection) throws(ServerError) in
        try timelines.renewAllEpochs(on: connection)
      }
    }

    /// Removes the schemas of the installation and of its stores, if they exist.
    package func remove() throws(ServerError) {
      try connected { [schema] (connection) throws(ServerError) in
        try connection.define(Self.removal(of: schema))
      }
    }

    /// The statement that removes the schemas of an installation and of its stores.
    static func removal(of schema: String) -> String {
      """
      DO $$ DECLARE found TEXT; BEGIN
        FOR found IN SELECT nspname FROM pg_namespace
          WHERE nspname = '\(schema)'
            OR nspname ~ '^\(schema)_[0-9]+(\(PostgresStoreOpening.removed))?$'
        LOOP EXECUTE format('DROP SCHEMA %I CASCADE', found); END LOOP;
      END $$;
      """
    }

    private func connected(
      _ body: (PostgresConnection) throws(ServerError) -> Void
    ) throws(ServerError) {
      let connection: PostgresConnection
      do throws(PostgresFailure) {
        connection = try PostgresConnection(to: url, name: "stratus tests")
      } catch {
        throw error.error
      }
      defer { connection.close() }
      try body(connection)
    }
  }
#endif
