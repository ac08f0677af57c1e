#if Postgres
  public import StratusDomain
  public import StratusSQL

  /// The tables of one schema, in the present transaction of a connection.
  public final class PostgresTableSet: TableSet {
    let schema: String
    private let link: PostgresConnection

    public var connection: any SQLConnection { link }

    init(schema: String, on connection: PostgresConnection) {
      self.schema = schema
      link = connection
    }

    public func tables() throws(ServerError) -> [CopiedTable] {
      var columns: [String: [CopiedTable.Column]] = [:]
      let rows = try link.all(
        SQLStatement(
          """
          SELECT tables.relname, attname, format_type(atttypid, NULL)
          FROM pg_attribute JOIN pg_class AS tables ON tables.oid = attrelid
          JOIN pg_namespace AS schemas ON schemas.oid = relnamespace
          WHERE nspname = '\(schema)' AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
          """), []
      ) { (table: $0.text(0), column: $0.text(1), type: $0.text(2)) }
      for row in rows {
        columns[row.table, default: []].append(
          CopiedTable.Column(name: row.column, kind: row.type == "bigint" ? .integer : .bytes))
      }
      return columns.map { CopiedTable(name: $0.key, columns: $0.value) }
        .sorted { $0.name < $1.name }
    }

    public func read(
      _ table: CopiedTable, _ row: ([SQLValue]) throws(ServerError) -> Void
    ) throws(ServerError) {
      try link.copyOut(
        "SELECT \(table.list) FROM \(named(table.name))", columns: table.columns, row)
    }

    public func fill(
      _ table: CopiedTable,
      _ rows: (_ add: ([SQLValue]) throws(ServerError) -> Void) throws(ServerError) -> Void
    ) throws(ServerError) {
      try link.copyIn(to: named(table.name), columns: table.list, rows)
    }

    public func greatestKeys() throws(ServerError) -> [String: Int64] {
      var keys: [String: Int64] = [:]
      for (table, column) in try countedKeys() {
        let last = try link.first(
          SQLStatement("SELECT pg_sequence_last_value(\(sequence(of: table, column))::REGCLASS)"),
          []
        ) { $0.isNull(0) ? nil : $0.integer(0) }
        if let last, let last { keys[table] = last }
      }
      return keys
    }

    public func countOn(from keys: [String: Int64]) throws(ServerError) {
      for (table, column) in try countedKeys() {
        guard let key = keys[table], key > 0 else { continue }
        try link.run(
          SQLStatement("SELECT setval(\(sequence(of: table, column)), ?)"), [.integer(key)]
        ) { _ in true }
      }
    }

    public func nextRecordNumber() throws(ServerError) -> Int64 {
      // NB: until a number is drawn from a new or set sequence, `is_called` is false, and
      // `last_value` is the next number. Later, `last_value` is the last drawn number.
      let next = try link.first(
        SQLStatement("SELECT last_value, is_called FROM \(named("record_numbers"))"), []
      ) { $0.integer(0) + ($0.integer(1) == 0 ? 0 : StoreTables.recordNumbersPerBlock) }
      guard let next else { throw .fault("the store does not count its records") }
      return next
    }

    public func setNextRecordNumber(_ number: Int64) throws(ServerError) {
      try link.run(
        SQLStatement("SELECT setval('\(named("record_numbers"))', ?, FALSE)"), [.integer(number)]
      ) { _ in true }
    }

    /// The tables whose keys PostgreSQL assigns, and the columns of these keys.
    private func countedKeys() throws(ServerError) -> [(table: String, column: String)] {
      try link.all(
        SQLStatement(
          """
          SELECT relname, attname FROM pg_attribute
          JOIN pg_class AS tables ON tables.oid = attrelid
          JOIN pg_namespace AS schemas ON schemas.oid = relnamespace
          WHERE nspname = '\(schema)' AND relkind = 'r' AND attidentity <> ''
          ORDER BY relname
          """), []
      ) { ($0.text(0), $0.text(1)) }
    }

    private func sequence(of table: String, _ column: String) -> String {
      "pg_get_serial_sequence('\(named(table))', '\(column)')"
    }

    private func named(_ table: String) -> String { "\"\(schema)\".\"\(table)\"" }
  }
#endif
