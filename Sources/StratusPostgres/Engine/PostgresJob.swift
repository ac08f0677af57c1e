#if Postgres
  import StratusDomain
  import StratusSQL

  /// A body that waits in a pool, together with its caller.
  protocol PostgresJob: AnyObject, Sendable {
    /// The schema of the tables that the body uses.
    var schema: String { get }
    /// The advisory locks that the body needs, in ascending order.
    var locks: [Int64] { get }
    /// Bodies of several lanes that share a transaction run in the order of these texts.
    var order: String { get }
    /// The zone and the record that the body reads first. A body with a wish is short, and others
    /// have none.
    var wish: ReadWish? { get }

    /// Tells the session that a transaction begins.
    func begin(on connection: PostgresConnection)

    /// Reads at once what several bodies of the transaction will read first.
    func read(_ wishes: [ReadWish], on connection: PostgresConnection) throws(ServerError)

    /// Runs the body. This method may be called again after the writes of the body were undone.
    ///
    /// - Returns: the error of the body, or nil if the body succeeded.
    func attempt(on connection: PostgresConnection) -> ServerError?

    /// Resumes the caller. This method is called once.
    ///
    /// - Parameter failure: the error for the caller. If it is nil, the caller gets the result of
    ///   the last attempt.
    func finish(failure: ServerError?)

    /// Makes the session forget what an undone transaction wrote.
    func forget(on connection: PostgresConnection)
  }

  extension PostgresJob {
    var wish: ReadWish? { nil }
    func read(_ wishes: [ReadWish], on connection: PostgresConnection) throws(ServerError) {}
  }

  /// A body whose result has the type `Value`.
  ///
  /// NB: this type is unchecked. The pool passes the body from the caller's thread to the thread of
  /// a connection, and no other thread uses the body.
  final class PostgresBody<Session: SQLSession, Value: Sendable>: PostgresJob, @unchecked Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, ServerError>, Never>

    let schema: String
    let locks: [Int64]
    let order: String
    let wish: ReadWish?
    private let body: @Sendable (Session) throws(ServerError) -> Value
    private let continuation: Continuation
    private var value: Value?

    init(
      in schema: String, locks: [Int64] = [], order: String = "", wish: ReadWish? = nil,
      _ body: @escaping @Sendable (Session) throws(ServerError) -> Value,
      continuation: Continuation
    ) {
      self.schema = schema
      self.locks = locks
      self.order = order
      self.wish = wish
      self.body = body
      self.continuation = continuation
    }

    func begin(on connection: PostgresConnection) { session(on: connection).begin() }

    func read(_ wishes: [ReadWish], on connection: PostgresConnection) throws(ServerError) {
      try session(on: connection).readTogether(wishes)
    }

    func attempt(on connection: PostgresConnection) -> ServerError? {
      value = nil
      let session = session(on: connection)
      do throws(ServerError) {
        value = try body(session)
        return nil
      } catch {
        return error
      }
    }

    func finish(failure: ServerError?) {
      if let failure {
        continuation.resume(returning: .failure(failure))
      } else if let value {
        continuation.resume(returning: .success(value))
      } else {
        continuation.resume(returning: .failure(.fault("a body was never run")))
      }
    }

    func forget(on connection: PostgresConnection) { session(on: connection).forget() }

    private func session(on connection: PostgresConnection) -> Session {
      if let known = connection.sessions[schema] as? Session { return known }
      if connection.sessions.count >= PostgresLimits.sessionsMax { connection.sessions = [:] }
      let session = Session(connection: connection)
      connection.sessions[schema] = session
      return session
    }
  }
#endif
