public import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire

/// Copies all data of a server into another folder, as a backup or to restore a backup.
///
/// The stores are copied first, and the registry file is copied last. The copy then contains
/// everything to which a store refers, such as accounts.
public struct Backup {
  /// The result of a copy.
  public struct Summary: Sendable, Equatable {
    public var storesCount = 0
    public var filesCount = 0
    /// The number of stores that have not changed since the earlier backup. ``storesCount``
    /// includes them.
    public var sharedStoresCount = 0
    /// The number of asset files that the earlier backup has, too. ``filesCount`` includes them.
    public var sharedFilesCount = 0
    /// Files that records use but that are missing or damaged in the source. Each text names the
    /// store and the file.
    public var missingFiles: [String] = []
    /// The number of removals in the journal that are later than the restored backup. The server
    /// applies them when it starts.
    public var laterRemovalsCount = 0
    /// The S3 bucket with the bytes of assets, which the copy does not contain, or nil if they are
    /// in the data folder.
    public var assetsPlace: String?
  }

  /// The progress of a copy, in bytes of the source.
  public struct Progress: Sendable, Equatable {
    /// The container and environment that are being copied.
    public var title: String
    public var doneBytes: Int64
    /// The size of all stores and their asset files. Files that no record uses are counted but not
    /// copied, so a copy may end before this number is reached.
    public var totalBytes: Int64
  }

  /// The folder that is copied. With ``cluster``, the folder has only keys and bytes of assets.
  let source: URL
  let target: URL
  let live: Live
  let onProgress: (Progress) -> Void
  /// The earlier backup whose unchanged files the new backup links to instead of copying them.
  let earlier: (folder: URL, manifest: BackupManifest)?
  /// The journal of removals that a restore uses.
  private(set) var removals = RemovalSource.none
  /// The stores and the registry, if they are not files in ``source``.
  private(set) var cluster: (any BackupCluster)?
  /// Lets another thread end the copy early.
  private(set) var stop: BackupStop?

  /// The journal of removals whose entries a restore applies.
  public enum RemovalSource: Sendable, Equatable {
    /// The copy in the backup. It has no entries after the backup, so later removals are undone.
    case backup
    /// The journal of the lost data folder, or the copy in a later backup.
    case file(URL)
    case none
  }

  /// Copies a data folder, whether or not a server is using it.
  ///
  /// The copy of each store has the state of one moment. The backup gets its final name when it is
  /// complete.
  /// - Parameters:
  ///   - data: the data folder.
  ///   - folder: the folder to create.
  ///   - keys: the file to create for the server's keys, or nil to leave the keys out.
  ///   - since: an earlier backup. Files that have not changed since then are not copied again:
  ///     both backups share the bytes on the disk, and each backup remains complete if the other is
  ///     deleted.
  ///   - onProgress: is called at intervals.
  /// - Throws: ``BackupFailure``.
  public static func make(
    of data: URL, at folder: URL, keys: URL? = nil, since earlier: URL? = nil, live: Live = Live(),
    onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Summary {
    let prepared = try prepare(of: data, at: folder, since: earlier, live: live, onProgress)
    try prepared.publish()
    if let keys { try KeyBackup.copy(of: data, to: keys) }
    return prepared.summary
  }

  /// Copies a data folder, or the stores of PostgreSQL and the shared folder of its servers. The
  /// backup has a temporary name until ``PreparedBackup/publish()``.
  ///
  /// - Parameter stop: lets another thread end the copy early.
  static func prepare(
    of source: URL, beside cluster: (any BackupCluster)? = nil, at folder: URL,
    since earlier: URL?, live: Live, stop: BackupStop? = nil,
    _ onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> PreparedBackup {
    var known: (folder: URL, manifest: BackupManifest)?
    if let earlier { known = (earlier.standardizedFileURL, try manifest(of: earlier)) }
    var backup = Backup(source: source, target: folder, live: live, earlier: known, onProgress)
    backup.cluster = cluster
    backup.stop = stop
    return try backup.prepare(.keep)
  }

  /// Creates a data folder from a backup, so that a server can continue with it.
  ///
  /// Every store begins a new history, and change tokens of the lost history expire. A client with
  /// such a token must begin again with a nil token, and then misses no change.
  /// - Parameters:
  ///   - folder: a backup, or a copy of a data folder that has the state of one moment.
  ///   - data: the folder to create.
  ///   - keys: a file with the server's keys. If it is nil, the server creates new keys, and all
  ///     users must sign in again.
  ///   - removals: the journal of removals whose later entries the server applies when it starts.
  ///   - live: the clock and random numbers. The clock must not be earlier than any event of the
  ///     lost history.
  ///   - onProgress: is called at intervals.
  /// - Throws: ``BackupFailure``.
  public static func restore(
    _ folder: URL, to data: URL, keys: URL? = nil, removals: RemovalSource = .backup,
    live: Live = Live(), onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Summary {
    var backup = Backup(source: folder, target: data, live: live, earlier: nil, onProgress)
    backup.removals = removals
    try backup.requireIntactStores()
    let prepared = try backup.prepare(.beginAnew)
    try prepared.publish()
    if let keys { try KeyBackup.restore(keys, to: data) }
    return prepared.summary
  }

  private init(
    source: URL, target: URL, live: Live, earlier: (folder: URL, manifest: BackupManifest)?,
    _ onProgress: @escaping (Progress) -> Void
  ) {
    self.earlier = earlier
    self.onProgress = onProgress
    self.source = source.standardizedFileURL
    self.target = target.standardizedFileURL
    self.live = live
  }

  private func prepare(
    _ purpose: FolderCopy.Purpose
  ) throws(BackupFailure) -> PreparedBackup {
    // NB: a store that is created after the list was read is not copied.
    let begunAt = live.ambient.now()
    let stores = try storesToCopy()
    let (partial, lock) = try makeLockedFolder()
    do throws(BackupFailure) {
      var run = BackupRun(self, to: partial, purpose)
      try run.copy(stores)
      switch purpose {
      case .keep:
        try RemovalFile.copy(from: cluster?.journalFolder ?? source, to: partial)
        try run.writeManifest(begunAt: begunAt)
      case .beginAnew: try run.restoreRemovals()
      }
      return PreparedBackup(partial: partial, target: target, lock: lock, summary: run.summary)
    } catch {
      try? FileManager.default.removeItem(at: partial)
      lock?.release()
      throw error
    }
  }

  /// Creates a temporary folder with a lock, so that no other server takes the folder for the rest
  /// of an interrupted backup (see ``BackupSchedule``).
  private func makeLockedFolder() throws(BackupFailure) -> (URL, FolderLock?) {
    while true {
      let folder = try Self.makePartialFolder(for: target, notIn: source)
      let lock = FolderLock(folder, waits: true)
      // NB: another server may have removed the folder before it was locked.
      if access(folder.path, F_OK) == 0 { return (folder, lock) }
      lock?.release()
    }
  }

  /// The source, for messages and for the list of the backup's files.
  var sourceName: String { cluster?.shown ?? source.path }

  /// The S3 bucket with the bytes of assets, or nil if they are in ``source``.
  var assetsPlace: String? {
    if let cluster { return cluster.assetsPlace }
    return AssetsPlace(data: source).stored
  }

  private func storesToCopy() throws(BackupFailure) -> [StoreAddress] {
    if let cluster {
      do throws(ServerError) { return try cluster.stores() } catch {
        throw BackupFailure(error, what: sourceName)
      }
    }
    if access(DataFolder.registry(in: source).path, R_OK) != 0 {
      throw errno == ENOENT
        ? BackupFailure("\(source.path) does not hold the data of a Stratus server")
        : BackupFailure("\(source.path) cannot be read", errno)
    }
    do { return try DataFolder.stores(in: source) } catch {
      throw BackupFailure("\(source.path) cannot be read: \(error)")
    }
  }

  /// Creates a temporary folder beside the target. When the copy is complete, this folder is
  /// renamed to the target.
  ///
  /// - Parameter source: the folder that is copied, or nil if no folder is copied.
  static func makePartialFolder(
    for target: URL, notIn source: URL? = nil
  ) throws(BackupFailure) -> URL {
    var status = stat()
    if lstat(target.path, &status) == 0 {
      throw BackupFailure("\(target.path) exists already: move it away, or choose another name")
    }
    let parent = target.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    } catch {
      throw BackupFailure("\(parent.path) cannot be created: \(error)")
    }
    if let source,
      (parent.resolvingSymlinksInPath().path + "/")
        .hasPrefix(source.resolvingSymlinksInPath().path + "/")
    {
      throw BackupFailure(
        "\(target.path) lies in \(source.path), which is copied: choose a folder beside it")
    }
    var template = Array((target.path + ".partial-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw BackupFailure("no folder can be made in \(parent.path)", errno)
    }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return URL(fileURLWithPath: path, isDirectory: true)
  }
}

/// The stores and the registry of an installation that does not keep them in files.
protocol BackupCluster {
  /// The description of the place without secrets.
  var shown: String { get }
  /// The S3 bucket with the bytes of assets, or nil if they are in a folder.
  var assetsPlace: String? { get }
  /// The folder with the journal of removals.
  var journalFolder: URL { get }

  /// Returns the present stores.
  func stores() throws(ServerError) -> [StoreAddress]

  /// Returns the approximate size of a store in bytes.
  func sizeBytes(ofStore address: StoreAddress) throws(ServerError) -> Int64

  /// Copies a store into a file of a folder. The copy has the state of one moment.
  ///
  /// - Parameter onProgress: is called at intervals with the fraction of the rows that are copied,
  ///   from 0 to 1.
  /// - Returns: the copy's epoch.
  func copyStore(
    at address: StoreAddress, to folder: URL, onProgress: (Double) -> Void
  ) throws(ServerError) -> Int64?

  /// Copies the registry into a file of a folder.
  ///
  /// - Parameter epochs: the epochs of all copied stores. The copy lists only these stores.
  func copyRegistry(to folder: URL, epochs: [StoreAddress: Int64]) throws(ServerError)
}

extension StoreAddress {
  /// The container and environment, as operators see them.
  var title: String { "\(container) (\(environment))" }
}
