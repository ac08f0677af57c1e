import StratusDomain
import StratusSQL

/// Runs write bodies in transactions on the writer's connection.
final class WriteTransactions<Session: SQLSession> {
  let connection: SQLiteConnection
  private let session: Session
  private let watch: FileWatch?
  private let stopwatch: @Sendable () -> Int64
  /// The nanoseconds that the commits of the last ``run(_:)`` took.
  private(set) var commitNanoseconds: Int64 = 0
  /// The nanoseconds that each body of the last ``run(_:)`` took, without the commit.
  private(set) var workNanoseconds: [Int64] = []

  /// - Parameters:
  ///   - watch: checks whether the file is still in place, or nil if there is no file.
  ///   - stopwatch: returns the nanoseconds since a fixed moment.
  init(
    connection: SQLiteConnection, watch: FileWatch? = nil,
    stopwatch: @escaping @Sendable () -> Int64 = { 0 }
  ) {
    self.connection = connection
    self.watch = watch
    self.stopwatch = stopwatch
    session = Session(connection: connection)
  }

  /// Runs bodies in one transaction, commits it, and resumes the callers. If a body fails, only the
  /// writes of this body are undone.
  ///
  /// A savepoint costs a copy of every changed page, and a body that fails has seldom written
  /// anything. Bodies therefore first run without savepoints. If a body fails after it has written,
  /// all bodies are undone and run again, each in a savepoint.
  ///
  /// If the transaction as a whole fails, each body runs again in a separate transaction. If one
  /// body is too large for the disk, the other bodies still succeed.
  ///
  /// - Returns: the bodies that did not run, because earlier bodies changed many rows.
  func run(_ bodies: [any WaitingWrite<Session>]) -> ArraySlice<any WaitingWrite<Session>> {
    commitNanoseconds = 0
    workNanoseconds.removeAll(keepingCapacity: true)
    guard bodies.count > 1 else {
      for body in bodies { body.finish(failure: runAlone(body)) }
      return []
    }
    let outcomes: [ServerError?]
    do throws(ServerError) {
      if let unguarded = try runTogether(bodies, attempt: attemptUnguarded) {
        outcomes = unguarded
      } else {
        abandon()
        outcomes = try runTogether(bodies, attempt: attemptInSavepoint) ?? []
      }
    } catch {
      abandon()
      workNanoseconds.removeAll(keepingCapacity: true)
      for body in bodies { body.finish(failure: runAlone(body)) }
      return []
    }
    for (body, failure) in zip(bodies, outcomes) { body.finish(failure: failure) }
    return bodies[outcomes.count...]
  }

  func close() { connection.close() }

  /// The result of one body.
  private enum Attempt {
    case kept
    case undone(ServerError)
    /// The body failed after it had written. Its writes can only be undone with the whole
    /// transaction.
    case unclean
  }

  /// - Returns: the error of each body that ran, or nil for a body whose writes are on disk. The
  ///   whole result is nil if a body failed after it had written.
  /// - Throws: an error if the transaction as a whole failed and must be abandoned.
  private func runTogether(
    _ bodies: [any WaitingWrite<Session>],
    attempt: (any WaitingWrite<Session>) throws(ServerError) -> Attempt
  ) throws(ServerError) -> [ServerError?]? {
    try begin()
    workNanoseconds.removeAll(keepingCapacity: true)
    let rowsBefore = connection.rowsChanged
    var outcomes: [ServerError?] = []
    outcomes.reserveCapacity(bodies.count)
    for body in bodies {
      let start = stopwatch()
      defer { workNanoseconds.append(stopwatch() - start) }
      switch try attempt(body) {
      case .kept: outcomes.append(nil)
      case .undone(let failure): outcomes.append(failure)
      case .unclean: return nil
      }
      if connection.rowsChanged - rowsBefore >= SQLiteSettings.rowsPerCommitMax { break }
    }
    try commit()
    return outcomes
  }

  private func attemptUnguarded(
    _ body: any WaitingWrite<Session>
  ) throws(ServerError) -> Attempt {
    connection.startBody()
    let rowsBefore = connection.rowsChanged
    let thrown = body.attempt(on: session)
    guard let failure = thrown ?? connection.failure else { return .kept }
    if connection.failure != nil || connection.rowsChanged != rowsBefore { return .unclean }
    session.forget()
    return .undone(failure)
  }

  private func attemptInSavepoint(
    _ body: any WaitingWrite<Session>
  ) throws(ServerError) -> Attempt {
    try connection.execute(TransactionStatements.startBody, [])
    connection.startBody()
    let thrown = body.attempt(on: session)
    guard let failure = thrown ?? connection.failure else {
      try connection.execute(TransactionStatements.keepBody, [])
      return .kept
    }
    session.forget()
    // After some errors, such as a full disk, SQLite has undone the whole transaction by itself.
    if !connection.isInTransaction { throw failure }
    try connection.execute(TransactionStatements.undoBody, [])
    try connection.execute(TransactionStatements.keepBody, [])
    return .undone(failure)
  }

  /// Runs one body in a separate transaction, and commits it.
  ///
  /// - Throws: the error of the body or of the commit. In this case, the transaction is undone.
  func perform<Value>(
    _ body: (Session) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    do throws(ServerError) {
      try begin()
      connection.startBody()
      let value = try body(session)
      if let failure = connection.failure { throw failure }
      try commit()
      return value
    } catch {
      abandon()
      throw error
    }
  }

  /// Runs one body that only reads.
  func read<Value>(
    _ body: (Session) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    session.begin()
    try connection.execute(TransactionStatements.beginRead, [])
    defer { _ = try? connection.execute(TransactionStatements.commit, []) }
    return try body(session)
  }

  /// Runs one body in a separate transaction.
  ///
  /// - Returns: the error of the body or of the commit, or nil.
  private func runAlone(_ body: any WaitingWrite<Session>) -> ServerError? {
    do throws(ServerError) {
      try perform { (session) throws(ServerError) -> Void in
        let start = stopwatch()
        defer { workNanoseconds.append(stopwatch() - start) }
        if let thrown = body.attempt(on: session) { throw thrown }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Commits, and checks that the commit went to the file that the next server start opens.
  ///
  /// NB: if a commit goes to a lost file, its bodies run again and fail, because the file stays
  /// lost.
  private func commit() throws(ServerError) {
    let start = stopwatch()
    defer { commitNanoseconds += stopwatch() - start }
    try connection.execute(TransactionStatements.commit, [])
    try watch?.check()
  }

  private func begin() throws(ServerError) {
    try watch?.checkKnown()
    // An earlier rollback may have failed. Its transaction must not block later writes.
    if connection.isInTransaction {
      try connection.execute(TransactionStatements.rollback, [])
    }
    try connection.execute(TransactionStatements.beginWrite, [])
    session.begin()
  }

  /// Undoes the transaction, and discards the values that the session cached in it.
  private func abandon() {
    session.forget()
    if !connection.isInTransaction { return }
    // If the rollback fails, `begin` tries it again.
    _ = try? connection.execute(TransactionStatements.rollback, [])
  }
}
