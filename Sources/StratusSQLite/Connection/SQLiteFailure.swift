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
      var error = ServerError.fault("the disk is full", facts: facts)
      error.hint = "make room on the disk of the data folder"
      return error
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      var error = ServerError.fault("a store's file is damaged", facts: facts)
      error.hint = "restore the file from a backup"
      return error
    default:
      return .fault("SQLite refused a statement", facts: facts)
    }
  }

  /// More is waiting than will be served soon.
  static func busy(facts: [String: String] = [:]) -> ServerError {
    ServerError(.tryAgainLater, Reason.storeBusy, facts: facts, retryAfterSeconds: 1)
  }

  /// The server is going down, or the file was never to be used again.
  static var closed: ServerError { busy(facts: ["store": "closed"]) }
}
