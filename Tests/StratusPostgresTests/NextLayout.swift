#if Postgres
  import StratusDomain

  @testable import StratusPostgres
  @testable import StratusSQL

  /// A later layout of stores, which only tests know.
  ///
  /// In the present layout, the test table `notes` has the column `metres`. The later layout has
  /// `centimetres` instead.
  enum NextLayout {
    static let number = StoreTables.layout + 1

    /// The table in the present layout, and its rows.
    static let notes = """
      CREATE TABLE notes (note BIGINT PRIMARY KEY, metres BIGINT NOT NULL);
      INSERT INTO notes (note, metres) SELECT number, number FROM generate_series(1, 8) AS number;
      """

    static let addColumn = UpgradeStep.define(
      """
      ALTER TABLE notes ADD COLUMN centimetres BIGINT;
      ALTER TABLE notes ALTER COLUMN metres DROP NOT NULL;
      """)
    static let addIndex = UpgradeStep.index(
      name: "notes_centimetres", on: "notes (centimetres)")
    static let fillColumn = UpgradeStep.fill { (connection, after) throws(ServerError) in
      let last = try connection.first(batch, [.integer(after)]) {
        $0.isNull(0) ? nil : $0.integer(0)
      }
      return last ?? nil
    }
    static let dropColumn = UpgradeStep.define("ALTER TABLE notes DROP COLUMN metres;")

    /// Converts three notes.
    private static let batch = SQLStatement(
      """
      WITH page AS (SELECT note, metres FROM notes WHERE note > ? ORDER BY note LIMIT 3),
      changed AS (
        UPDATE notes SET centimetres = page.metres * 100 FROM page WHERE notes.note = page.note)
      SELECT MAX(note) FROM page
      """)

    static let upgrade = LayoutUpgrade(
      expand: [addColumn, addIndex], fill: [fillColumn], contract: [dropColumn])
    /// The number of transactions of ``upgrade`` for the rows of ``notes``: two steps, the change
    /// of the layout, three batches and the end of the fill, the last step, and the end.
    static let transactionsCount: Int64 = 9

    /// A node of the later version, whose upgrades the test advances.
    static func node(
      _ upgrade: LayoutUpgrade = NextLayout.upgrade, newest: Int64 = NextLayout.number,
      interrupt: @escaping @Sendable (_ step: Int64) throws(ServerError) -> Void = { _ in }
    ) -> PostgresCluster.Upgrading {
      let layouts = PostgresLayouts(
        store: PostgresLayouts.Kind(newest: newest, upgrade: upgrade),
        registry: PostgresLayouts.present.registry)
      return PostgresCluster.Upgrading(
        layouts: layouts, isAutomatic: false, interrupt: interrupt)
    }
  }

  /// The table `notes`, as nodes of one version use it.
  struct TestNotes {
    let node: PostgresCluster

    private var store: PostgresStore {
      get async throws { try await node.stores.openStore(at: development) }
    }

    func create() async throws {
      try await store.engine.write { (session) throws(ServerError) in
        try session.connection.define(NextLayout.notes)
      }
    }

    func saveAsEarlier(_ note: Int64, metres: Int64) async throws {
      try await store.engine.write { (session) throws(ServerError) in
        try Self.saveAsEarlier(note, metres: metres, on: session.connection)
      }
    }

    func saveAsLater(_ note: Int64, centimetres: Int64) async throws {
      try await store.engine.write { (session) throws(ServerError) in
        try Self.saveAsLater(note, centimetres: centimetres, on: session.connection)
      }
    }

    /// Reads all notes as a node of the later layout does.
    func centimetres() async throws -> [Int64: Int64] {
      try await store.engine.read { (session) throws(ServerError) in
        try Self.centimetres(on: session.connection)
      }
    }

    /// Saves a note as a node of the present layout does.
    static func saveAsEarlier(
      _ note: Int64, metres: Int64, on connection: any SQLConnection
    ) throws(ServerError) {
      try connection.queue(NoteStatements.saveEarlier, [.integer(note), .integer(metres)])
    }

    /// Saves a note as a node of the later layout does.
    static func saveAsLater(
      _ note: Int64, centimetres: Int64, on connection: any SQLConnection
    ) throws(ServerError) {
      let (old, new) = (SQLValue.integer(centimetres / 100), SQLValue.integer(centimetres))
      switch try connection.upgradePhase() {
      case .earlier: try connection.queue(NoteStatements.saveEarlier, [.integer(note), old])
      case .expanded: try connection.queue(NoteStatements.saveBoth, [.integer(note), old, new])
      case .complete: try connection.queue(NoteStatements.saveLater, [.integer(note), new])
      }
    }

    /// Reads all notes as a node of the later layout does.
    static func centimetres(
      on connection: any SQLConnection
    ) throws(ServerError) -> [Int64: Int64] {
      let isComplete = try connection.upgradePhase() == .complete
      let statement = isComplete ? NoteStatements.later : NoteStatements.earlier
      let rows = try connection.all(statement, []) { [$0.integer(0), $0.integer(1)] }
      return Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
    }

    func phase() async throws -> SQLUpgradePhase {
      try await store.engine.read { (session) throws(ServerError) in
        try session.connection.upgradePhase()
      }
    }

    /// Returns the layout that the store itself contains.
    func layout() async throws -> Int64? {
      try await store.engine.read { (session) throws(ServerError) in
        try StoreTables.foundLayout(on: session.connection)
      }
    }

    /// Returns the names of the columns, sorted.
    func columns() async throws -> [String] {
      try await store.engine.read { (session) throws(ServerError) in
        try session.connection.all(NoteStatements.columns, []) { $0.text(0) }
      }
    }

    /// The notes of ``NextLayout/notes``, in centimetres.
    static let initial = Dictionary(
      (Int64(1)...8).map { ($0, $0 * 100) }, uniquingKeysWith: { first, _ in first })
  }

  private enum NoteStatements {
    static let saveEarlier = SQLStatement(
      """
      INSERT INTO notes (note, metres) VALUES (?, ?)
      ON CONFLICT (note) DO UPDATE SET metres = excluded.metres
      """)
    static let saveBoth = SQLStatement(
      """
      INSERT INTO notes (note, metres, centimetres) VALUES (?, ?, ?)
      ON CONFLICT (note) DO UPDATE
        SET metres = excluded.metres, centimetres = excluded.centimetres
      """)
    static let saveLater = SQLStatement(
      """
      INSERT INTO notes (note, centimetres) VALUES (?, ?)
      ON CONFLICT (note) DO UPDATE SET centimetres = excluded.centimetres
      """)
    static let earlier = SQLStatement("SELECT note, metres * 100 FROM notes ORDER BY note")
    static let later = SQLStatement("SELECT note, centimetres FROM notes ORDER BY note")
    static let columns = SQLStatement(
      """
      SELECT attname FROM pg_attribute
      WHERE attrelid = to_regclass('notes') AND attnum > 0 AND NOT attisdropped ORDER BY attname
      """)
  }
#endif
