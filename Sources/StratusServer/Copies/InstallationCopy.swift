public import Foundation
import StratusAssets
import StratusDomain
import StratusSQL
import StratusSQLite
import StratusWire

/// Moves containers of an installation between a data folder and PostgreSQL, with their accounts,
/// tokens, keys and assets. No server may use the source or the target meanwhile.
///
/// The methods block the thread. At most one row and one piece of a file are in memory. If single
/// containers are copied, the IDs of their accounts are in memory, too.
public struct InstallationCopy {
  /// The source or the target of a copy.
  public enum Place: Sendable, Hashable {
    /// The data folder of a server.
    case folder(URL)
    /// The address of a PostgreSQL cluster. See ``PostgresAccess/url``.
    case postgres(String)
  }

  /// The effect on change tokens and on the installation's ID. An installation and its copy must
  /// never continue the same history, because a device that used both would miss changes. They must
  /// not have the same ID either, because each would remove files of the other from a bucket. After
  /// a copy of single containers, the source keeps the ID, because it goes on with the others.
  public enum History: Sendable, Hashable {
    /// Change tokens stay valid for the target, and expire for the source. The target keeps the ID.
    case moved
    /// Change tokens stay valid for the source, and expire for the target. The source keeps the ID.
    case begunAnew
  }

  /// The result of a copy.
  public struct Summary: Sendable, Equatable {
    public var storesCount = 0
    public var rowsCount: Int64 = 0
    public var filesCount = 0
    /// Asset files that are missing or damaged in the source. Each text names the store and the
    /// file.
    public var missingFiles: [String] = []
    /// The S3 bucket with the bytes of assets, which stay there, or nil if they are in folders.
    public var assetsPlace: String?
  }

  /// The progress of a copy.
  public struct Progress: Sendable, Equatable {
    /// The container and environment that are being copied.
    public var title: String
    /// The number of rows of ``title`` that are copied.
    public var doneRows: Int64
    public var totalRows: Int64
  }

  /// The folder of the keys and of the bytes of assets of the servers on PostgreSQL.
  let shared: URL
  let history: History
  /// The bucket with the bytes of assets, as ``AssetsPlace`` stores it, or nil if they are in
  /// folders.
  var assetsPlace: String?
  /// The containers that are copied, or nil if all are.
  let containers: Set<String>?
  let schema: String
  let live: Live
  let onProgress: (Progress) -> Void

  /// Copies an installation or some of its containers, and reads the copy again to compare it with
  /// the source.
  ///
  /// - Parameters:
  ///   - target: an empty database, or a folder that does not exist. An interrupted copy is removed
  ///     by the next one.
  ///   - shared: the folder of the keys and of the bytes of assets of the servers on PostgreSQL. If
  ///     it belongs to the target, it must be empty.
  ///   - assets: the S3 bucket with the bytes of assets, if they are not in folders.
  ///   - containers: the IDs of the containers, or nil for all. With single containers, only the
  ///     rows of the registry that belong to these containers are copied.
  ///   - schema: the schema in PostgreSQL. Tests use schemas of their own.
  ///   - onProgress: is called at intervals.
  /// - Throws: ``BackupFailure``.
  public static func run(
    from source: Place, to target: Place, shared: URL, assets: S3Access? = nil,
    containers: Set<String>? = nil, history: History, schema: String = "stratus",
    live: Live = Live(),
    onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Summary {
    #if Postgres
      var copy = InstallationCopy(
        shared: shared.standardizedFileURL, history: history, containers: containers,
        schema: schema, live: live, onProgress: onProgress)
      copy.assetsPlace = assets?.location.place
      switch (source, target) {
      case (.folder(let folder), .postgres(let url)):
        return try copy.move(folder.standardizedFileURL, toPostgres: url)
      case (.postgres(let url), .folder(let folder)):
        return try copy.move(postgres: url, to: folder.standardizedFileURL)
      case (.folder, .folder):
        throw BackupFailure("both are folders: use 'stratus backup' and 'stratus restore'")
      case (.postgres, .postgres):
        throw BackupFailure("both are in PostgreSQL: use pg_dump and pg_restore")
      }
    #else
      throw BackupFailure.withoutPostgres
    #endif
  }
}

/// The pieces that both directions use.
extension InstallationCopy {
  /// Copies the tables of a store or of the registry, and compares the copy with its source.
  ///
  /// - Parameters:
  ///   - title: the title for the progress.
  ///   - typed: see ``TableCopy/init(of:from:to:typed:selection:)``.
  ///   - selection: the rows of a registry that are copied, or nil if all are.
  func copy(
    _ subject: TableCopy.Subject, _ title: String, from source: any TableSet,
    to target: any TableSet, typed: any TableSet, selection: RegistrySelection? = nil,
    _ summary: inout Summary
  ) throws(ServerError) {
    summary.rowsCount += try Self.copyTables(
      subject, title, from: source, to: target, typed: typed, selection: selection, onProgress)
  }

  /// Copies the tables like ``copy(_:_:from:to:typed:selection:_:)``.
  ///
  /// - Returns: the number of rows.
  static func copyTables(
    _ subject: TableCopy.Subject, _ title: String, from source: any TableSet,
    to target: any TableSet, typed: any TableSet, selection: RegistrySelection? = nil,
    _ onProgress: (Progress) -> Void
  ) throws(ServerError) -> Int64 {
    try requireLayout(of: subject, on: source.connection)
    let copy = try TableCopy(
      of: subject, from: source, to: target, typed: typed, selection: selection)
    var progress = Progress(
      title: title, doneRows: 0, totalRows: try source.rowsCount(of: copy.tables))
    onProgress(progress)
    let tallies = try copy.run { rows in
      progress.doneRows += rows
      onProgress(progress)
    }
    try copy.verify(tallies)
    try copy.finish()
    return tallies.values.reduce(0) { $0 + $1.rows }
  }

  /// Whether the stores of a container are copied.
  func includes(_ address: StoreAddress) -> Bool {
    containers?.contains(address.container) ?? true
  }

  /// Returns the rows of the registry that are copied, or nil if all are.
  ///
  /// - Throws: `INTERNAL_ERROR`, for example if the registry lacks one of the containers.
  func selection(in registry: any TableSet) throws(ServerError) -> RegistrySelection? {
    guard let containers else { return nil }
    try Self.requireLayout(of: .registry, on: registry.connection)
    return try RegistrySelection(of: containers, on: registry.connection)
  }

  /// Refuses to copy single containers whose bytes of assets are in a bucket. The bucket belongs to
  /// the source, so the target could not use the files.
  func requireFilesInFolders() throws(BackupFailure) {
    guard containers != nil, let assetsPlace else { return }
    throw BackupFailure(
      "the bytes of assets are in \(assetsPlace), which only one installation may use: copy all "
        + "containers")
  }

  private static func requireLayout(
    of subject: TableCopy.Subject, on connection: any SQLConnection
  ) throws(ServerError) {
    let (found, known) =
      switch subject {
      case .store: (try StoreTables.foundLayout(on: connection), StoreTables.layout)
      case .registry: (try RegistryTables.foundLayout(on: connection), RegistryTables.layout)
      }
    if found == known { return }
    var error = ServerError.fault(
      "another version of Stratus wrote the data",
      facts: ["layout": found.map { "\($0)" } ?? "none", "known": "\(known)"])
    error.hint = "start and stop a server of this version first, so that it upgrades the data"
    throw error
  }

  /// Copies the asset files of a store between two folders. Each file is compared with its
  /// checksum.
  func copyAssets(
    of address: StoreAddress, _ files: [CopiedAsset], from source: URL, to target: URL,
    _ summary: inout Summary
  ) throws(ServerError) {
    if assetsPlace != nil { return }
    let assets = try AssetCopy(of: address, from: source, to: target)
    for file in files {
      switch try assets.copy(file) {
      case .copied, .shared: summary.filesCount += 1
      case .damaged: summary.missingFiles.append("\(address.title): \(file.file)")
      }
    }
  }
}
