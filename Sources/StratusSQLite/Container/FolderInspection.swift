public import Foundation
public import StratusDomain
public import StratusSQL
import StratusWire

/// Inspects the files of a data folder without changing them. A server may use the folder.
public struct FolderInspection: Sendable {
  /// The state of a file.
  public enum FileState: Sendable, Hashable {
    case good
    /// There is no file, or the file has no bytes.
    case missing
    /// The file has no tables, because a crash has interrupted its creation. A server creates the
    /// tables when it opens the file.
    case empty
    /// - Parameter what: a description of the damage, mostly from SQLite.
    case damaged(_ what: String)
    /// A newer version of Stratus wrote the file.
    case newer(layout: Int64, known: Int64)
    /// An older version of Stratus wrote the file. A server upgrades the file when it opens the
    /// file.
    case older(layout: Int64, known: Int64)
  }

  /// The size up to which a file is always read completely. Choice: SQLite reads a file of this
  /// size in about a second.
  private static let wholeSizeBytesMax: Int64 = 268_435_456

  private let folder: URL
  private let readsAll: Bool

  /// - Parameter readsAll: whether files of more than 256 MiB are also read completely.
  public init(of folder: URL, readsAll: Bool) {
    self.folder = folder.standardizedFileURL
    self.readsAll = readsAll
  }

  /// The state of the registry file.
  public func registryState() -> FileState {
    state(of: DataFolder.registry(in: folder), known: RegistryTables.layout) {
      (connection) throws(ServerError) in try RegistryTables.foundLayout(on: connection)
    }
  }

  /// The state of a store's file.
  public func state(ofStore address: StoreAddress) -> FileState {
    state(of: DataFolder.file(of: address, in: folder), known: StoreTables.layout) {
      (connection) throws(ServerError) in try StoreTables.foundLayout(on: connection)
    }
  }

  /// The stores that the registry knows, with their epochs.
  ///
  /// - Throws: `INTERNAL_ERROR` if the registry cannot be read.
  public func knownStores() throws(ServerError) -> [StoreAddress: Int64] {
    try reading(DataFolder.registry(in: folder)) { (connection) throws(ServerError) in
      try RegistryTables.stores(on: connection)
    }
  }

  /// The ID of the installation, or nil if no server has given it one yet.
  ///
  /// - Throws: `INTERNAL_ERROR` if the registry cannot be read.
  public func installationID() throws(ServerError) -> String? {
    try reading(DataFolder.registry(in: folder)) { (connection) throws(ServerError) in
      try RegistryTables.installationID(on: connection)
    }
  }

  /// Returns the epoch in a store's file, or nil if the table `store` has no row.
  ///
  /// - Throws: `INTERNAL_ERROR` if the file cannot be read or has no tables.
  public func epoch(ofStore address: StoreAddress) throws(ServerError) -> Int64? {
    try reading(DataFolder.file(of: address, in: folder)) { (connection) throws(ServerError) in
      try StoreTables.identity(on: connection)
    }
  }

  /// Counts the rows of a store that contradict each other, and the unfinished work. Reads the
  /// whole store.
  ///
  /// - Throws: `INTERNAL_ERROR` if the file cannot be read, or if it has an earlier layout.
  public func check(ofStore address: StoreAddress) throws(ServerError) -> StoreCheck {
    try reading(DataFolder.file(of: address, in: folder)) { (connection) throws(ServerError) in
      try connection.execute(TransactionStatements.beginRead, [])
      defer { _ = try? connection.execute(TransactionStatements.commit, []) }
      return try StoreTables.check(on: connection)
    }
  }

  /// Calls `body` with the name, the size in bytes and the checksum of each asset file that a store
  /// lists.
  ///
  /// - Throws: `INTERNAL_ERROR` if the file cannot be read, and any error of `body`.
  public func eachAssetFile(
    ofStore address: StoreAddress,
    _ body: (_ file: String, _ size: Int64, _ checksum: [UInt8]) throws(ServerError) -> Void
  ) throws(ServerError) {
    try reading(DataFolder.file(of: address, in: folder)) { (connection) throws(ServerError) in
      guard try StoreTables.foundLayout(on: connection) ?? 0 >= 2 else { return }
      try StoreTables.eachAssetFile(on: connection, body)
    }
  }

  /// Returns the counts of the production radar. It counts the requests that production refused
  /// because it lacks a record type, field or index.
  ///
  /// - Throws: `INTERNAL_ERROR` if the file cannot be read, or if it has an earlier layout.
  public func lackCounts(ofStore address: StoreAddress) throws(ServerError) -> [LackCount] {
    try reading(DataFolder.file(of: address, in: folder)) { (connection) throws(ServerError) in
      try StoreTables.lackCounts(on: connection)
    }
  }

  /// Returns the size of a store's file, without its log.
  public func sizeBytes(ofStore address: StoreAddress) -> Int64 {
    Self.sizeBytes(DataFolder.file(of: address, in: folder).path)
  }

  /// Whether a store's file is not read completely, because it is large and `readsAll` is false.
  public func skipsContents(ofStore address: StoreAddress) -> Bool {
    !readsAll && sizeBytes(ofStore: address) > Self.wholeSizeBytesMax
  }

  private static func sizeBytes(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  private func state(
    of file: URL, known: Int64, layout: (any SQLConnection) throws(ServerError) -> Int64?
  ) -> FileState {
    guard OwnedFile.holdsBytes(file.path) else { return .missing }
    guard OwnedFile.looksLikeSQLite(file.path) else { return .damaged("it is not an SQLite file") }
    do throws(ServerError) {
      if readsAll || Self.sizeBytes(file.path) <= Self.wholeSizeBytesMax {
        let damage = try reading(file) { (connection) throws(ServerError) in
          try connection.firstDamage()
        }
        if let damage { return .damaged(damage) }
      }
      let stored = try reading(file) { (connection) throws(ServerError) -> Int64? in
        let hasTables = try connection.first(Self.anyTable, []) { _ in true } ?? false
        return hasTables ? try layout(connection) : nil
      }
      guard let found = stored else { return .empty }
      if found > known { return .newer(layout: found, known: known) }
      return found < known ? .older(layout: found, known: known) : .good
    } catch {
      return .damaged(error.facts["sqlite"] ?? error.facts["fault"] ?? error.reason)
    }
  }

  private static let anyTable = SQLStatement(
    "SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1")

  private func reading<Value>(
    _ file: URL, _ body: (SQLiteConnection) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    let connection = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.source)
    defer { connection.close() }
    return try body(connection)
  }
}
