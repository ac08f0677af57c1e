public import Foundation
import GRDB
public import StratusDomain
import StratusSQL
import StratusWire

/// The SQLite files of a data folder, on their way into another folder that no server uses.
///
/// A server may be at work in the first: each file is copied as it is at one moment, and nobody
/// waits for it.
public struct FolderCopy: Sendable {
  /// What a copy is to be.
  public enum Purpose: Sendable {
    /// The same history at an earlier moment.
    case keep
    /// The beginning of another history: who followed that of the first begins anew.
    case beginAnew
  }

  private let source: URL
  private let target: URL
  private let makeEpoch: @Sendable () -> Int64
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - source: a data folder, or a copy of one.
  ///   - target: a folder that is there, and empty.
  ///   - makeEpoch: draws 64 random bits for a new history.
  ///   - now: when it begins: see ``StoreTables/beginTimeline(epoch:now:on:)``.
  public init(
    of source: URL, in target: URL, makeEpoch: @escaping @Sendable () -> Int64,
    now: @escaping @Sendable () -> Int64
  ) {
    self.source = source
    self.target = target
    self.makeEpoch = makeEpoch
    self.now = now
  }

  /// Copies a store, without the assets that no record holds; its folder is made.
  ///
  /// - Throws: `INTERNAL_ERROR`, also if the file is damaged.
  /// - Returns: the copy's epoch.
  @discardableResult
  public func copyStore(
    at address: StoreAddress, to purpose: Purpose
  ) throws(ServerError) -> Int64? {
    let folder = DataFolder.folder(of: address.container, in: target)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .fault("a container's folder cannot be made", facts: ["error": "\(error)"])
    }
    let file = DataFolder.file(of: address, in: target)
    try copy(DataFolder.file(of: address, in: source), to: file)
    let connection = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try connection.execute(TransactionStatements.beginWrite, [])
    // An earlier version may have written it, or a server that ended before it had.
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

  /// Copies the server's own file.
  ///
  /// - Parameter epochs: those of all stores that were copied: the copy knows of no others.
  /// - Throws: `INTERNAL_ERROR`, also if the file is damaged.
  public func copyRegistry(epochs: [StoreAddress: Int64]) throws(ServerError) {
    let file = DataFolder.registry(in: target)
    try copy(DataFolder.registry(in: source), to: file)
    let connection = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try connection.execute(TransactionStatements.beginWrite, [])
    try RegistryTables.setStores(epochs, on: connection)
    try connection.execute(TransactionStatements.commit, [])
  }

  /// Names the files of the assets of a store that was copied, each with its size in bytes.
  ///
  /// - Throws: `INTERNAL_ERROR`, and what `body` throws.
  public func eachAssetFile(
    at address: StoreAddress, _ body: (_ file: String, _ size: Int64) throws(ServerError) -> Void
  ) throws(ServerError) {
    let connection = try SQLiteConnection(
      path: DataFolder.file(of: address, in: target).path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try StoreTables.eachAssetFile(on: connection, body)
  }

  private func copy(_ file: URL, to copy: URL) throws(ServerError) {
    try OwnedFile.prepare(copy.path)
    do {
      let reading = try DatabaseQueue(path: file.path, configuration: SQLiteSettings.source)
      let writing = try DatabaseQueue(path: copy.path, configuration: SQLiteSettings.copied)
      try reading.backup(to: writing)
      try reading.close()
      try writing.writeWithoutTransaction { database in
        // One file without a log beside it, that can be read where nothing can be written.
        try database.execute(sql: "PRAGMA journal_mode = DELETE")
        let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        if found != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: found) }
      }
      try writing.close()
    } catch {
      throw SQLiteFailure.serverError(error, doing: "copying \(file.path)")
    }
  }
}
