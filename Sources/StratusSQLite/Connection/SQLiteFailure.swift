import Foundation
import GRDB
import GRDBSQLite
import StratusDomain
import StratusWire

/// Turns SQLite's errors into the server's.
enum SQLiteFailure {
  /// - Parameter what: what was being done; for the log.
  static func serverError(_ error: any Error, doing what: String) -> ServerError {
    guard let error = error as? DatabaseError else {
      return .fault(what, facts: ["error": String(describing: error)])
    }
    return serverError(
      code: error.extendedResultCode.rawValue, message: error.message ?? "", doing: what)
  }

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

  /// The fault that stands in the facts of an error about a damaged file.
  static let damagedFault = "a store's file is damaged"

  /// `SQLITE_IOERR_SHMSIZE`: the shared memory beside a file cannot grow, for want of room.
  private static let outOfSharedMemory: Int32 = 4_874

  /// There is no room for a write.
  private static func full(facts: [String: String]) -> ServerError {
    ServerError(
      .tryAgainLater, Reason.storeFull,
      facts: facts.merging(["fault": "the disk is full"]) { $1 }, retryAfterSeconds: 30,
      hint: "make room on the disk of the data folder")
  }

  /// The file is not there, or not the one that was opened.
  static var lost: ServerError {
    ServerError(
      .tryAgainLater, Reason.storeLost, facts: ["fault": "a store's file was lost or replaced"],
      retryAfterSeconds: 60,
      hint: "stop the server, bring the file back from a backup, and start the server")
  }

  static func unopened(path: String, code: Int32) -> ServerError {
    let facts = ["path": path, "error": String(cString: strerror(code))]
    return code == ENOSPC ? full(facts: facts) : .fault("a file cannot be opened", facts: facts)
  }

  /// More is waiting than will be served soon.
  static func busy(facts: [String: String] = [:]) -> ServerError {
    ServerError(.tryAgainLater, Reason.storeBusy, facts: facts, retryAfterSeconds: 1)
  }

  /// The server is going down, or the file was never to be used again.
  static var closed: ServerError { busy(facts: ["store": "closed"]) }
}
