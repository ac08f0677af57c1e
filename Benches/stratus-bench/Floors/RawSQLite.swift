import CSQLite
import Glibc
import StratusWire

/// Measures SQLite through its C interface. The comparison values are S1 and S200 (inserts of 1 and
/// of 200 rows in a transaction) and SS (a scan).
final class RawSQLite {
  private var handle: OpaquePointer?

  /// Opens a file, and creates it if it does not exist.
  init(path: String) throws(Failure) {
    guard sqlite3_open(path, &handle) == SQLITE_OK else {
      throw Failure("SQLite cannot open \(path)")
    }
  }

  deinit { sqlite3_close(handle) }

  func execute(_ text: String) throws(Failure) {
    if sqlite3_exec(handle, text, nil, nil, nil) != SQLITE_OK { throw failure() }
  }

  /// Creates a table like the server's table of records, with the same durability.
  func prepareRecords() throws(Failure) {
    try execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE records (
        database BIGINT NOT NULL, zone BIGINT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
        change BIGINT NOT NULL, deleted BIGINT NOT NULL,
        created_at BIGINT NOT NULL, created_by TEXT NOT NULL, created_device TEXT NOT NULL,
        modified_at BIGINT NOT NULL, modified_by TEXT NOT NULL, modified_device TEXT NOT NULL,
        parent TEXT, fields BLOB NOT NULL,
        PRIMARY KEY (database, zone, name));
      """)
  }

  /// Inserts rows for a number of seconds.
  ///
  /// - Returns: the number of rows per second.
  func insert(rowsPerTransaction: Int, seconds: Double) throws(Failure) -> Double {
    let begin = try statement("BEGIN IMMEDIATE")
    let insert = try statement(
      "INSERT INTO records VALUES (1, 1, ?, ?, ?, 0, ?, ?, '1', ?, ?, '1', NULL, ?)")
    let commit = try statement("COMMIT")
    defer { for each in [begin, insert, commit] { sqlite3_finalize(each) } }
    let fields = SampleRecord.fields.text
    let user = "_" + RecordName.text(0)
    let start = Clock.nanoseconds()
    var rows = 0
    while Double(Clock.nanoseconds() - start) < seconds * 1e9 {
      try step(begin)
      for _ in 0..<rowsPerTransaction {
        rows += 1
        bind(RecordName.text(UInt64(rows)), to: insert, at: 1)
        bind(SampleRecord.recordType, to: insert, at: 2)
        sqlite3_bind_int64(insert, 3, Int64(rows))
        for column: Int32 in [4, 6] { sqlite3_bind_int64(insert, column, 1_700_000_000_000) }
        for column: Int32 in [5, 7] { bind(user, to: insert, at: column) }
        fields.withUnsafeBytes {
          _ = sqlite3_bind_blob(insert, 8, $0.baseAddress, Int32($0.count), Self.copied)
        }
        try step(insert)
      }
      try step(commit)
    }
    return Double(rows) / (Double(Clock.nanoseconds() - start) / 1e9)
  }

  /// Reads every column of stored rows.
  ///
  /// - Returns: the number of rows per second. The table is scanned twice, and only the last scan
  ///   counts.
  func scanRecords(limit: Int) throws(Failure) -> Double {
    try execute("PRAGMA mmap_size = 1073741824")
    let scan = try statement("SELECT * FROM records LIMIT \(limit)")
    defer { sqlite3_finalize(scan) }
    var rate = 0.0
    for _ in 0..<2 {
      let start = Clock.nanoseconds()
      var rows = 0
      var bytes = 0
      var code = sqlite3_step(scan)
      let columns = sqlite3_column_count(scan)
      while code == SQLITE_ROW {
        for column in 0..<columns { bytes += read(column, of: scan) }
        rows += 1
        code = sqlite3_step(scan)
      }
      guard code == SQLITE_DONE, bytes > 0 else { throw failure() }
      sqlite3_reset(scan)
      rate = Double(rows) / (Double(Clock.nanoseconds() - start) / 1e9)
    }
    return rate
  }

  /// Returns the number of rows in a table.
  func count(_ table: String) throws(Failure) -> Int {
    let count = try statement("SELECT count(*) FROM \(table)")
    defer { sqlite3_finalize(count) }
    guard sqlite3_step(count) == SQLITE_ROW else { throw failure() }
    return Int(sqlite3_column_int64(count, 0))
  }

  private func read(_ column: Int32, of statement: OpaquePointer) -> Int {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, column) == 0 ? 0 : 8
    case SQLITE_NULL: return 0
    default:
      let start = sqlite3_column_blob(statement, column)
      return start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
    }
  }

  private func bind(_ text: String, to statement: OpaquePointer, at column: Int32) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(statement, column, $0.baseAddress, Int32($0.count), Self.copied)
      }
    }
  }

  private func statement(_ text: String) throws(Failure) -> OpaquePointer {
    var made: OpaquePointer?
    guard sqlite3_prepare_v2(handle, text, -1, &made, nil) == SQLITE_OK, let made else {
      throw failure()
    }
    return made
  }

  private func step(_ statement: OpaquePointer) throws(Failure) {
    if sqlite3_step(statement) != SQLITE_DONE { throw failure() }
    sqlite3_reset(statement)
  }

  private func failure() -> Failure {
    Failure("SQLite: " + String(cString: sqlite3_errmsg(handle)))
  }

  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
