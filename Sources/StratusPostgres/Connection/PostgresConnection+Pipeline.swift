#if Postgres
  import CPostgreSQL
  import StratusDomain
  import StratusSQL

  extension PostgresConnection {
    /// Sends a statement without waiting. A statement that the connection has not used in this
    /// schema is prepared first.
    func send(
      _ statement: SQLStatement, _ values: [SQLValue], expectsOne: Bool, as kind: Pending
    ) throws(ServerError) {
      if let beforeSending { beforeSending(statement.text(dialect)) }
      let bound = PostgresValues(values)
      let key = PostgresStatements.Key(
        schema: schema ?? "", index: statement.index, expectsOne: expectsOne)
      let name: String
      if let known = statements.name(of: key) {
        name = known
      } else {
        let text = PostgresStatements.text(of: statement, expectsOne: expectsOne)
        name = statements.add(key)
        // NB: PostgreSQL infers the types of texts, bytes and nulls from the statement. Every
        // column is BIGINT, BYTEA or TEXT, and the values are sent in these forms.
        guard
          PQsendPrepare(handle, name, text, Int32(clamping: bound.types.count), bound.types) == 1
        else {
          statements.remove(key)
          throw note(PostgresFailure(of: nil, on: handle, doing: text)).error
        }
        pending.append(.preparation(key))
      }
      let isSent = bound.withPointers { count, values, lengths, formats in
        PQsendQueryPrepared(handle, name, count, values, lengths, formats, PostgresValues.binary)
      }
      guard isSent == 1 else {
        throw note(PostgresFailure(of: nil, on: handle, doing: name)).error
      }
      pending.append(kind)
    }

    /// Sends a statement that has no values and no rows.
    func send(control text: String) throws(ServerError) {
      beforeSending?(text)
      guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, PostgresValues.binary) == 1
      else { throw note(PostgresFailure(of: nil, on: handle, doing: text)).error }
      pending.append(.control(text))
    }

    /// Adds a synchronization point to the pipeline, and sends everything that libpq has collected.
    func sync() {
      guard PQpipelineSync(handle) == 1 else {
        note(PostgresFailure(of: nil, on: handle, doing: "sending"))
        return
      }
      pending.append(.sync)
    }

    /// Reads the answers of all statements up to the one whose result the caller wants.
    ///
    /// NB: in a transaction, a synchronization point follows the statement. Without it, PostgreSQL
    /// would count the session as active, and would never apply its
    /// `idle_in_transaction_session_timeout`. A paused node would then keep its locks. Outside of a
    /// transaction, a synchronization point would end the implicit transaction of `runApart`.
    func readAnswer() throws(ServerError) -> OpaquePointer {
      if isInTransaction {
        sync()
        try checkUsable()
      } else if PQsendFlushRequest(handle) != 1 || PQflush(handle) != 0 {
        throw note(PostgresFailure(of: nil, on: handle, doing: "sending")).error
      }
      var found: OpaquePointer?
      for sent in takePending() {
        guard case .answer(let statement) = sent else {
          read(sent)
          continue
        }
        let result = PQgetResult(handle)
        if Self.isSuccess(result) {
          found = result
        } else {
          noteError(of: result, doing: statement.text(dialect))
          PQclear(result)
        }
        skipResults()
      }
      if let found, failure == nil { return found }
      PQclear(found)
      recover()
      throw failure?.error ?? .fault("PostgreSQL did not answer a statement")
    }

    /// Sends the remaining statements, and reads all answers.
    func settle() {
      if pending.isEmpty { return }
      if case .sync = pending[pending.count - 1] {} else { sync() }
      for sent in takePending() { read(sent) }
    }

    /// Whether a synchronization point was sent whose answer is not read yet.
    var hasUnreadPart: Bool { pending.contains { if case .sync = $0 { true } else { false } } }

    /// Reads the answers up to the last synchronization point that was sent.
    func readFinishedParts() { while readThroughSync() {} }

    /// Reads the answers up to the next synchronization point of the pipeline.
    ///
    /// - Returns: false if no further synchronization point was sent.
    @discardableResult
    func readThroughSync() -> Bool {
      let end = pending.firstIndex { if case .sync = $0 { true } else { false } }
      guard let end else { return false }
      let sent = takePending()
      for one in sent[...end] { read(one) }
      pending = Array(sent[(end + 1)...])
      return true
    }

    private func takePending() -> [Pending] {
      defer { pending.removeAll(keepingCapacity: true) }
      return pending
    }

    /// Makes the server accept statements again after an error. The transaction stays failed.
    private func recover() {
      guard PQstatus(handle) == CONNECTION_OK else { return }
      sync()
      for sent in takePending() { read(sent) }
    }

    /// Reads the answer of one statement, and keeps its error.
    private func read(_ sent: Pending) {
      if case .sync = sent {
        let result = PQgetResult(handle)
        if PQresultStatus(result) != PGRES_PIPELINE_SYNC {
          noteError(of: result, doing: "waiting for answers")
        }
        PQclear(result)
        return
      }
      let result = PQgetResult(handle)
      defer {
        PQclear(result)
        skipResults()
      }
      if Self.isSuccess(result) { return }
      switch sent {
      case .preparation(let key):
        statements.remove(key)
        noteError(of: result, doing: "preparing a statement")
      case .queued(let statement, let otherwise):
        noteError(of: result, doing: statement.text(dialect), otherwise: otherwise)
      case .control(let text): noteError(of: result, doing: text)
      case .answer(let statement): noteError(of: result, doing: statement.text(dialect))
      case .sync: return
      }
    }

    /// Reads the rest of a statement's results. The end is a missing result.
    private func skipResults() {
      while let further = PQgetResult(handle) {
        // NB: after the loss of the connection, libpq may return the same error again and again.
        let isOver = PQstatus(handle) != CONNECTION_OK
        PQclear(further)
        if isOver { return }
      }
    }

    private func noteError(
      of result: OpaquePointer?, doing what: String, otherwise: String? = nil
    ) {
      // A statement after the failed one was not run. Only the failed statement has the reason.
      if PQresultStatus(result) == PGRES_PIPELINE_ABORTED { return }
      if let otherwise, let state = PQresultErrorField(result, PostgresFailure.stateField),
        String(cString: state) == PostgresFailure.unexpectedCount
      {
        let kind: PostgresFailure.Kind =
          switch otherwise {
          // NB: a connection that has lost its row in `writers` can commit nothing more, and must
          // be replaced.
          case PostgresCommits.shutOut: .lost
          case PostgresFailure.heldLock: .held
          default: .other
          }
        note(PostgresFailure(kind, .fault(otherwise, facts: ["statement": what])))
        return
      }
      note(PostgresFailure(of: result, on: handle, doing: what))
    }

    private static func isSuccess(_ result: OpaquePointer?) -> Bool {
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: true
      default: false
      }
    }
  }
#endif
