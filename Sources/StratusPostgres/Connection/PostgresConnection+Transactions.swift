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
    /// - Parameter locks: the advisory locks to hold until the transaction ends, in ascending
    ///   order.
    func beginWrite(in schema: String, locks: [Int64]) throws(ServerError) {
      try prepare(for: schema)
      if !locks.isEmpty {
        for lock in locks { try send(control: "SELECT pg_advisory_lock(\(lock))") }
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

    /// Commits, and releases the advisory locks.
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
      failure = nil
      writes = 0
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
      // NB: in a pipeline, statements without `BEGIN` are one transaction up to the next
      // synchronization point.
      sync()
      settle()
      try checkUsable()
      return value
    }

    private func sendUnlock() {
      do throws(ServerError) {
        try send(control: "SELECT pg_advisory_unlock_all()")
        sync()
      } catch {
        return
      }
    }
  }
#endif
