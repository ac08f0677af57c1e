public import Foundation
public import StratusDomain
import StratusSQL
import StratusWire

/// Copies the SQLite files of a data folder into another folder that no server uses.
///
/// A server may use the source folder. Each copied file has the state of one moment, and the
/// copying does not block the server.
public struct FolderCopy: Sendable {
  /// The purpose of a copy.
  public enum Purpose: Sendable {
    /// The copy has the same history as the source, up to the moment of the copy.
    case keep
    /// The copy begins a new history. Clients that have change tokens of the source must sync again
    /// from the beginning. The next server gives the copied installation a new ID.
    case beginAnew
  }

  private let source: URL
  private let target: URL
  private let makeEpoch: @Sendable () -> Int64
  private let now: @Sendable () -> Int64
  /// The number of pages that are copied between two reports of progress: 4 MiB.
  private static let pagesPerStep: Int32 = 1_024

  /// - Parameters:
  ///   - source: a data folder, or a copy of one.
  ///   - target: an existing and empty folder.
  ///   - makeEpoch: returns 64 random bits for a new history.
  ///   - now: returns the start time of the new history; see
  ///     ``StoreTables/beginTimeline(epoch:now:on:)``.
  public init(
    of source: URL, in target: URL, makeEpoch: @escaping @Sendable () -> Int64,
    now: @escaping @Sendable () -> Int64
  ) {
    self.source = source
    self.target = target
    self.makeEpoch = makeEpoch
    self.now = now
  }

  /// Copies a store, and creates the store's folder in the target. Rows of assets that no record
  /// holds are left out.
  ///
  /// - Parameter onProgress: is called at intervals with the fraction of the file that is copied,
  ///   from 0 to 1.
  /// - Throws: `INTERNAL_ERROR`, for example if the file is damaged. `TRY_AGAIN_LATER` if the disk
  ///   is full, or if another program locks a file.
  /// - Returns: the copy's epoch.
  @discardableResult
  public func copyStore(
    at address: StoreAddress, to purpose: Purpose, onProgress: (Double) -> Void = { _ in }
  ) throws(ServerError) -> Int64? {
    try makeFolder(of: address)
    let file = DataFolder.file(of: address, in: target)
    try copy(DataFolder.file(of: address, in: source), to: file, onProgress)
    let connection = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try connection.execute(TransactionStatements.beginWrite, [])
    // The source may come from an earlier version, or from a server that stopped before it created
    // the tables.
    try StoreTables.prepare(on: connection, makeEpoch: makeEpoch, now: now)
    try StoreTables.forgetUnheldAssets(on: connection)
    switch purpose {
    case .keep: break
    case .beginAnew:
      try StoreTables.beginTimeline(epoch: makeEpoch(), now: now(), on: connection)
    }
    let epoch = try StoreTables.identity(on: connection)
    try connection.execute(TransactionStatements.commit, [])
    return epoch
  }

  /// Copies the server's registry file.
  ///
  /// - Parameter epochs: the epochs of all copied stores. The copy lists only these stores.
  /// - Throws: `INTERNAL_ERROR`, for example if the file is damaged. `TRY_AGAIN_LATER` if the disk
  ///   is full, or if another program locks a file.
  public func copyRegistry(
    to purpose: Purpose, epochs: [StoreAddress: Int64]
  ) throws(ServerError) {
    let file = DataFolder.registry(in: target)
    try copy(DataFolder.registry(in: source), to: file)
    let connection = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try connection.execute(TransactionStatements.beginWrite, [])
    try RegistryTables.setStores(epochs, on: connection)
    switch purpose {
    case .keep: break
    case .beginAnew: try RegistryTables.forgetInstallation(on: connection)
    }
    try connection.execute(TransactionStatements.commit, [])
  }

  /// Returns the size in bytes of a store's file and its log, or 0 if there is no file.
  public func sizeBytes(of address: StoreAddress) -> Int64 {
    let path = DataFolder.file(of: address, in: source).path
    return [path, path + "-wal"].reduce(0) { sum, path in
      var status = stat()
      return stat(path, &status) == 0 ? sum + Int64(status.st_size) : sum
    }
  }

  /// Returns a text that changes with each write to a store's file or its log.
  ///
  /// - Parameter moment: a time of the file system, in nanoseconds since 1970 UTC.
  /// - Returns: nil if there is no file, or if the files were written in the two seconds before
  ///   `moment`. The next write could then leave the same times, because file systems have coarse
  ///   clocks.
  public func state(of address: StoreAddress, at moment: Int64) -> String? {
    let path = DataFolder.file(of: address, in: source).path
    var texts: [String] = []
    for file in [path, path + "-wal"] {
      var status = stat()
      guard stat(file, &status) == 0, status.st_size > 0 else { continue }
      let written = Self.nanoseconds(status)
      guard written < moment - 2_000_000_000 else { return nil }
      texts.append("\(status.st_ino) \(status.st_size) \(written)")
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  /// Returns the time of the last change in the target folder, in nanoseconds since 1970 UTC, or 0
  /// if the folder does not exist. The clock of the file system determines this time.
  public func moment() -> Int64 {
    var status = stat()
    return stat(target.path, &status) == 0 ? Self.nanoseconds(status) : 0
  }

  private static func nanoseconds(_ status: stat) -> Int64 {
    #if os(Linux)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Creates a hard link in the target to a store's file in an earlier backup, instead of copying
  /// the store.
  ///
  /// - Returns: whether the target has the file now. The result is false, for example, if the
  ///   earlier backup has no such file, or is on another disk.
  /// - Throws: `INTERNAL_ERROR` if the store's folder cannot be created.
  public func shareStore(at address: StoreAddress, with earlier: URL) throws(ServerError) -> Bool {
    try makeFolder(of: address)
    let file = DataFolder.file(of: address, in: target)
    guard link(DataFolder.file(of: address, in: earlier).path, file.path) == 0 else {
      return false
    }
    DataFolder.flushNames(in: file.deletingLastPathComponent())
    return true
  }

  private func makeFolder(of address: StoreAddress) throws(ServerError) {
    do {
      try FileManager.default.createDirectory(
        at: DataFolder.folder(of: address.container, in: target),
        withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .fault("a container's folder cannot be created", facts: ["error": "\(error)"])
    }
  }

  private func copy(
    _ file: URL, to copy: URL, _ onProgress: (Double) -> Void = { _ in }
  ) throws(ServerError) {
    try OwnedFile.prepare(copy.path)
    do throws(ServerError) {
      let writing = try SQLiteConnection(path: copy.path, configuration: SQLiteSettings.copied)
      defer { writing.close() }
      try Self.copyPages(of: file, to: writing, onProgress)
      // With this journal mode, the copy is one file without a log. The file can be read even on a
      // read-only disk.
      try writing.define("PRAGMA journal_mode = DELETE")
      if let damage = try writing.firstDamage() { throw SQLiteFailure.damaged(damage) }
    } catch {
      var failure = error
      failure.facts["statement"] = "copying \(file.path)"
      throw failure
    }
  }

  private static let firstRead = SQLStatement("SELECT count(*) FROM sqlite_master")

  /// Copies a file in steps. The copy has the state of one moment.
  private static func copyPages(
    of file: URL, to target: SQLiteConnection, _ onProgress: (Double) -> Void
  ) throws(ServerError) {
    let source = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.source)
    defer { source.close() }
    try source.execute(TransactionStatements.beginRead, [])
    // NB: the first read determines the moment.
    try source.run(firstRead, []) { _ in true }
    try source.copyPages(to: target, pagesPerStep: pagesPerStep, onProgress: onProgress)
  }
}
