#if Postgres
  import CPostgreSQL
  import Foundation
  import StratusDomain
  import StratusSQL

  /// One connection to PostgreSQL. Only one thread uses the connection at a time.
  ///
  /// The connection is always in libpq's pipeline mode. Statements whose rows are not needed are
  /// sent without waiting for an answer. The next statement whose rows are needed, or the commit,
  /// reads the answers to all of them.
  final class PostgresConnection: SQLConnection {
    let handle: OpaquePointer
    /// The number by which the node can find out whether a commit of this connection succeeded.
    /// It is 0 for a connection that does not write.
    var writer: Int64 = 0
    /// The schema in which statements find their tables.
    var schema: String?
    /// Whether ``schema`` was set only until the end of a transaction. The next transaction must
    /// then set its own schema, even if both are equal.
    var mustSetSchema = false
    /// The first error since the transaction began, or the loss of the connection if it followed.
    /// After an error, PostgreSQL refuses every further statement of the transaction.
    var failure: PostgresFailure?
    /// Whether a transaction was begun and not ended.
    var isInTransaction = false
    /// Whether the connection may hold advisory locks of a transaction.
    var mayHoldLocks = false
    /// Whether PostgreSQL sent a warning since the commit was sent.
    var hasWarning = false
    /// The number of statements in the present transaction that may have written rows, and of the
    /// rows that were collected.
    var writes = 0
    /// The saves of the present transaction that are not sent yet.
    private let collected = CollectedSaves()
    /// The number of the newest commit of this connection. Only transactions that write are
    /// counted.
    var commits: Int64 = 0
    var statements = PostgresStatements()
    /// The layouts of all tables, or nil if no body on this connection asks for a phase.
    var layouts: LayoutStates?
    /// The statements whose answers were not read yet, oldest first.
    var pending: [Pending] = []
    /// Is called with the text of each statement before it is sent, for tests.
    var beforeSending: ((_ text: String) -> Void)?
    /// The sessions on this connection, by schema.
    var sessions: [String: any SQLSession] = [:]

    /// A statement that was sent.
    enum Pending {
      /// The definition of a prepared statement.
      case preparation(PostgresStatements.Key)
      case queued(SQLStatement, otherwise: String?)
      /// A statement that controls the transaction or the connection.
      case control(String)
      /// The statement whose result the caller wants.
      case answer(SQLStatement)
      /// A synchronization point of the pipeline. After an error, PostgreSQL ignores everything up
      /// to the next such point.
      case sync
    }

    /// Opens a connection and sets it up. The method blocks the thread.
    ///
    /// - Parameter name: the name of the connection in PostgreSQL's lists.
    init(to url: PostgresURL, name: String) throws(PostgresFailure) {
      guard let handle = url.connect(name: name) else {
        throw PostgresFailure(.lost, PostgresFailure.unreachable(facts: ["postgres": "no memory"]))
      }
      self.handle = handle
      do throws(PostgresFailure) {
        guard PQstatus(handle) == CONNECTION_OK else {
          throw PostgresFailure(of: nil, on: handle, doing: "connecting")
        }
        receiveNotices()
        try runDirectly(PostgresSettings.session)
        try enterPipeline()
      } catch {
        PQfinish(handle)
        throw error
      }
    }

    /// Closes the connection. PostgreSQL undoes an open transaction and releases all locks.
    func close() {
      sessions = [:]
      PQfinish(handle)
    }

    /// Breaks the connection as the end of this process would do, for tests. PostgreSQL still gets
    /// the statements that libpq has passed to the system, and no others.
    func cut() { _ = shutdown(PQsocket(handle), Int32(SHUT_RDWR)) }

    var dialect: SQLDialect { PostgresDialect.dialect }

    var saves: CollectedSaves? { collected }

    func sendSaves() throws(ServerError) {
      if collected.isEmpty { return }
      // NB: the saves were counted when they were collected.
      let before = writes
      defer { writes = before }
      try collected.send(on: self)
    }

    /// Forgets the saves of a transaction that has ended.
    func discardSaves() { collected.discard() }

    /// Whether the connection can run another transaction.
    var isSound: Bool {
      PQstatus(handle) == CONNECTION_OK && failure?.isLoss != true
    }

    func run(
      _ statement: SQLStatement, _ values: [SQLValue],
      row: (any SQLRow) throws(ServerError) -> Bool
    ) throws(ServerError) {
      let result = try answer(to: statement, values)
      defer { PQclear(result) }
      for index in 0..<PQntuples(result) {
        if try !row(PostgresRow(result: result, row: index)) { return }
      }
    }

    @discardableResult
    func execute(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int {
      writes += 1
      let result = try answer(to: statement, values)
      defer { PQclear(result) }
      return PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    func queue(
      _ statement: SQLStatement, _ values: [SQLValue], expecting expected: SQLExpectation?
    ) throws(ServerError) {
      if let expected, expected.rows != 1 {
        let changed = try execute(statement, values)
        if changed != expected.rows { throw .fault(expected.otherwise) }
        return
      }
      try checkUsable()
      try sendSaves()
      writes += 1
      try send(
        statement, values, expectsOne: expected != nil,
        as: .queued(statement, otherwise: expected?.otherwise))
    }

    func queue(
      _ statement: SQLStatement, _ values: [SQLValue], dividingIf reason: String
    ) throws(ServerError) {
      try checkUsable()
      try sendSaves()
      writes += 1
      try send(
        statement, values, expectsOne: false, as: .queued(statement, otherwise: reason))
    }

    func insert(_ statement: SQLStatement, _ values: [SQLValue]) throws(ServerError) -> Int64 {
      writes += 1
      let result = try answer(to: statement, values)
      defer { PQclear(result) }
      guard PQntuples(result) == 1 else { throw .fault("PostgreSQL returned no key of a new row") }
      return PostgresRow(result: result, row: 0).integer(0)
    }

    func define(_ text: String) throws(ServerError) {
      writes += 1
      // NB: only libpq's simple protocol accepts several statements in one text.
      try directly { () throws(PostgresFailure) in try runDirectly(text) }
    }

    /// Runs a body outside of the pipeline mode, after the answers to all earlier statements.
    func directly(_ body: () throws(PostgresFailure) -> Void) throws(ServerError) {
      try checkUsable()
      try sendSaves()
      sync()
      settle()
      try checkUsable()
      guard PQexitPipelineMode(handle) == 1 else {
        throw note(PostgresFailure(of: nil, on: handle, doing: "leaving pipeline mode")).error
      }
      var failed: PostgresFailure?
      do throws(PostgresFailure) { try body() } catch { failed = error }
      do throws(PostgresFailure) { try enterPipeline() } catch { failed = failed ?? error }
      if let failed { throw note(failed).error }
    }

    func upgradePhase() throws(ServerError) -> SQLUpgradePhase {
      guard let layouts, let schema else { return .complete }
      return try layouts.phase(of: schema, on: self)
    }

    func hasUnusedSpace() -> Bool { false }

    func returnUnusedSpace() -> Bool { false }

    /// Throws the error of the transaction, if there is one.
    func checkUsable() throws(ServerError) {
      if let failure { throw failure.error }
    }

    /// Keeps the first failure of a transaction, or the loss of the connection if that follows.
    @discardableResult
    func note(_ failed: PostgresFailure) -> PostgresFailure {
      // NB: the loss of the connection matters more than an earlier error.
      if failure == nil || failed.isLoss { failure = failed }
      return failed
    }

    /// Receives the notices, which libpq would otherwise print on standard error.
    private func receiveNotices() {
      let this = Unmanaged.passUnretained(self).toOpaque()
      PQsetNoticeReceiver(
        handle,
        { context, result in
          guard let context, let state = PQresultErrorField(result, PostgresFailure.stateField),
            String(cString: state) == PostgresFailure.warning
          else { return }
          Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue()
            .hasWarning = true
        }, this)
    }

    private func enterPipeline() throws(PostgresFailure) {
      if PQenterPipelineMode(handle) == 1 { return }
      throw PostgresFailure(of: nil, on: handle, doing: "entering pipeline mode")
    }

    private func runDirectly(_ text: String) throws(PostgresFailure) {
      beforeSending?(text)
      let result = PQexec(handle, text)
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
      default: throw PostgresFailure(of: result, on: handle, doing: "defining tables")
      }
    }

    /// Sends a statement and returns its result, after the answers of all earlier statements.
    private func answer(
      to statement: SQLStatement, _ values: [SQLValue]
    ) throws(ServerError) -> OpaquePointer {
      try checkUsable()
      try sendSaves()
      try send(statement, values, expectsOne: false, as: .answer(statement))
      return try readAnswer()
    }
  }

  extension PostgresFailure {
    var isLoss: Bool {
      if case .lost = kind { true } else { false }
    }

    var isConflict: Bool {
      if case .conflict = kind { true } else { false }
    }

    var isHeld: Bool {
      if case .held = kind { true } else { false }
    }

    var isChange: Bool {
      if case .changed = kind { true } else { false }
    }
  }
#endif
