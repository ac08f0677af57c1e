public import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire

/// Copies everything a server keeps into another folder: to keep it, or to begin with it again.
///
/// Stores first and the server's own file last: what a store names, such as an account, was there
/// before.
public struct Backup: Sendable {
  /// What was copied.
  public struct Summary: Sendable, Equatable {
    public var storesCount = 0
    public var filesCount = 0
    /// Files that records hold, and the folder they were to be copied from does not have.
    public var missingFiles: [String] = []
  }

  private let source: URL
  private let target: URL

  /// Copies a data folder, while a server is at work in it or not.
  ///
  /// Each store is copied as it is at one moment. What is left of an earlier attempt is replaced;
  /// the backup has its name once it is whole.
  /// - Parameters:
  ///   - data: the data folder; nothing is written in it.
  ///   - folder: where to; must not be there, or be empty.
  /// - Throws: ``BackupFailure``.
  public static func make(of data: URL, at folder: URL) throws(BackupFailure) -> Summary {
    try Backup(source: data, target: folder).run { (_, _) throws(ServerError) in }
  }

  /// Makes a data folder of a backup, for a server to go on from there.
  ///
  /// Every store begins a history of its own: change tokens of the lost one have expired, so that
  /// who has followed it begins anew and misses nothing.
  /// - Parameters:
  ///   - folder: a backup, or any copy of a data folder; nothing is written in it.
  ///   - data: where to; must not be there, or be empty.
  ///   - live: its clock must not stand before anything that happened in the lost history.
  /// - Throws: ``BackupFailure``.
  public static func restore(
    _ folder: URL, to data: URL, live: Live = Live()
  ) throws(BackupFailure) -> Summary {
    try Backup(source: folder, target: data).run { (copy, address) throws(ServerError) in
      try copy.beginTimeline(
        at: address, epoch: live.makeEpoch(), now: live.ambient.now())
    }
  }

  private init(source: URL, target: URL) {
    self.source = source.standardizedFileURL
    self.target = target.standardizedFileURL
  }

  private func run(
    _ finish: (FolderCopy, StoreAddress) throws(ServerError) -> Void
  ) throws(BackupFailure) -> Summary {
    let stores = try storesToCopy()
    let place = try makePlace()
    var summary = Summary()
    do throws(ServerError) {
      let copy = FolderCopy(of: source, in: place)
      for address in stores {
        try copy.copyStore(at: address)
        try finish(copy, address)
        try copyFiles(of: address, copy, place, &summary)
        summary.storesCount += 1
      }
      try copy.copyRegistry()
    } catch {
      throw BackupFailure(error, source: source.path)
    }
    DataFolder.flushNames(in: place)
    guard rename(place.path, target.path) == 0 else {
      throw BackupFailure("\(place.path) cannot be renamed to \(target.path)", errno)
    }
    DataFolder.flushNames(in: target.deletingLastPathComponent())
    return summary
  }

  private func storesToCopy() throws(BackupFailure) -> [StoreAddress] {
    guard FileManager.default.fileExists(atPath: DataFolder.registry(in: source).path) else {
      throw BackupFailure("\(source.path) does not hold the data of a Stratus server")
    }
    do { return try DataFolder.stores(in: source) } catch {
      throw BackupFailure("\(source.path) cannot be read: \(error.localizedDescription)")
    }
  }

  /// Makes a folder beside the target that becomes it once all is there.
  private func makePlace() throws(BackupFailure) -> URL {
    let files = FileManager.default
    if files.fileExists(atPath: target.path),
      (try? files.contentsOfDirectory(atPath: target.path))?.isEmpty != true
    {
      throw BackupFailure(
        "\(target.path) is there already, and not an empty folder: move it away, or name another")
    }
    let place = target.deletingLastPathComponent()
      .appendingPathComponent(target.lastPathComponent + ".partial", isDirectory: true)
    do {
      if files.fileExists(atPath: place.path) { try files.removeItem(at: place) }
      try files.createDirectory(
        at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw BackupFailure("\(place.path) cannot be made: \(error.localizedDescription)")
    }
    return place
  }

  private func copyFiles(
    of address: StoreAddress, _ copy: FolderCopy, _ place: URL, _ summary: inout Summary
  ) throws(ServerError) {
    let assets = try AssetCopy(of: address, from: source, to: place)
    try copy.eachAssetFile(at: address) { (file) throws(ServerError) in
      if try assets.copy(file: file) == nil {
        summary.missingFiles.append(file)
      } else {
        summary.filesCount += 1
      }
    }
  }
}
