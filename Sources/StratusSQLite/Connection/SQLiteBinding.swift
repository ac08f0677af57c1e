import CSQLite
import StratusSQL

/// Binds values to a prepared statement.
enum SQLiteBinding {
  /// - Returns: SQLite's result code.
  static func bind(_ value: SQLValue, to statement: OpaquePointer, at column: Int32) -> Int32 {
    switch value {
    case .null:
      return sqlite3_bind_null(statement, column)
    case .integer(let integer):
      return sqlite3_bind_int64(statement, column, integer)
    case .text(var text):
      // NB: the pointer of an empty string may be nil, and SQLite would bind nil as null.
      if text.isEmpty { return sqlite3_bind_text(statement, column, "", 0, copied) }
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_bind_text(
            statement, column, characters.baseAddress, Int32(clamping: characters.count),
            copied)
        }
      }
    case .bytes(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, column, 0) }
      return bytes.withUnsafeBytes { buffer in
        sqlite3_bind_blob64(
          statement, column, buffer.baseAddress, UInt64(buffer.count), copied)
      }
    }
  }

  /// The constant `SQLITE_TRANSIENT`. It makes SQLite copy the bytes before the call returns.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
