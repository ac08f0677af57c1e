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
  private let source: URL
  private let target: URL

  /// - Parameters:
  ///   - source: a data folder, or a copy of one; nothing is written in it.
  ///   - target: a folder that is there, and empty.
  public init(of source: URL, in target: URL) {
    self.source = source
    self.target = target
  }

  /// Copies a store, without the assets that no record holds; its folder is made.
  ///
  /// - Throws: `INTERNAL_ERROR`, also if the file is damaged.
  public func copyStore(at address: StoreAddress) throws(ServerError) {
    let folder = DataFolder.folder(of: address.container, in: target)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .fault("a container's folder cannot be made", facts: ["error": "\(error)"])
    }
    let file = DataFolder.file(of: address, in: target)
    try copy(DataFolder.file(of: address, in: source), to: file)
    try change(file) { (connection) throws(ServerError) in
      try StoreTables.forgetUnheldAssets(on: connection)
    }
    DataFolder.flushNames(in: folder)
  }

  /// Copies the server's own file.
  ///
  /// - Throws: `INTERNAL_ERROR`, also if the file is damaged.
  public func copyRegistry() throws(ServerError) {
    try copy(DataFolder.registry(in: source), to: DataFolder.registry(in: target))
  }

  /// Names the files of the assets of a store that was copied.
  ///
  /// - Throws: `INTERNAL_ERROR`, and what `body` throws.
  public func eachAssetFile(
    at address: StoreAddress, _ body: (String) throws(ServerError) -> Void
  ) throws(ServerError) {
    let connection = try SQLiteConnection(
      path: DataFolder.file(of: address, in: target).path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try StoreTables.eachAssetFile(on: connection, body)
  }

  /// Makes a store that was copied one with a history of its own: who followed the history of the
  /// first begins anew.
  ///
  /// - Parameters:
  ///   - epoch: 64 random bits.
  ///   - now: see ``StoreTables/beginTimeline(epoch:now:on:)``.
  /// - Throws: `INTERNAL_ERROR`.
  public func beginTimeline(
    at address: StoreAddress, epoch: Int64, now: Int64
  ) throws(ServerError) {
    try change(DataFolder.file(of: address, in: target)) { (connection) throws(ServerError) in
      // A file that an earlier version wrote.
      try StoreTables.prepare(on: connection, makeEpoch: { epoch }, now: { now })
      try StoreTables.beginTimeline(epoch: epoch, now: now, on: connection)
    }
  }

  private func change(
    _ file: URL, _ body: (any SQLConnection) throws(ServerError) -> Void
  ) throws(ServerError) {
    let connection = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try connection.execute(TransactionStatements.beginWrite, [])
    try body(connection)
    try connection.execute(TransactionStatements.commit, [])
  }

  private func copy(_ file: URL, to copy: URL) throws(ServerError) {
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
