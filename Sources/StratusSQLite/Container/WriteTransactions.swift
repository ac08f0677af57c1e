import StratusDomain
import StratusSQL

/// Runs write bodies in transactions on the writer's connection.
final class WriteTransactions<Session: SQLSession> {
  let connection: SQLiteConnection
  private let session: Session
  private let watch: FileWatch?

  /// - Parameter watch: tells whether the file is in place; nil: there is no file.
  init(connection: SQLiteConnection, watch: FileWatch? = nil) {
    self.connection = connection
    self.watch = watch
    session = Session(connection: connection)
  }

  /// Runs bodies in one transaction, each undone by itself if it fails; commits; lets callers go.
  ///
  /// Savepoints cost a copy of every page that is changed, and what fails has seldom written
  /// anything. So bodies run without them first; if one has written and fails, all are undone, and
  /// run again with a savepoint each.
  ///
  /// If the transaction as a whole fails, each body is run once more in one of its own, so that one
  /// body that is too much for the disk takes no neighbour with it.
  ///
  /// - Returns: bodies that were not begun because those before them wrote much.
  func run(_ bodies: [any WaitingWrite<Session>]) -> ArraySlice<any WaitingWrite<Session>> {
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
      for body in bodies { body.finish(failure: runAlone(body)) }
      return []
    }
    for (body, failure) in zip(bodies, outcomes) { body.finish(failure: failure) }
    return bodies[outcomes.count...]
  }

  func close() { connection.close() }

  /// What became of one body.
  private enum Attempt {
    case kept
    case undone(ServerError)
    /// It has written, and nothing undoes that but the whole transaction's end.
    case unclean
  }

  /// - Returns: what each body that was begun threw, nil if it stands on disk; nil in place of all:
  ///   one was unclean.
  /// - Throws: if the transaction as a whole failed, and must be abandoned.
  private func runTogether(
    _ bodies: [any WaitingWrite<Session>],
    attempt: (any WaitingWrite<Session>) throws(ServerError) -> Attempt
  ) throws(ServerError) -> [ServerError?]? {
    try begin()
    let rowsBefore = connection.rowsChanged
    var outcomes: [ServerError?] = []
    outcomes.reserveCapacity(bodies.count)
    for body in bodies {
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
    // After some errors (a full disk) SQLite has undone the whole transaction already.
    if !connection.isInTransaction { throw failure }
    try connection.execute(TransactionStatements.undoBody, [])
    try connection.execute(TransactionStatements.keepBody, [])
    return .undone(failure)
  }

  /// Runs one body in a transaction of its own, and commits.
  ///
  /// - Throws: what the body threw, or why it could not be committed; it is undone then.
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

  /// - Returns: what the body threw, or why it could not be committed.
  private func runAlone(_ body: any WaitingWrite<Session>) -> ServerError? {
    do throws(ServerError) {
      try perform { (session) throws(ServerError) in
        if let thrown = body.attempt(on: session) { throw thrown }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Commits, and checks that the commit went to the file that the next start opens.
  ///
  /// NB: a body that ran in a commit to a lost file runs again and fails again, since a lost file
  /// stays lost.
  private func commit() throws(ServerError) {
    try connection.execute(TransactionStatements.commit, [])
    try watch?.check()
  }

  private func begin() throws(ServerError) {
    try watch?.checkKnown()
    // What an earlier rollback could not close stands in nobody's way for ever.
    if connection.isInTransaction {
      try connection.execute(TransactionStatements.rollback, [])
    }
    try connection.execute(TransactionStatements.beginWrite, [])
    session.begin()
  }

  /// Undoes the transaction, and what was remembered from it.
  private func abandon() {
    session.forget()
    if !connection.isInTransaction { return }
    // If this fails, `begin` tries again.
    _ = try? connection.execute(TransactionStatements.rollback, [])
  }
}
