import Foundation
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire

/// Copies the files of one backup or one restore into a folder that is not complete yet.
struct BackupRun {
  private(set) var summary = Backup.Summary()
  private let backup: Backup
  private let partial: URL
  private let purpose: FolderCopy.Purpose
  private let files: FolderCopy
  private var progress = Backup.Progress(title: "", doneBytes: 0, totalBytes: 0)
  private var stores: [BackupStore] = []

  init(_ backup: Backup, to partial: URL, _ purpose: FolderCopy.Purpose) {
    self.backup = backup
    self.partial = partial
    self.purpose = purpose
    files = FolderCopy(
      of: backup.source, in: partial, makeEpoch: backup.live.makeEpoch,
      now: backup.live.ambient.now)
  }

  /// Copies the stores with their asset files, and then the file of the registry.
  ///
  /// - Throws: ``BackupFailure``.
  mutating func copy(_ addresses: [StoreAddress]) throws(BackupFailure) {
    summary.assetsPlace = backup.assetsPlace
    for address in addresses {
      do throws(ServerError) {
        progress.totalBytes +=
          (try sizeBytes(of: address)) + (try assets(of: address).sizeBytes())
      } catch {
        throw BackupFailure(error, what: "\(address.title) in \(backup.sourceName)")
      }
    }
    var epochs: [StoreAddress: Int64] = [:]
    for address in addresses {
      progress.title = address.title
      do throws(ServerError) {
        try backup.stop?.requireNone()
        let store = try copyStore(at: address)
        epochs[address] = store.epoch
        stores.append(store)
        if summary.assetsPlace == nil { try copyAssets(of: address) }
      } catch {
        throw BackupFailure(error, what: "\(address.title) in \(backup.sourceName)")
      }
      summary.storesCount += 1
    }
    do throws(ServerError) {
      try backup.stop?.requireNone()
      if let cluster = backup.cluster {
        try cluster.copyRegistry(to: partial, epochs: epochs)
      } else {
        try files.copyRegistry(to: purpose, epochs: epochs)
      }
    } catch {
      throw BackupFailure(error, what: "the server's own data in \(backup.sourceName)")
    }
    if let place = summary.assetsPlace {
      do { try AssetsPlace(data: partial).store(place) } catch {
        throw BackupFailure("the address of the assets cannot be written: \(error)")
      }
    }
  }

  /// Copies a store. If the store has not changed since the earlier backup, the copy is a hard link
  /// to that backup's file.
  private mutating func copyStore(at address: StoreAddress) throws(ServerError) -> BackupStore {
    // NB: the state is read before the copy. A write during the copy then changes the state. A
    // store in PostgreSQL has no such state, so it is always copied.
    let state =
      backup.cluster == nil ? files.state(of: address, at: files.moment()) : nil
    let (done, size) = (progress.doneBytes, try sizeBytes(of: address))
    if let earlier = backup.earlier,
      let known = earlier.manifest.stores.first(where: { $0.address == address }),
      let state, known.sourceState == state,
      try FileChecksum(of: DataFolder.file(of: address, in: earlier.folder).path)?.listed
        == known.file, try files.shareStore(at: address, with: earlier.folder)
    {
      summary.sharedStoresCount += 1
      progress.doneBytes = done + size
      backup.onProgress(progress)
      return known
    }
    var progress = progress
    let report = { [backup] (share: Double) in
      progress.doneBytes = done + Int64(share * Double(size))
      backup.onProgress(progress)
    }
    let epoch =
      if let cluster = backup.cluster {
        try cluster.copyStore(at: address, to: partial, onProgress: report)
      } else {
        try files.copyStore(at: address, to: purpose, onProgress: report)
      }
    self.progress = progress
    let path = DataFolder.file(of: address, in: partial).path
    guard let checksum = try FileChecksum(of: path) else {
      throw .fault("a copied file is missing", facts: ["path": path])
    }
    return BackupStore(
      containerID: address.container, environment: address.environment.rawValue,
      file: checksum.listed, epoch: epoch, sourceState: state)
  }

  private func sizeBytes(of address: StoreAddress) throws(ServerError) -> Int64 {
    guard let cluster = backup.cluster else { return files.sizeBytes(of: address) }
    return try cluster.sizeBytes(ofStore: address)
  }

  private mutating func copyAssets(of address: StoreAddress) throws(ServerError) {
    let assets = try assets(of: address)
    var (summary, progress) = (summary, progress)
    try FolderInspection(of: partial, readsAll: false).eachAssetFile(ofStore: address) {
      [backup] (file, size, checksum) throws(ServerError) in
      try backup.stop?.requireNone()
      let asset = CopiedAsset(file: file, sizeBytes: size, checksum: checksum)
      let outcome = try assets.copy(asset) { bytes in
        progress.doneBytes += bytes
        backup.onProgress(progress)
      }
      switch outcome {
      case .copied: summary.filesCount += 1
      case .shared:
        summary.filesCount += 1
        summary.sharedFilesCount += 1
      case .damaged: summary.missingFiles.append("\(address.title): \(file)")
      }
    }
    (self.summary, self.progress) = (summary, progress)
  }

  private func assets(of address: StoreAddress) throws(ServerError) -> AssetCopy {
    try AssetCopy(
      of: address, from: backup.source, to: partial, earlier: backup.earlier?.folder)
  }

  /// Puts the journal of removals into the restored folder.
  ///
  /// - Throws: ``BackupFailure``.
  mutating func restoreRemovals() throws(BackupFailure) {
    let journal: URL
    switch backup.removals {
    case .none: return
    case .file(let file): journal = file
    case .backup:
      journal = RemovalFile.location(in: backup.source)
      guard FileManager.default.fileExists(atPath: journal.path) else { return }
    }
    summary.laterRemovalsCount = try RemovalFile.restore(
      journal, to: partial, after: try backupTime())
  }

  /// The time of the restored backup. A snapshot of a data folder has no manifest, so the time at
  /// which its registry was last written counts.
  private func backupTime() throws(BackupFailure) -> Int64 {
    if let manifest = try? Backup.manifest(of: backup.source) { return manifest.begunAt }
    let registry = DataFolder.registry(in: backup.source).path
    let times = [registry, registry + "-wal"].compactMap { path -> Int64? in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return Int64(status.st_mtim.tv_sec) * 1_000
    }
    return times.max() ?? 0
  }

  /// Writes the list of the files, which makes the folder a complete backup.
  ///
  /// - Throws: ``BackupFailure``.
  func writeManifest(begunAt: Int64) throws(BackupFailure) {
    let registry = DataFolder.registry(in: partial)
    do {
      guard let checksum = try FileChecksum(of: registry.path) else {
        throw CocoaError(.fileNoSuchFile)
      }
      let manifest = BackupManifest(
        version: ServerVersion.current, source: backup.sourceName, begunAt: begunAt,
        endedAt: backup.live.ambient.now(), registry: checksum.listed, stores: stores,
        missingFiles: summary.missingFiles)
      try OwnerFile.write(
        manifest.jsonBytes, to: partial.appendingPathComponent(BackupManifest.name))
    } catch {
      throw BackupFailure("the backup's list of files cannot be written: \(error)")
    }
  }
}

extension FileChecksum {
  /// The entry in the list of a backup's files.
  var listed: BackupFile { BackupFile(sizeBytes: sizeBytes, sha256: hex) }
}

extension BackupStore {
  /// The store's address, or nil if the environment has an unknown name.
  var address: StoreAddress? {
    ContainerEnvironment(rawValue: environment).map {
      StoreAddress(container: containerID, environment: $0)
    }
  }
}
