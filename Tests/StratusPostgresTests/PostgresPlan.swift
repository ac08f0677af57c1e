#if Postgres
  import StratusDomain
  import Testing

  @testable import StratusPostgres
  @testable import StratusSQL

  /// The plan of a prepared statement.
  struct PostgresPlan: Sendable {
    let text: String
    let lines: [String]

    /// The tables that a plan may scan, because they are small.
    private static let small: Set<String> = [
      "store", "record_types", "fields", "system_fields", "settings", "setting_texts", "indexes",
      "cascades",
      "outbox", "notification_count", "index_uses", "record_count", "roles", "grants",
      "role_members", "lacks", "unfinished_hierarchies", "retirements", "retired_writes", "quotas",
      "version_extent",
    ]

    /// Statements that scan on purpose. They empty a store, count rows up to a limit, or report the
    /// usage to the operator.
    private static let deliberate = Set(
      (ResetStatements.all + [
        BuildStatements.countDone, BuildStatements.countAll, UsageStatements.largest,
        UsageStatements.types, RecordVersionStatements.sums, RecordVersionStatements.keptSums,
      ]).map { PostgresStatements.text(of: $0, expectsOne: false) })

    /// Whether the plan scans no large table, or belongs to a statement that scans on purpose.
    var isBounded: Bool {
      if Self.deliberate.contains(text) { return true }
      return lines.allSatisfy { line in
        guard let scan = line.firstRange(of: "Seq Scan on ") else { return true }
        let table = line[scan.upperBound...].prefix { $0 != " " }
        return Self.small.contains(String(table))
      }
    }

    /// The plans of the statements that ran on one writer and one reader of a store.
    static func all(of store: PostgresStore) async throws -> [PostgresPlan] {
      let written = try await store.engine.write { (session) throws(ServerError) in
        try plans(on: session.connection)
      }
      return written
        + (try await store.engine.read { (session) throws(ServerError) in
          try plans(on: session.connection)
        })
    }

    /// The plans of the statements that the connection has prepared in the schema of its present
    /// transaction.
    static func plans(
      on connection: any SQLConnection
    ) throws(ServerError) -> [PostgresPlan] {
      guard let connection = connection as? PostgresConnection, let schema = connection.schema
      else { throw .fault("a connection does not lead to PostgreSQL") }
      let names = Set(connection.statements.names(in: schema))
      let found = try connection.all(
        SQLStatement(
          """
          SELECT name, statement, COALESCE(CARDINALITY(parameter_types), 0)::BIGINT
          FROM pg_prepared_statements
          """), []
      ) { (name: $0.text(0), text: $0.text(1), count: $0.integer(2)) }
      var plans: [PostgresPlan] = []
      for statement in found
      where names.contains(statement.name) && statement.text.contains(" FROM ") {
        let values = Array(repeating: "NULL", count: Int(statement.count))
        let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
        let lines = try connection.all(
          SQLStatement("EXPLAIN EXECUTE \(statement.name)\(arguments)"), []
        ) { $0.text(0) }
        plans.append(PostgresPlan(text: statement.text, lines: lines))
      }
      return plans
    }
  }
#endif
