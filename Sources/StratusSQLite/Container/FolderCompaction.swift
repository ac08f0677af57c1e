import Foundation
public import StratusDomain
import StratusSQL

/// Rewrites the SQLite files of a data folder without their unused space. The folder's lock ensures
/// that no server uses the folder.
///
/// Each file is first copied within the data folder. The copy then replaces the file, so an
/// interrupted compaction loses nothing. After a compaction, a running server can return unused
/// space of all files, even of files that an earlier version created.
public struct FolderCompaction: Sendable {
  /// The size of a file in bytes before and after its compaction. `before` includes the file's log.
  public struct Sizes: Sendable, Equatable {
    public var before: Int64
    public var after: Int64
  }

  private let folder: DataFolder

  public init(of folder: DataFolder) {
    self.folder = folder
    folder.removeLeftovers()
  }

  /// Returns the stores of the folder.
  ///
  /// - Throws: an error if the folder cannot be read.
  public func stores() throws -> [StoreAddress] { try DataFolder.stores(in: folder.url) }

  /// Compacts a store's file.
  ///
  /// - Throws: `INTERNAL_ERROR`, for example if the file is damaged. `TRY_AGAIN_LATER` if the disk
  ///   has too little free space, or if another program uses the file.
  public func compactStore(at address: StoreAddress) throws(ServerError) -> Sizes {
    try compact(DataFolder.file(of: address, in: folder.url).path)
  }

  /// Compacts the server's registry file.
  ///
  /// - Throws: the same errors as ``compactStore(at:)``.
  public func compactRegistry() throws(ServerError) -> Sizes {
    try compact(folder.registryPath)
  }

  private func compact(_ path: String) throws(ServerError) -> Sizes {
    let before = Self.size(of: path) + Self.size(of: path + "-wal")
    let copy = folder.partialPath
    do throws(ServerError) {
      try write(path, to: copy)
      try take(copy, as: path)
    } catch {
      unlink(copy)
      throw error
    }
    return Sizes(before: before, after: Self.size(of: path))
  }

  private func write(_ path: String, to copy: String) throws(ServerError) {
    try OwnedFile.prepare(path)
    try OwnedFile.prepare(copy)
    let connection = try SQLiteConnection(path: path, configuration: SQLiteSettings.compacted)
    defer { connection.close() }
    try requireSpace(for: connection)
    try connection.define("PRAGMA auto_vacuum = INCREMENTAL;")
    try connection.execute(CompactionStatements.copy, [.text(copy)])
    try Self.check(copy)
  }

  /// Checks that the copy can be read. Flushes the copy, because SQLite does not flush it.
  private static func check(_ copy: String) throws(ServerError) {
    let connection = try SQLiteConnection(path: copy, configuration: SQLiteSettings.source)
    defer { connection.close() }
    if let damage = try connection.firstDamage() {
      throw .fault("the compacted file is damaged", facts: ["finding": damage])
    }
    let descriptor = open(copy, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw SQLiteFailure.unopened(path: copy, code: errno) }
    defer { Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SQLiteFailure.unopened(path: copy, code: errno) }
  }

  /// Renames the copy to the file's path.
  private func take(_ copy: String, as path: String) throws(ServerError) {
    // NB: when the last connection to a file closes, it removes the file's log. If an old log still
    // existed, SQLite would apply it to the copy.
    guard Self.size(of: path + "-wal") == 0 else {
      throw SQLiteFailure.busy(facts: ["path": path, "fault": "another program uses the file"])
    }
    guard DataFolder.flushNames(in: folder.url), rename(copy, path) == 0,
      DataFolder.flushNames(in: URL(fileURLWithPath: path).deletingLastPathComponent())
    else { throw SQLiteFailure.unopened(path: path, code: errno) }
  }

  private func requireSpace(for connection: SQLiteConnection) throws(ServerError) {
    var needed: Int64 = 0
    let counts = [CompactionStatements.pages, CompactionStatements.unusedPages]
    for (sign, statement) in zip([1, -1] as [Int64], counts) {
      needed += sign * (try connection.first(statement, []) { $0.integer(0) } ?? 0)
    }
    needed *= try connection.first(CompactionStatements.pageSize, []) { $0.integer(0) } ?? 0
    var status = statvfs()
    guard statvfs(folder.url.path, &status) == 0 else { return }
    let (free, isHuge) = Int64(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
    if isHuge || free > needed + Self.spareBytes { return }
    throw SQLiteFailure.full(facts: ["needed bytes": "\(needed)", "free bytes": "\(free)"])
  }

  /// The free disk space that a compaction must leave for other programs, in bytes.
  private static let spareBytes: Int64 = 16 << 20

  private static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}

private enum CompactionStatements {
  static let copy = SQLStatement("VACUUM INTO ?")
  static let pages = SQLStatement("PRAGMA page_count")
  static let unusedPages = SQLStatement("PRAGMA freelist_count")
  static let pageSize = SQLStatement("PRAGMA page_size")
}
