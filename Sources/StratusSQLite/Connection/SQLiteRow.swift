import CSQLite
import Foundation
import StratusSQL

/// The current row of a statement.
struct SQLiteRow: SQLRow {
  let statement: OpaquePointer

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
  }

  func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(statement, Int32(column))
  }

  func text(_ column: Int) -> String {
    String(decoding: textBytes(column), as: UTF8.self)
  }

  func text(_ column: Int, ifNot known: String) -> String {
    let bytes = textBytes(column)
    let isKnown = known.utf8.withContiguousStorageIfAvailable { knownBytes in
      guard knownBytes.count == bytes.count else { return false }
      guard let one = knownBytes.baseAddress, let other = bytes.baseAddress else { return true }
      return memcmp(one, other, bytes.count) == 0
    }
    return isKnown == true ? known : String(decoding: bytes, as: UTF8.self)
  }

  func bytes(_ column: Int) -> [UInt8] {
    // NB: the address must be read before the count. Reading the address may convert the value, and
    // the count must be that of the converted value.
    guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  private func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = sqlite3_column_text(statement, Int32(column)) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return UnsafeBufferPointer(start: start, count: count)
  }
}
