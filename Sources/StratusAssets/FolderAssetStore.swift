public import Foundation
public import StratusDomain
import Synchronization

/// Keeps files in `DATA/<container>/<environment>.assets/`. Incomplete uploads are in `uploads/`,
/// and complete files are in `files/`.
public final class FolderAssetStore: AssetStore {
  private let data: URL
  private let now: @Sendable () -> Int64
  private let disk: Disk
  private let hasOwner: Bool
  private let checksums = KeptChecksums()
  /// The number of upload notes written so far. The number makes the name of each note's temporary
  /// file unique.
  private let notes = Atomic<UInt64>(0)
  /// The open uploads, by path.
  private let openUploads = Mutex<[String: FolderUpload]>([:])

  /// - Parameters:
  ///   - data: the data folder, which this process has locked against other servers, or a folder
  ///     that several processes share.
  ///   - hasOwner: whether the folder has a mark with the owner of the files. A data folder with a
  ///     registry needs none, because its files belong to this registry.
  ///   - now: returns the time in milliseconds since 1970 UTC.
  public init(data: URL, hasOwner: Bool = false, now: @escaping @Sendable () -> Int64) {
    self.hasOwner = hasOwner
    self.data = data.standardizedFileURL
    self.now = now
    disk = Disk(root: self.data.path)
  }

  public var ownerMark: (any AssetOwnerMark)? {
    hasOwner ? FolderOwnerMark(place: data.path, disk: disk) : nil
  }

  /// Returns the file that names the owner of the files in a shared folder.
  public static func ownerFile(in data: URL) -> URL {
    data.appendingPathComponent(FolderOwnerMark.fileName)
  }

  public func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload {
    let folders = try AssetFolders(data: data, address)
    let path = try folders.upload(id)
    let upload = openUploads.withLock { open in
      let upload = FolderUpload(
        path: path, folders: folders, disk: disk, checksums: checksums, after: open[path], now: now,
        onEnd: { [weak self] in self?.forget($0) })
      open[path] = upload
      return upload
    }
    // NB: to continue an upload, the checksum of its bytes may have to be computed again.
    try await disk.runQuietly { () throws(ServerError) in
      try upload.begin(fromNothing: fromNothing)
    }
    return upload
  }

  private func forget(_ upload: FolderUpload) {
    openUploads.withLock { open in
      if open[upload.path] === upload { open[upload.path] = nil }
    }
  }

  public func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus {
    let folders = try AssetFolders(data: data, address)
    let (path, notePath) = (try folders.upload(id), try folders.note(ofUpload: id))
    return try await disk.run { () throws(ServerError) in
      let bytes = try Disk.status(path)
      let note = try DiskFile(notePath, O_RDONLY)
      let times = [bytes?.modified, try note?.status().modified].compactMap { $0 }
      return AssetUploadStatus(
        received: bytes.map { Int64($0.st_size) } ?? 0, touched: times.max(),
        note: try note?.read(at: 0, count: Self.noteBytesMax))
    }
  }

  private static let noteBytesMax = 1_024

  public func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) {
    let folders = try AssetFolders(data: data, address)
    let path = try folders.note(ofUpload: id)
    let count = notes.wrappingAdd(1, ordering: .relaxed).newValue
    try await disk.run { [disk, now] () throws(ServerError) in
      try disk.makeFolder(folders.uploads)
      let new = path + ".new\(count)"
      guard let file = try DiskFile(new, O_WRONLY | O_CREAT | O_TRUNC) else { return }
      try file.write(bytes, at: 0)
      file.setModified(now())
      // NB: the note is not flushed. If a power failure loses it, the client repeats its upload.
      try Disk.rename(new, to: path, flushes: false)
    }
  }

  public func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError) {
    let folders = try AssetFolders(data: data, address)
    try await disk.run { [self] () throws(ServerError) in
      for name in try Disk.names(in: folders.uploads) {
        let path = folders.uploads + "/" + name
        guard let modified = try Disk.status(path)?.modified, modified < time else { continue }
        if openUploads.withLock({ $0[path] != nil }) { continue }
        try Disk.remove(path)
      }
    }
  }

  public func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)? {
    let path = try AssetFolders(data: data, address).path(of: file)
    return try await disk.run { [disk] () throws(ServerError) -> FolderFile? in
      guard let file = try DiskFile(path, O_RDONLY) else { return nil }
      return FolderFile(file: file, size: Int64(try file.status().st_size), disk: disk)
    }
  }

  public func remove(file: String, at address: StoreAddress) async throws(ServerError) {
    let path = try AssetFolders(data: data, address).path(of: file)
    try await disk.run { () throws(ServerError) in try Disk.remove(path) }
  }

  public func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry] {
    let root = try AssetFolders(data: data, address).files
    return try await disk.run { () throws(ServerError) in
      var entries: [AssetFileEntry] = []
      for upper in try Disk.names(in: root) {
        if let name, upper.isBefore(name.prefix(ofBytes: 2)) { continue }
        for lower in try Disk.names(in: root + "/" + upper) {
          if let name, (upper + lower).isBefore(name.prefix(ofBytes: 4)) { continue }
          let folder = root + "/" + upper + "/" + lower
          for file in try Disk.names(in: folder) {
            if let name, !name.isBefore(file) { continue }
            guard let status = try Disk.status(folder + "/" + file) else { continue }
            entries.append(AssetFileEntry(name: file, finished: status.modified))
            if entries.count == limit { return entries }
          }
        }
      }
      return entries
    }
  }
}

/// A complete file in the `files` folder.
private struct FolderFile: AssetFile {
  let file: DiskFile
  let size: Int64
  let disk: Disk

  func read(at offset: Int64, count: Int) async throws(ServerError) -> [UInt8] {
    try await disk.runQuietly { () throws(ServerError) in try file.read(at: offset, count: count) }
  }
}

extension String {
  fileprivate func isBefore(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }

  fileprivate func prefix(ofBytes count: Int) -> String {
    String(decoding: utf8.prefix(count), as: UTF8.self)
  }
}
