#if Postgres
  public import StratusDomain
  import StratusSQL
  import StratusWire

  /// The turns of the nodes to make backups, in PostgreSQL. The lease is a row of the table
  /// `leases`. The times are a row of the table `work_times`, which only the holder of the lease
  /// changes. The clock is that of the database.
  public struct PostgresBackupTurns: BackupTurns {
    /// The address of the lease, which belongs to no store.
    private static let place = StoreAddress(container: "", environment: .production)
    private static let work = SQLValue.text(BackgroundWork.backups.rawValue)

    private let locks: PostgresWorkLocks
    private let autocommit: PostgresAutocommit
    private let node: String
    private let aheadMilliseconds: @Sendable () -> Int64

    /// - Parameters:
    ///   - node: the name of the node.
    ///   - aheadMilliseconds: returns the time that is added to the database's clock, for tests.
    init(
      locks: PostgresWorkLocks, autocommit: PostgresAutocommit, node: String,
      aheadMilliseconds: @escaping @Sendable () -> Int64
    ) {
      self.locks = locks
      self.autocommit = autocommit
      self.node = node
      self.aheadMilliseconds = aheadMilliseconds
    }

    public func times() async throws(ServerError) -> BackupTimes {
      let values: [SQLValue] = [.integer(aheadMilliseconds()), Self.work]
      let times = try await autocommit.run { (session) throws(ServerError) in
        try session.connection.first(TurnStatements.times, values) { row in
          BackupTimes(
            now: row.integer(0), begunAt: row.isNull(1) ? nil : row.integer(1),
            failedAt: row.isNull(2) ? nil : row.integer(2))
        }
      }
      guard let times else { throw .fault("PostgreSQL did not tell the times of the backups") }
      return times
    }

    public func take() async throws(ServerError) -> Int64? {
      try await locks.leaseNumber(.backups, at: Self.place)
    }

    public func note(begunAt: Int64, lease: Int64) async throws(ServerError) -> Bool {
      try await change(TurnStatements.note, [Self.work, .integer(begunAt)], lease: lease)
    }

    public func noteFailure(lease: Int64) async throws(ServerError) -> Bool {
      try await change(
        TurnStatements.noteFailure, [Self.work, .integer(aheadMilliseconds())], lease: lease)
    }

    /// Runs a statement that begins with ``TurnStatements/held``.
    ///
    /// - Returns: whether this node has the lease.
    private func change(
      _ statement: SQLStatement, _ values: [SQLValue], lease: Int64
    ) async throws(ServerError) -> Bool {
      let held: [SQLValue] = [
        Self.work, .text(Self.place.container), .text(Self.place.environment.rawValue),
        .text(node), .integer(lease), .integer(aheadMilliseconds()),
      ]
      return try await autocommit.run { (session) throws(ServerError) in
        try session.connection.execute(statement, held + values) == 1
      }
    }
  }

  private enum TurnStatements {
    static let times = SQLStatement(
      """
      SELECT \(PostgresTables.now) + ?, done_at, failed_at
      FROM (SELECT 1) AS present LEFT JOIN work_times ON work = ?
      """)

    /// The lease with a number, if this node has it.
    ///
    /// NB: this statement locks the row. A node that takes the lease at the same time waits for the
    /// lock, and then finds the time that this statement has stored.
    private static let held = """
      WITH held AS (
        SELECT token FROM leases
        WHERE work = ? AND container = ? AND environment = ? AND holder = ? AND token = ?
          AND until > \(PostgresTables.now) + ?
        FOR UPDATE)
      """
    static let note = SQLStatement(
      """
      \(held)
      INSERT INTO work_times (work, done_at, failed_at) SELECT ?, ?, NULL FROM held
      ON CONFLICT (work) DO UPDATE SET done_at = excluded.done_at, failed_at = NULL
      """)
    static let noteFailure = SQLStatement(
      """
      \(held)
      INSERT INTO work_times (work, failed_at) SELECT ?, \(PostgresTables.now) + ? FROM held
      ON CONFLICT (work) DO UPDATE SET failed_at = excluded.failed_at
      """)
  }
#endif
