public import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
public import StratusWire

extension Backup {
  /// The result of reading a whole backup again.
  public struct Verification: Sendable, Equatable {
    /// The time at which the backup began, in milliseconds since 1970 UTC.
    public var begunAt: Int64
    public var storesCount = 0
    public var filesCount = 0
    /// A sentence for each file that is missing or differs from what was written.
    public var problems: [String] = []
    /// The asset files that were missing or damaged when the backup was made.
    public var missingFiles: [String] = []
  }

  /// Reads all files of a backup and compares them with their checksums.
  ///
  /// - Parameter onProgress: is called at intervals.
  /// - Throws: ``BackupFailure`` if the folder is not a complete backup, or cannot be read.
  public static func verify(
    _ folder: URL, onProgress: @escaping (Progress) -> Void = { _ in }
  ) throws(BackupFailure) -> Verification {
    let manifest = try manifest(of: folder)
    var result = Verification(begunAt: manifest.begunAt, missingFiles: manifest.missingFiles)
    var progress = Progress(title: "", doneBytes: 0, totalBytes: 0)
    do throws(ServerError) {
      let stores = manifest.stores.compactMap { store in store.address.map { ($0, store.file) } }
      for (address, file) in stores {
        progress.totalBytes +=
          file.sizeBytes
          + (try AssetCopy(of: address, from: folder, to: folder).sizeBytes())
      }
      let registry = DataFolder.registry(in: folder)
      if try FileChecksum(of: registry.path)?.listed != manifest.registry {
        result.problems.append("the server's own file is missing or damaged")
      }
      for (address, file) in stores {
        progress.title = address.title
        try verify(address, file, in: folder, &result, &progress, onProgress)
      }
    } catch {
      throw BackupFailure(error, what: folder.path, verb: "read")
    }
    return result
  }

  private static func verify(
    _ address: StoreAddress, _ file: BackupFile, in folder: URL, _ result: inout Verification,
    _ progress: inout Progress, _ onProgress: @escaping (Progress) -> Void
  ) throws(ServerError) {
    let path = DataFolder.file(of: address, in: folder).path
    var now = progress
    let report = { (bytes: Int64) in
      now.doneBytes += bytes
      onProgress(now)
    }
    guard try FileChecksum(of: path, onProgress: report)?.listed == file else {
      result.problems.append("the store of \(address.title) is missing or damaged")
      return
    }
    result.storesCount += 1
    // A backup does not contain the bytes of assets that are in S3.
    if AssetsPlace(data: folder).stored != nil {
      progress = now
      return
    }
    let assets = try AssetCopy(of: address, from: folder, to: folder)
    let known = Set(result.missingFiles)
    var (problems, count) = (result.problems, result.filesCount)
    try FolderInspection(of: folder, readsAll: false).eachAssetFile(ofStore: address) {
      (file, size, checksum) throws(ServerError) in
      let asset = CopiedAsset(file: file, sizeBytes: size, checksum: checksum)
      if try assets.isIntact(asset, onProgress: report) {
        count += 1
      } else if !known.contains("\(address.title): \(file)") {
        problems.append("the file \(file) of \(address.title) is missing or damaged")
      }
    }
    (result.problems, result.filesCount, progress) = (problems, count, now)
  }

  /// Reads the list of a backup's files.
  ///
  /// - Throws: ``BackupFailure`` if the folder is not a complete backup, if an earlier version of
  ///   Stratus made it, or if the list cannot be read.
  public static func manifest(of folder: URL) throws(BackupFailure) -> BackupManifest {
    let file = folder.appendingPathComponent(BackupManifest.name)
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw BackupFailure(
        "\(folder.path) is not a complete backup, or an earlier version of Stratus made it: it has "
          + "no \(BackupManifest.name)")
    }
    do { return try BackupManifest(jsonBytes: Array(bytes)) } catch {
      throw BackupFailure("\(file.path) cannot be read: \(error)")
    }
  }

  /// Refuses to restore a backup whose stores or registry have changed since it was made. A copy of
  /// a data folder has no list of files, and is accepted.
  ///
  /// - Throws: ``BackupFailure``.
  func requireIntactStores() throws(BackupFailure) {
    let list = source.appendingPathComponent(BackupManifest.name)
    guard FileManager.default.fileExists(atPath: list.path) else { return }
    let manifest = try Self.manifest(of: source)
    let known = manifest.stores.compactMap { store in
      store.address.map { (DataFolder.file(of: $0, in: source), store.file) }
    }
    for (file, expected) in known + [(DataFolder.registry(in: source), manifest.registry)] {
      do throws(ServerError) {
        if try FileChecksum(of: file.path)?.listed == expected { continue }
      } catch {
        throw BackupFailure(error, what: file.path, verb: "read")
      }
      throw BackupFailure(
        "\(file.path) is missing or damaged: it differs from what the backup wrote; restore "
          + "another backup")
    }
  }
}
