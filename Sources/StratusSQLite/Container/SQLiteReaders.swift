import StratusDomain
import StratusSQL
import Synchronization

/// A connection for reading, with its session.
///
/// NB: this type is unchecked, because ``SQLiteReaders`` lends a reader to one caller at a time.
final class SQLiteReader<Session: SQLSession>: @unchecked Sendable {
  private let connection: SQLiteConnection
  private let session: Session

  init(path: String) throws(ServerError) {
    connection = try SQLiteConnection(path: path, configuration: SQLiteSettings.reader)
    session = Session(connection: connection)
  }

  /// Whether the last transaction of the connection has ended correctly.
  var isSound: Bool { !connection.isInTransaction }

  func read<Value>(
    _ body: (Session) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    session.begin()
    try connection.execute(TransactionStatements.beginRead, [])
    defer { _ = try? connection.execute(TransactionStatements.commit, []) }
    return try body(session)
  }

  func close() { connection.close() }
}

/// The connections for reading a file. They are created when they are needed, and stay open until
/// ``closeUnused()`` or ``close()``. One caller at a time uses a connection.
final class SQLiteReaders<Session: SQLSession>: Sendable {
  private typealias Waiting = CheckedContinuation<Result<SQLiteReader<Session>, ServerError>, Never>

  private struct State {
    /// The unused readers. The last one is used next, because its pages may still be in the
    /// processor's cache.
    var idle: [SQLiteReader<Session>] = []
    /// The number of readers at the beginning of ``idle`` that were not used since the last call of
    /// ``SQLiteReaders/closeUnused()``.
    var unused = 0
    var open = 0
    var waiting: [Waiting] = []
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []

    mutating func takeIdle() -> SQLiteReader<Session>? {
      defer { unused = min(unused, idle.count) }
      return idle.popLast()
    }
  }

  private let path: String
  private let countMax: Int
  private let waitingMax: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - countMax: the maximum number of bodies that run at the same time.
  ///   - waitingMax: the maximum number of waiting bodies.
  init(path: String, countMax: Int, waitingMax: Int) {
    self.path = path
    self.countMax = countMax
    self.waitingMax = waitingMax
  }

  /// Runs the body on the calling thread (see ``SQLEngine/read(_:)``).
  func read<Value: Sendable>(
    _ body: @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    let reader: SQLiteReader<Session>
    if let idle = try takeNow() {
      reader = idle
    } else {
      reader = try await takeLater()
    }
    defer { giveBack(reader) }
    return try reader.read(body)
  }

  /// Closes the readers. A reader in use is closed when the caller returns it.
  func close() async {
    await withCheckedContinuation { continuation in
      let (idle, waiting, isDone) = state.withLock { state in
        state.isClosed = true
        let idle = state.idle
        let waiting = state.waiting
        state.idle = []
        state.waiting = []
        state.open -= idle.count
        if state.open > 0 { state.closers.append(continuation) }
        return (idle, waiting, state.open == 0)
      }
      for reader in idle { reader.close() }
      for caller in waiting { caller.resume(returning: .failure(SQLiteFailure.closed)) }
      if isDone { continuation.resume() }
    }
  }

  /// Closes the readers that were not used since the last call. Each reader has its own cache and
  /// its own mapping of the file in memory.
  ///
  /// - Returns: whether any reader was closed.
  func closeUnused() -> Bool {
    let closed = state.withLock { state in
      let closed = Array(state.idle.prefix(state.unused))
      state.idle.removeFirst(closed.count)
      state.open -= closed.count
      state.unused = state.idle.count
      return closed
    }
    for reader in closed { reader.close() }
    return !closed.isEmpty
  }

  private enum Taken {
    case idle(SQLiteReader<Session>)
    case make, wait, closed
  }

  /// Returns an unused reader or a new one, or nil if all readers are in use.
  private func takeNow() throws(ServerError) -> SQLiteReader<Session>? {
    let taken = state.withLock { state -> Taken in
      if state.isClosed { return .closed }
      if let reader = state.takeIdle() { return .idle(reader) }
      if state.open >= countMax { return .wait }
      state.open += 1
      return .make
    }
    switch taken {
    case .idle(let reader): return reader
    case .wait: return nil
    case .closed: throw SQLiteFailure.closed
    case .make:
      do throws(ServerError) {
        return try SQLiteReader(path: path)
      } catch {
        drop()
        throw error
      }
    }
  }

  private func takeLater() async throws(ServerError) -> SQLiteReader<Session> {
    let result = await withCheckedContinuation { (continuation: Waiting) in
      let answer = state.withLock { state -> Result<SQLiteReader<Session>, ServerError>? in
        if state.isClosed { return .failure(SQLiteFailure.closed) }
        if let reader = state.takeIdle() { return .success(reader) }
        if state.waiting.count >= waitingMax {
          return .failure(SQLiteFailure.busy())
        }
        state.waiting.append(continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
    return try result.get()
  }

  private func giveBack(_ reader: SQLiteReader<Session>) {
    guard reader.isSound else {
      reader.close()
      drop()
      return
    }
    let (next, isClosed) = state.withLock { state -> (Waiting?, Bool) in
      if state.isClosed { return (nil, true) }
      if state.waiting.isEmpty {
        state.idle.append(reader)
        return (nil, false)
      }
      return (state.waiting.removeFirst(), false)
    }
    if let next { next.resume(returning: .success(reader)) }
    if isClosed {
      reader.close()
      drop()
    }
  }

  /// Subtracts a reader that was closed, or that could not be opened, from the number of open
  /// readers.
  private func drop() {
    let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.open -= 1
      guard state.isClosed, state.open == 0 else { return [] }
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }
}
