import CSQLite
import Foundation
import StratusDomain
import StratusWire

/// Converts SQLite's errors into server errors.
enum SQLiteFailure {
  /// Converts an error.
  ///
  /// - Parameters:
  ///   - code: SQLite's result code. Extended codes tell more.
  ///   - what: the operation that failed, for the log.
  static func serverError(code: Int32, message: String, doing what: String) -> ServerError {
    let facts = ["sqlite": "\(code): \(message)", "statement": what]
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return busy(facts: facts)
    case SQLITE_FULL:
      return full(facts: facts)
    case SQLITE_IOERR where code == outOfSharedMemory:
      return full(facts: facts)
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      var error = ServerError.fault(damagedFault, facts: facts)
      error.hint = "restore the file from a backup"
      return error
    default:
      return .fault("SQLite refused a statement", facts: facts)
    }
  }

  /// The error for a file in which SQLite has found damage.
  ///
  /// - Parameter finding: the first row of a check.
  static func damaged(_ finding: String) -> ServerError {
    serverError(code: SQLITE_CORRUPT, message: finding, doing: "checking a file")
  }

  /// This text in the facts of an error says that a file is damaged.
  static let damagedFault = "a store's file is damaged"

  /// The code `SQLITE_IOERR_SHMSIZE`: the shared-memory file cannot grow, because the disk is full.
  private static let outOfSharedMemory: Int32 = 4_874

  /// The error for a write without enough free space on the disk.
  static func full(facts: [String: String]) -> ServerError {
    .full("the disk of the data folder", facts: facts)
  }

  /// The error for a file that disappeared or was replaced since it was first opened.
  static var lost: ServerError {
    ServerError(
      .tryAgainLater, Reason.storeLost, facts: ["fault": "a store's file was lost or replaced"],
      retryAfterSeconds: 60,
      hint: "stop the server, restore the file from a backup, and start the server")
  }

  static func unopened(path: String, code: Int32) -> ServerError {
    let facts = ["path": path, "error": String(cString: strerror(code))]
    return code == ENOSPC ? full(facts: facts) : .fault("a file cannot be opened", facts: facts)
  }

  /// The error for a store that cannot take more work now, for example because its queue is full.
  static func busy(facts: [String: String] = [:]) -> ServerError {
    ServerError(.tryAgainLater, Reason.storeBusy, facts: facts, retryAfterSeconds: 1)
  }

  /// The error for a server that is shutting down, or for a file that was closed permanently.
  static var closed: ServerError { busy(facts: ["store": "closed"]) }
}
