import Foundation
public import StratusDomain
public import StratusSQL
import StratusWire

/// An SQLite file with one writer thread and several connections for reading.
public final class SQLiteFile<Session: SQLSession>: SQLEngine {
  private let writer: SQLiteWriter<Session>
  private let readers: SQLiteReaders<Session>
  private let watch: FileWatch

  /// Opens a file, and creates it if necessary. The folder of the file must exist.
  ///
  /// - Parameters:
  ///   - waitingMax: see ``LimitSettings/storeWaitingMax``.
  ///   - clock: orders the writes of several callers. If it is nil, they run in the order of their
  ///     arrival.
  ///   - prepare: creates the tables inside a transaction.
  /// - Throws: `TRY_AGAIN_LATER` if another program locks the file or the disk is full. Any error
  ///   of `prepare`. Otherwise `INTERNAL_ERROR`.
  init(
    path: String, waitingMax: Int = Limits.storeWaitingMax, clock: WriteClock? = nil,
    prepare: (any SQLConnection) throws(ServerError) -> Void
  ) throws(ServerError) {
    try OwnedFile.prepare(path)
    let connection = try SQLiteConnection(path: path, configuration: SQLiteSettings.writer)
    do throws(ServerError) {
      try connection.execute(TransactionStatements.beginWrite, [])
      try prepare(connection)
      try connection.execute(TransactionStatements.commit, [])
    } catch {
      connection.close()
      throw error
    }
    watch = FileWatch(path: path)
    writer = SQLiteWriter(
      connection: connection, path: path, waitingMax: waitingMax, watch: watch, clock: clock)
    // Readers run on the callers' threads, and there are as many threads as cores. Two more
    // connections are allowed, because some readers may wait for the disk.
    let countMax = ProcessInfo.processInfo.activeProcessorCount + 2
    readers = SQLiteReaders(path: path, countMax: countMax, waitingMax: waitingMax)
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try watch.checkKnown()
    do throws(ServerError) { return try await readers.read(body) } catch {
      watch.note(error)
      throw error
    }
  }

  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    do throws(ServerError) {
      let value = try await writer.write(body)
      watch.noteWritten()
      return value
    } catch {
      watch.note(error)
      throw error
    }
  }

  /// The current problem of the file, or nil if none is known.
  var problem: HealthProblem.Kind? { watch.problem }

  /// Frees the memory that was not used since the last call.
  ///
  /// - Returns: whether readers were closed.
  func releaseMemory() -> Bool {
    writer.releaseMemory()
    return readers.closeUnused()
  }

  /// Finishes the waiting bodies, refuses new bodies with `TRY_AGAIN_LATER`, and closes the file.
  ///
  /// NB: the writer must be closed last. The last connection that closes copies the whole
  /// write-ahead log into the file.
  public func close() async {
    await readers.close()
    await writer.close()
  }
}
