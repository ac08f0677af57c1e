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
    /// Files that records use but that are missing or damaged in the source. Each text names the
    /// store and the file.
    public var missingFiles: [String] = []
    /// The S3 bucket with the bytes of assets, which the copy does not contain, or nil if they are
    /// in the data folder.
    public var assetsPlace: String?
  }

  /// The progress of a copy, in bytes of the source.
  public struct Progress: Sendable, Equatable {
    /// The container and environment that are being copied.
    public var title: String
    public var doneBytes: Int64
    /// The size of all stores and their asset files. Files that no record holds are counted but not
    /// copied, so a copy may end before this number is reached.
    public var totalBytes: Int64
  }

  private let source: URL
  private let target: URL
  private let live: Live
  private let onProgress: (Progress) -> Void

  /// Copies a data folder, whether or not a server is using it.
  ///
  /// The copy of each store has the state of one moment. The backup gets its final name when it is
  /// complete.
  /// - Parameters:
  ///   - data: the data folder.
  ///   - folder: the folder to create.
  ///   - keys: the file to create for the server's keys, or nil to leave the keys out.
  ///   - onProgress: is called at intervals.
  /// - Throws: ``BackupFailure``.
  public static func make(
    of data: URL, at folder: URL, keys: URL? = nil, live: Live = Live(),
    onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Summary {
    let summary = try Backup(source: data, target: folder, live: live, onProgress).run(.keep)
    if let keys { try copyKeys(KeyFile.location(in: data), to: keys) }
    return summary
  }

  /// - Throws: ``BackupFailure`` if there are no keys, or if the target exists.
  private static func copyKeys(_ file: URL, to target: URL) throws(BackupFailure) {
    if FileManager.default.fileExists(atPath: target.path) {
      throw BackupFailure("\(target.path) exists already: move it away, or choose another name")
    }
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw BackupFailure("there is no key file at \(file.path)")
    }
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try OwnerFile.write(Array(bytes), to: target)
    } catch {
      throw BackupFailure("the keys cannot be written to \(target.path): \(error)")
    }
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
  ///   - live: the clock and random numbers. The clock must not be earlier than any event of the
  ///     lost history.
  ///   - onProgress: is called at intervals.
  /// - Throws: ``BackupFailure``.
  public static func restore(
    _ folder: URL, to data: URL, keys: URL? = nil, live: Live = Live(),
    onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Summary {
    let summary = try Backup(source: folder, target: data, live: live, onProgress)
      .run(.beginAnew)
    if let keys { try copyKeys(keys, to: KeyFile.location(in: data)) }
    return summary
  }

  private init(
    source: URL, target: URL, live: Live, _ onProgress: @escaping (Progress) -> Void
  ) {
    self.onProgress = onProgress
    self.source = source.standardizedFileURL
    self.target = target.standardizedFileURL
    self.live = live
  }

  private func run(_ purpose: FolderCopy.Purpose) throws(BackupFailure) -> Summary {
    let stores = try storesToCopy()
    let partial = try makePartialFolder()
    do throws(BackupFailure) {
      let summary = try copy(stores, to: partial, purpose)
      // NB: the rename fails if another process has created the folder since the check.
      guard DataFolder.flushNames(in: partial), rename(partial.path, target.path) == 0,
        DataFolder.flushNames(in: target.deletingLastPathComponent())
      else { throw BackupFailure("\(target.path) cannot be created from the copy", errno) }
      return summary
    } catch {
      try? FileManager.default.removeItem(at: partial)
      throw error
    }
  }

  private func copy(
    _ stores: [StoreAddress], to partial: URL, _ purpose: FolderCopy.Purpose
  ) throws(BackupFailure) -> Summary {
    var summary = Summary()
    var epochs: [StoreAddress: Int64] = [:]
    let copy = FolderCopy(
      of: source, in: partial, makeEpoch: live.makeEpoch, now: live.ambient.now)
    var progress = Progress(title: "", doneBytes: 0, totalBytes: 0)
    summary.assetsPlace = AssetsPlace(data: source).stored
    for address in stores {
      do throws(ServerError) {
        progress.totalBytes +=
          copy.sizeBytes(of: address)
          + (try AssetCopy(of: address, from: source, to: partial).sizeBytes())
      } catch {
        throw BackupFailure(error, what: "\(address.title) in \(source.path)")
      }
    }
    for address in stores {
      progress.title = address.title
      do throws(ServerError) {
        let (done, size) = (progress.doneBytes, copy.sizeBytes(of: address))
        epochs[address] = try copy.copyStore(at: address, to: purpose) { share in
          progress.doneBytes = done + Int64(share * Double(size))
          onProgress(progress)
        }
        if summary.assetsPlace == nil {
          try copyFiles(of: address, copy, partial, &summary, &progress)
        }
      } catch {
        throw BackupFailure(error, what: "\(address.title) in \(source.path)")
      }
      summary.storesCount += 1
    }
    do throws(ServerError) { try copy.copyRegistry(epochs: epochs) } catch {
      throw BackupFailure(error, what: "the server's own file in \(source.path)")
    }
    if let place = summary.assetsPlace {
      do { try AssetsPlace(data: partial).store(place) } catch {
        throw BackupFailure("the place of the assets cannot be written: \(error)")
      }
    }
    return summary
  }

  private func copyFiles(
    of address: StoreAddress, _ copy: FolderCopy, _ partial: URL, _ summary: inout Summary,
    _ progress: inout Progress
  ) throws(ServerError) {
    let assets = try AssetCopy(of: address, from: source, to: partial)
    try copy.eachAssetFile(at: address) { (file, size) throws(ServerError) in
      let copied = try assets.copy(file: file) { bytes in
        progress.doneBytes += bytes
        onProgress(progress)
      }
      if copied == size {
        summary.filesCount += 1
      } else {
        summary.missingFiles.append("\(address.title): \(file)")
      }
    }
  }

  private func storesToCopy() throws(BackupFailure) -> [StoreAddress] {
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
  private func makePartialFolder() throws(BackupFailure) -> URL {
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
    if (parent.resolvingSymlinksInPath().path + "/")
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

extension StoreAddress {
  /// The container and environment, as operators see them.
  var title: String { "\(container) (\(environment))" }
}
