public import Foundation
import StratusDomain

#if Postgres
  import StratusPostgres
  import StratusSQL
  import StratusSQLite
#endif

/// An installation in PostgreSQL, as the operator's commands find it.
public struct PostgresPlace: Sendable {
  /// See ``PostgresAccess/url``.
  public var url: String
  /// The folder of the keys and of the bytes of assets, which the nodes share.
  public var shared: URL
  /// The S3 bucket with the bytes of assets, or nil if no bucket was named.
  public var assets: S3Access?
  /// The data folder of a node. It has the node's journal of removals, and the name of the bucket.
  public var data: URL
  /// The schema in PostgreSQL. Tests use schemas of their own.
  public var schema: String

  public init(
    url: String, shared: URL, assets: S3Access? = nil, data: URL, schema: String = "stratus"
  ) {
    self.url = url
    self.shared = shared.standardizedFileURL
    self.assets = assets
    self.data = data.standardizedFileURL
    self.schema = schema
  }

  /// The name of the bucket with the bytes of assets, or nil if they are in ``shared``.
  var assetsPlace: String? { assets?.place ?? AssetsPlace(data: data).stored }

  /// The installation without secrets, as the list of a backup's files names it.
  var sourceName: String {
    #if Postgres
      if let shown = (try? PostgresURL(url))?.shown { return "PostgreSQL at \(shown)" }
    #endif
    return "PostgreSQL"
  }
}

extension Backup {
  /// Copies an installation in PostgreSQL, whether or not nodes are using it. The result is a
  /// backup like that of a data folder.
  ///
  /// The copy of each store has the state of one moment.
  /// - Parameters:
  ///   - folder: the folder to create.
  ///   - keys: the file to create for the servers' keys, or nil to leave the keys out.
  ///   - since: an earlier backup. Asset files of that backup are not copied again. Stores are
  ///     always copied.
  ///   - onProgress: is called at intervals.
  /// - Throws: ``BackupFailure``.
  public static func make(
    of place: PostgresPlace, at folder: URL, keys: URL? = nil, since earlier: URL? = nil,
    live: Live = Live(), onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Summary {
    let prepared = try prepare(of: place, at: folder, since: earlier, live: live, onProgress)
    try prepared.publish()
    if let keys { try KeyBackup.copy(of: place.shared, to: keys) }
    return prepared.summary
  }

  /// Makes a backup of an installation in PostgreSQL. The backup has a temporary name until
  /// ``PreparedBackup/publish()``.
  ///
  /// - Parameter stop: lets another thread end the copy early.
  static func prepare(
    of place: PostgresPlace, at folder: URL, since earlier: URL?, live: Live,
    stop: BackupStop? = nil, _ onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> PreparedBackup {
    #if Postgres
      guard FileManager.default.fileExists(atPath: place.shared.path) else {
        throw BackupFailure(
          "there is no folder \(place.shared.path): name the shared folder of the servers with "
            + "--shared")
      }
      let installation = try InstallationCopy.installation(
        at: place.url, schema: place.schema, live: live)
      defer { installation.close() }
      let cluster = PostgresBackup(installation: installation, place: place)
      return try prepare(
        of: place.shared, beside: cluster, at: folder, since: earlier, live: live, stop: stop,
        onProgress)
    #else
      throw BackupFailure.withoutPostgres
    #endif
  }

  /// Creates an installation in PostgreSQL from a backup. The backup may be one of a data folder.
  ///
  /// The data folder of `place` gets the journal of removals, and the name of the bucket with the
  /// bytes of assets. The registry in the database gets the later entries of the journal. The first
  /// node that starts applies them, and the other nodes wait.
  /// - Parameters:
  ///   - place: an empty database, an empty shared folder, and a data folder without a journal of
  ///     removals.
  ///   - keys: a file with the servers' keys. If it is nil, the first node creates new keys.
  ///   - removals: the journal of removals whose later entries are applied.
  ///   - live: the clock and random numbers. The clock must not be earlier than any event of the
  ///     lost history.
  ///   - onProgress: is called at intervals while the backup is read.
  /// - Throws: ``BackupFailure``.
  public static func restore(
    _ folder: URL, to place: PostgresPlace, keys: URL? = nil, removals: RemovalSource = .backup,
    live: Live = Live(), onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Summary {
    #if Postgres
      guard place.shared.path != place.data.path else {
        throw BackupFailure(
          "--shared and --data name the same folder: the servers need a shared folder of their own")
      }
      try RemovalFile.requireNone(in: place.data)
      // NB: an unreachable server must be noticed before the backup is read.
      try InstallationCopy.installation(at: place.url, schema: place.schema, live: live).close()
      let name = place.shared.lastPathComponent + ".restored"
      let temporary = try makePartialFolder(
        for: place.shared.deletingLastPathComponent().appendingPathComponent(name))
      defer { try? FileManager.default.removeItem(at: temporary) }
      let restored = temporary.appendingPathComponent("data")
      let summary = try restore(
        folder, to: restored, keys: keys, removals: removals, live: live, onProgress: onProgress)
      try RemovalFile.keep(journalOf: restored, in: place.data)
      do throws(BackupFailure) {
        // The first node then refuses to start without the bucket.
        if let bucket = summary.assetsPlace {
          do { try AssetsPlace(data: place.data).store(bucket) } catch {
            throw BackupFailure("the address of the assets cannot be written: \(error)")
          }
        }
        _ = try InstallationCopy.run(
          from: .folder(restored), to: .postgres(place.url), shared: place.shared,
          history: .moved, schema: place.schema, live: live)
      } catch {
        RemovalFile.remove(from: place.data)
        throw error
      }
      return summary
    #else
      throw BackupFailure.withoutPostgres
    #endif
  }
}

#if Postgres
  /// Copies the stores and the registry of an installation in PostgreSQL into files.
  ///
  /// Each store is read in a transaction of its own. One transaction for all stores would hold
  /// locks on all their tables, and PostgreSQL could remove no dead rows until the backup ends.
  private struct PostgresBackup: BackupCluster {
    let installation: PostgresInstallation
    let place: PostgresPlace

    var shown: String { place.sourceName }
    var assetsPlace: String? { place.assetsPlace }
    var journalFolder: URL { place.data }

    func stores() throws(ServerError) -> [StoreAddress] {
      try installation.reading { (stores) throws(ServerError) -> [StoreAddress] in stores }
    }

    func sizeBytes(ofStore address: StoreAddress) throws(ServerError) -> Int64 {
      try installation.sizeBytes(ofStore: address)
    }

    func copyStore(
      at address: StoreAddress, to folder: URL, onProgress: (Double) -> Void
    ) throws(ServerError) -> Int64? {
      try installation.reading { (stores) throws(ServerError) -> Int64? in
        guard stores.contains(address) else {
          var error = ServerError.fault("its container was deleted after the backup began")
          error.hint = "make another backup"
          throw error
        }
        let source = try installation.store(at: address)
        let target = try SQLiteTableSet(creating: DataFolder.file(of: address, in: folder)) {
          (connection) throws(ServerError) in
          try StoreTables.prepare(on: connection, makeEpoch: { 0 })
        }
        return try filling(target) { () throws(ServerError) -> Int64? in
          _ = try InstallationCopy.copyTables(
            .store, address.title, from: source, to: target, typed: target
          ) { progress in
            onProgress(Double(progress.doneRows) / Double(max(1, progress.totalRows)))
          }
          try StoreTables.forgetUnheldAssets(on: target.connection)
          return try StoreTables.identity(on: target.connection)
        }
      }
    }

    func copyRegistry(
      to folder: URL, epochs: [StoreAddress: Int64]
    ) throws(ServerError) {
      try installation.reading { (_) throws(ServerError) -> Void in
        let source = try installation.registry()
        let target = try SQLiteTableSet(creating: DataFolder.registry(in: folder)) {
          (connection) throws(ServerError) in
          try RegistryTables.prepare(on: connection, upgrade: nil)
        }
        try filling(target) { () throws(ServerError) -> Void in
          _ = try InstallationCopy.copyTables(
            .registry, "accounts", from: source, to: target, typed: target
          ) { _ in }
          try RegistryTables.setStores(epochs, on: target.connection)
        }
      }
    }

    /// Calls `body`, and closes the file that it fills.
    private func filling<Value>(
      _ target: SQLiteTableSet, _ body: () throws(ServerError) -> Value
    ) throws(ServerError) -> Value {
      let value: Value
      do throws(ServerError) { value = try body() } catch {
        try? target.close()
        throw error
      }
      try target.close()
      return value
    }
  }
#endif
