import CSQLite
import StratusDomain

extension SQLiteConnection {
  /// Returns the content of this connection as the bytes of an SQLite file. No transaction may be
  /// open.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  func serialized() throws(ServerError) -> [UInt8] {
    var size: sqlite3_int64 = 0
    guard let start = sqlite3_serialize(handle, "main", &size, 0) else {
      throw .fault("SQLite returned no copy of a store in memory")
    }
    defer { sqlite3_free(start) }
    return [UInt8](UnsafeBufferPointer(start: start, count: Int(size)))
  }

  /// Replaces the content of an in-memory connection.
  ///
  /// - Parameter bytes: the bytes of an SQLite file with the new content.
  /// - Throws: `INTERNAL_ERROR`.
  func load(_ bytes: [UInt8]) throws(ServerError) {
    guard let copy = sqlite3_malloc64(UInt64(bytes.count)) else {
      throw .fault("there is not enough memory for a store")
    }
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    // NB: SQLite now owns the copy, and frees it even if the call fails.
    let code = sqlite3_deserialize(
      handle, "main", copy.assumingMemoryBound(to: UInt8.self), Int64(bytes.count),
      Int64(bytes.count),
      UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE))
    if code == SQLITE_OK { return }
    throw SQLiteFailure.serverError(
      code: code, message: String(cString: sqlite3_errmsg(handle)), doing: "loading a store")
  }
}
