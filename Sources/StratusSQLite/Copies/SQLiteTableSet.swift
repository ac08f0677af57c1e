public import Foundation
public import StratusDomain
public import StratusSQL

/// The tables of one SQLite file of a data folder that no server uses.
public final class SQLiteTableSet: TableSet {
  private let file: SQLiteConnection
  /// The rows and bytes that the present transaction has added.
  private var added = (rows: 0, bytes: 0)

  public var connection: any SQLConnection { file }

  /// Opens a file to read its present state.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public init(reading url: URL) throws(ServerError) {
    file = try SQLiteConnection(path: url.path, configuration: SQLiteSettings.source)
    try file.execute(TransactionStatements.beginRead, [])
  }

  /// Creates a file.
  ///
  /// - Parameter prepare: creates the tables.
  /// - Throws: `INTERNAL_ERROR`.
  public init(
    creating url: URL, _ prepare: (any SQLConnection) throws(ServerError) -> Void
  ) throws(ServerError) {
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .fault("a container's folder cannot be created", facts: ["error": "\(error)"])
    }
    try OwnedFile.prepare(url.path)
    file = try SQLiteConnection(path: url.path, configuration: SQLiteSettings.copied)
    // NB: this setting has an effect only before the first table is created.
    try file.define("PRAGMA auto_vacuum = INCREMENTAL;")
    try file.execute(TransactionStatements.beginWrite, [])
    try prepare(file)
  }

  /// Ends the transaction, and closes the file. A new file is then on disk.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public func close() throws(ServerError) {
    defer { file.close() }
    try file.execute(TransactionStatements.commit, [])
  }

  public func tables() throws(ServerError) -> [CopiedTable] {
    var tables: [CopiedTable] = []
    for name in try file.all(TableSetStatements.tables, [], { $0.text(0) }) {
      let columns = try file.all(TableSetStatements.columns, [.text(name)]) { row in
        CopiedTable.Column(name: row.text(0), kind: Self.kind(of: row.text(1)))
      }
      tables.append(CopiedTable(name: name, columns: columns))
    }
    return tables
  }

  private static func kind(of type: String) -> CopiedTable.Kind {
    switch type {
    case "TEXT": .text
    case "BLOB": .bytes
    default: .integer
    }
  }

  public func read(
    _ table: CopiedTable, _ row: ([SQLValue]) throws(ServerError) -> Void
  ) throws(ServerError) {
    let statement = SQLStatement("SELECT \(table.list) FROM \"\(table.name)\"")
    try file.run(statement, []) { (found) throws(ServerError) in
      try row(table.values(of: found))
      return true
    }
  }

  public func fill(
    _ table: CopiedTable,
    _ rows: (_ add: ([SQLValue]) throws(ServerError) -> Void) throws(ServerError) -> Void
  ) throws(ServerError) {
    let places = table.columns.map { _ in "?" }.joined(separator: ", ")
    let statement = SQLStatement(
      "INSERT INTO \"\(table.name)\" (\(table.list)) VALUES (\(places))")
    try rows { (values) throws(ServerError) in
      try file.execute(statement, values)
      added.rows += 1
      added.bytes += values.reduce(0) { $0 + $1.sizeBytes }
      if added.rows >= Self.rowsPerCommit || added.bytes >= Self.bytesPerCommit {
        try file.execute(TransactionStatements.commit, [])
        try file.execute(TransactionStatements.beginWrite, [])
        added = (0, 0)
      }
    }
  }

  public func greatestKeys() throws(ServerError) -> [String: Int64] {
    // NB: SQLite creates the table of keys with the first table whose keys it counts. The registry
    // has no such table.
    guard try file.first(TableSetStatements.hasKeys, [], { _ in true }) == true else { return [:] }
    var keys: [String: Int64] = [:]
    for (table, key) in try file.all(TableSetStatements.keys, [], { ($0.text(0), $0.integer(1)) }) {
      keys[table] = key
    }
    return keys
  }

  public func countOn(from keys: [String: Int64]) throws(ServerError) {
    for (table, key) in keys {
      try file.execute(TableSetStatements.forgetKey, [.text(table)])
      try file.execute(TableSetStatements.addKey, [.text(table), .integer(key)])
    }
  }

  public func nextRecordNumber() throws(ServerError) -> Int64 {
    guard let next = try file.first(TableSetStatements.nextRecord, [], { $0.integer(0) }) else {
      throw .fault("the store does not count its records")
    }
    return next
  }

  public func setNextRecordNumber(_ number: Int64) throws(ServerError) {
    try file.execute(TableSetStatements.setNextRecord, [.integer(number)])
  }

  /// The limits of one transaction of a new file. Choice: SQLite flushes the disk after each
  /// transaction, and keeps its changes in memory until then.
  private static let rowsPerCommit = 20_000
  private static let bytesPerCommit = 32 << 20
}

extension SQLValue {
  /// The approximate number of bytes that the value needs.
  fileprivate var sizeBytes: Int {
    switch self {
    case .null, .integer: 8
    case .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    }
  }
}

private enum TableSetStatements {
  static let tables = SQLStatement(
    """
    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
    ORDER BY name
    """)
  static let columns = SQLStatement("SELECT name, type FROM pragma_table_info(?)")
  static let hasKeys = SQLStatement(
    "SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")
  static let keys = SQLStatement("SELECT name, seq FROM sqlite_sequence")
  static let forgetKey = SQLStatement("DELETE FROM sqlite_sequence WHERE name = ?")
  static let addKey = SQLStatement("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
  static let nextRecord = SQLStatement("SELECT next FROM record_count")
  static let setNextRecord = SQLStatement("UPDATE record_count SET next = ?")
}
