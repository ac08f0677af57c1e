#if Postgres
  import CPostgreSQL
  import StratusDomain
  import StratusSQL

  extension PostgresConnection {
    /// The result of a commit.
    enum Outcome {
      case committed
      /// Nothing was written.
      case failed(PostgresFailure)
      /// The connection was lost after the commit was sent.
      case unknown(PostgresFailure)
      /// The transaction is committed on this server, but perhaps not on a standby, because an
      /// operator cancelled the wait for the standby.
      case unreplicated

      /// Throws an error unless the commit certainly succeeded.
      func require() throws(ServerError) {
        switch self {
        case .committed: return
        case .failed(let failure), .unknown(let failure): throw failure.error
        case .unreplicated: throw PostgresFailure.unknownOutcome()
        }
      }
    }

    /// Begins a transaction that writes. The call does not wait for an answer.
    ///
    /// NB: the locks must be held before the transaction begins. A serializable transaction sees
    /// the state at its first statement. If it waited for a lock after that statement, it would not
    /// see the writes of the lock's earlier holder, and would fail.
    ///
    /// - Parameters:
    ///   - locks: the advisory locks to hold until the transaction ends.
    ///   - waitsForLocks: whether the transaction waits for locks that other transactions hold.
    ///     Otherwise such a lock makes it fail.
    func beginWrite(
      in schema: String, locks: [Int64], waitsForLocks: Bool = true
    ) throws(ServerError) {
      try prepare(for: schema)
      if !locks.isEmpty {
        try send(locks, waits: waitsForLocks)
        sync()
      }
      try send(control: "BEGIN ISOLATION LEVEL SERIALIZABLE")
      isInTransaction = true
    }

    /// Begins a transaction that reads one consistent state. The call does not wait for an answer.
    func beginRead(in schema: String) throws(ServerError) {
      try prepare(for: schema)
      try send(control: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      isInTransaction = true
    }

    /// Ends a transaction that has only read. The call does not wait for an answer.
    func endRead() {
      isInTransaction = false
      do throws(ServerError) {
        try send(control: "COMMIT")
        sync()
      } catch {
        return
      }
    }

    /// Commits, and releases the advisory locks of the transaction.
    ///
    /// - Parameter statement: stores the number of a commit. It is nil if unknown
    ///   outcomes need not be resolved.
    func commit(numbering statement: SQLStatement? = nil) -> Outcome {
      do throws(ServerError) {
        // NB: a body that has read nothing has not waited for its locks yet. Without this check,
        // its statements would be committed even if a lock was not granted. The transaction begins
        // on the server before the wait, so that it ends by a time-out if this node is paused.
        if hasUnreadPart { sync() }
        readFinishedParts()
        try checkUsable()
        try sendSaves()
        if writes > 0, let statement {
          commits += 1
          try queue(
            statement, [.integer(commits), .integer(writer)],
            expecting: SQLExpectation(rows: 1, otherwise: PostgresCommits.shutOut))
        }
        hasWarning = false
        try send(control: "COMMIT")
      } catch {
        let failed = failure ?? PostgresFailure(.other, error)
        rollback()
        return .failed(failed)
      }
      sync()
      sendUnlock()
      readThroughSync()
      let isLost = PQstatus(handle) != CONNECTION_OK
      if isLost, let failure {
        isInTransaction = false
        return writes > 0 ? .unknown(failure) : .failed(failure)
      }
      if let failed = failure {
        rollback()
        failure = failed
        return .failed(failed)
      }
      isInTransaction = false
      return hasWarning && writes > 0 ? .unreplicated : .committed
    }

    /// Undoes the transaction, and releases the advisory locks.
    func rollback() {
      guard isInTransaction else { return }
      isInTransaction = false
      discardSaves()
      guard PQstatus(handle) == CONNECTION_OK else { return }
      // After an error, the server ignores everything up to the next synchronization point.
      settle()
      do throws(ServerError) { try send(control: "ROLLBACK") } catch { return }
      sync()
      sendUnlock()
      settle()
    }

    /// Makes the connection ready for a transaction in a schema.
    private func prepare(for schema: String) throws(ServerError) {
      settle()
      // NB: after an error, the locks may not be released. The next transaction then releases them.
      if failure == nil { mayHoldLocks = false }
      failure = nil
      writes = 0
      discardSaves()
      guard PQstatus(handle) == CONNECTION_OK else {
        throw note(PostgresFailure(of: nil, on: handle, doing: "beginning")).error
      }
      let unused = statements.takeUnused()
      for name in unused { try send(control: "DEALLOCATE \(name)") }
      if self.schema != schema || mustSetSchema {
        mustSetSchema = false
        try send(control: "SET search_path TO \"\(schema)\"")
        self.schema = schema
      } else if unused.isEmpty {
        return
      }
      sync()
    }

    /// Makes statements use the tables of this schema until the transaction ends.
    func use(schema: String) throws(ServerError) {
      try sendSaves()
      try send(control: "SET LOCAL search_path TO \"\(schema)\"")
      self.schema = schema
      mustSetSchema = true
    }

    /// Runs statements outside of a transaction. They take effect together when `body` returns.
    func runApart<Value>(
      in schema: String, _ body: (PostgresConnection) throws(ServerError) -> Value
    ) throws(ServerError) -> Value {
      try prepare(for: schema)
      let value = try body(self)
      try sendSaves()
      // NB: in a pipeline, statements without `BEGIN` are one transaction up to the next
      // synchronization point.
      sync()
      settle()
      try checkUsable()
      return value
    }

    /// Sends the statement that takes advisory locks.
    private func send(_ locks: [Int64], waits: Bool) throws(ServerError) {
      mayHoldLocks = true
      if waits, locks.count == 1 {
        try send(
          LockStatements.one, [.integer(locks[0])], expectsOne: false,
          as: .queued(LockStatements.one, otherwise: nil))
        return
      }
      let numbers = locks.map { String($0) }.joined(separator: ",")
      let statement = waits ? LockStatements.several : LockStatements.free
      try send(
        statement, [.text(numbers)], expectsOne: false,
        as: .queued(statement, otherwise: waits ? nil : PostgresFailure.heldLock))
    }

    /// NB: other locks of the session would also be released. A connection with such locks writes
    /// no bodies.
    private func sendUnlock() {
      guard mayHoldLocks else { return }
      do throws(ServerError) {
        try send(
          LockStatements.release, [], expectsOne: false,
          as: .queued(LockStatements.release, otherwise: nil))
        sync()
      } catch {
        return
      }
    }
  }

  private enum LockStatements {
    static let one = SQLStatement("SELECT pg_advisory_lock(?)")
    /// Takes the locks in ascending order. Otherwise two transactions could wait for each other.
    ///
    /// NB: the function is called while the sorted rows are read. PostgreSQL does not merge a
    /// query into another one if it sorts.
    static let several = SQLStatement("SELECT pg_advisory_lock(number) FROM \(sorted)")
    /// Takes the locks if all of them are free. Otherwise the statement fails with a division by
    /// zero.
    static let free = SQLStatement(
      """
      SELECT 1 / CASE WHEN pg_try_advisory_lock(number) THEN 1 ELSE 0 END FROM \(sorted)
      """)
    static let release = SQLStatement("SELECT pg_advisory_unlock_all()")
    private static let sorted = """
      (SELECT number FROM unnest(string_to_array(?, ',')::BIGINT[]) AS numbers (number)
        ORDER BY number) AS locks
      """
  }
#endif
