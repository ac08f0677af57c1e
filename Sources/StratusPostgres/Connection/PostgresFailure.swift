#if Postgres
  import CPostgreSQL
  import StratusDomain
  import StratusWire

  /// An error of PostgreSQL, or of the connection to it.
  struct PostgresFailure: Error {
    /// The engine's reaction to the error.
    enum Kind {
      /// The transaction conflicted with another one. It can run again.
      case conflict
      /// A transaction that does not wait for its locks has found a lock that another one holds.
      case held
      /// A row with the same key exists. Another transaction may have inserted the row, so the
      /// transaction runs again once.
      case duplicate
      /// A column does not exist. A node may have upgraded the tables since the transaction began,
      /// so the transaction runs again once.
      case changed
      /// The connection is lost, or it leads to a server that accepts no writes.
      case lost
      /// A lock was not free in time, or the server has no room for more work.
      case busy
      case other
    }

    let kind: Kind
    let error: ServerError

    init(_ kind: Kind, _ error: ServerError) {
      self.kind = kind
      self.error = error
    }

    /// - Parameters:
    ///   - state: the SQLSTATE of the error.
    ///   - what: the operation that failed, for the log.
    init(state: String, message: String, doing what: String) {
      let facts = ["postgres": "\(state): \(message)", "statement": what]
      switch state {
      case "40001", "40P01": self.init(.conflict, Self.busy(facts: facts))
      case "23505", "23P01": self.init(.duplicate, .fault("a row exists already", facts: facts))
      case "42703": self.init(.changed, .fault("a column does not exist", facts: facts))
      // NB: after a failover, an old connection may lead to a standby.
      case "25006": self.init(.lost, Self.unreachable(facts: facts))
      case "55P03", "57014": self.init(.busy, Self.busy(facts: facts))
      case "53100": self.init(.busy, Self.full(facts: facts))
      case "XX001", "XX002":
        var error = ServerError.fault("PostgreSQL reports damaged data", facts: facts)
        error.hint = "fail over to a standby, or restore the cluster from a backup"
        self.init(.other, error)
      case "3F000", "42P01": self.init(.other, Self.gone(facts: facts))
      case let state where state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03":
        self.init(.lost, Self.unreachable(facts: facts))
      case let state where state.hasPrefix("53"): self.init(.busy, Self.busy(facts: facts))
      default: self.init(.other, .fault("PostgreSQL refused a statement", facts: facts))
      }
    }

    /// Creates the failure that a result reports. A result without an SQLSTATE means that the
    /// connection is lost.
    init(of result: OpaquePointer?, on handle: OpaquePointer, doing what: String) {
      let code = result.flatMap { PQresultErrorField($0, Self.stateField) }
      guard let code, PQstatus(handle) == CONNECTION_OK else {
        self.init(
          .lost,
          Self.unreachable(facts: ["postgres": Self.message(of: handle), "statement": what]))
        return
      }
      let message = PQresultErrorField(result, Self.messageField).map { String(cString: $0) } ?? ""
      self.init(state: String(cString: code), message: message, doing: what)
    }

    static func message(of handle: OpaquePointer) -> String {
      let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      return text.split(separator: "\n").joined(separator: "; ")
    }

    /// `PG_DIAG_SQLSTATE`
    static let stateField = Int32(UInt8(ascii: "C"))
    /// `PG_DIAG_MESSAGE_PRIMARY`
    private static let messageField = Int32(UInt8(ascii: "M"))

    /// The SQLSTATE of a general warning.
    static let warning = "01000"

    /// The SQLSTATE of a division by zero. A statement that must change exactly one row is sent in
    /// a form that causes this error if it changes another number of rows.
    static let unexpectedCount = "22012"

    /// The error of a transaction that does not wait for its locks, if one of them is not free.
    static let heldLock = "another transaction holds the lock of a zone"

    static func busy(facts: [String: String] = [:]) -> ServerError {
      ServerError(.tryAgainLater, Reason.storeBusy, facts: facts, retryAfterSeconds: 1)
    }

    static func unreachable(facts: [String: String] = [:]) -> ServerError {
      ServerError(
        .tryAgainLater, Reason.storeLost,
        facts: facts.merging(["fault": "PostgreSQL cannot be reached"]) { $1 },
        retryAfterSeconds: 5, hint: "check that PostgreSQL runs and accepts writes")
    }

    /// An error with this text in its facts means that a schema or a table is missing.
    static let missingSchema = "the schema of a store is missing"

    /// The error for a store that another node has removed.
    static func gone(facts: [String: String]) -> ServerError {
      ServerError(
        .tryAgainLater, Reason.storeLost,
        facts: facts.merging(["fault": missingSchema]) { $1 },
        retryAfterSeconds: 1)
    }

    static func full(facts: [String: String]) -> ServerError {
      .full("the disk of PostgreSQL", facts: facts)
    }

    /// The error for a write whose commit was sent, and whose outcome cannot be found out now.
    static func unknownOutcome(facts: [String: String] = [:]) -> ServerError {
      ServerError(
        .tryAgainLater, Reason.outcomeUnknown,
        facts: facts.merging(["fault": "the outcome of a commit is unknown"]) { $1 },
        retryAfterSeconds: 5, hint: "check that PostgreSQL runs and accepts writes")
    }

    /// An error with this text in its facts means that a later version has upgraded a store.
    static let laterStore = "a later version of Stratus has upgraded the store"

    /// The error for a store whose layout this version does not know.
    static func tooOld(for layout: Int64, newest: Int64) -> ServerError {
      ServerError(
        .tryAgainLater, Reason.storeLost,
        facts: ["fault": laterStore, "layout": "\(layout)", "known": "\(newest)"],
        retryAfterSeconds: 30, hint: "start the later version")
    }

    /// An error with this text in its facts means that the tables of a store are damaged.
    static let damagedStore = "the tables of a store are damaged"

    /// The error for a store whose tables are damaged.
    ///
    /// - Parameter reason: the reason for the operator.
    static func damaged(_ reason: String) -> ServerError {
      var error = ServerError.fault(damagedStore, facts: ["damage": reason])
      error.hint = "restore the tables of the store from a backup"
      return error
    }

    /// The error of a node without a row in the table `nodes`.
    static var notEntered: ServerError {
      ServerError(
        .tryAgainLater, Reason.storeLost,
        facts: ["fault": "this node was silent, and another node has removed its row"],
        retryAfterSeconds: 5)
    }

    static var closed: ServerError { busy(facts: ["store": "closed"]) }
  }
#endif
