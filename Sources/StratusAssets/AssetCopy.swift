public import Foundation
public import StratusDomain

/// Copies asset files of a store from one data folder into another data folder, which no server
/// uses.
///
/// The methods block the calling thread. A running server calls them only on a thread that does
/// nothing else.
public struct AssetCopy: Sendable {
  /// The result for one file.
  public enum Outcome: Sendable, Hashable {
    /// The file was copied.
    case copied
    /// An earlier backup has the file. Both backups now share its bytes on the disk.
    case shared
    /// The file is missing, or its contents differ from what was uploaded.
    case damaged
  }

  private static let chunkBytes = 1 << 20

  private let source: AssetFolders
  private let target: AssetFolders
  private let earlier: AssetFolders?
  private let disk: Disk

  /// - Parameter earlier: an earlier backup of the same data folder. If it contains an intact copy
  ///   of a file on the same disk, the file is linked and not copied.
  /// - Throws: `INTERNAL_ERROR` if the container's ID is not safe as a folder name.
  public init(
    of address: StoreAddress, from source: URL, to target: URL, earlier: URL? = nil
  ) throws(ServerError) {
    self.source = try AssetFolders(data: source, address)
    self.target = try AssetFolders(data: target, address)
    self.earlier =
      if let earlier { try AssetFolders(data: earlier, address) } else { nil }
    disk = Disk(root: target.path)
  }

  /// The number of bytes in all files of the source, including files that are not copied.
  public func sizeBytes() throws(ServerError) -> Int64 {
    var size: Int64 = 0
    for upper in try Disk.names(in: source.files) {
      for lower in try Disk.names(in: source.files + "/" + upper) {
        let folder = source.files + "/" + upper + "/" + lower
        for name in try Disk.names(in: folder) {
          size += Int64(try Disk.status(folder + "/" + name)?.st_size ?? 0)
        }
      }
    }
    return size
  }

  /// Copies or links a file, and returns when the copy is on disk. The contents are compared with
  /// the checksum of the upload.
  ///
  /// - Parameter onProgress: is called at intervals with the number of bytes that were copied since
  ///   the last call.
  /// - Throws: `INTERNAL_ERROR` if the disk fails.
  public func copy(
    _ asset: CopiedAsset, onProgress: (Int64) -> Void = { _ in }
  ) throws(ServerError) -> Outcome {
    if try share(asset) {
      onProgress(asset.sizeBytes)
      return .shared
    }
    guard let original = try DiskFile(try source.path(of: asset.file), O_RDONLY) else {
      return .damaged
    }
    try disk.makeFolder(try target.folder(of: asset.file))
    let path = try target.path(of: asset.file)
    guard let copy = try DiskFile(path, O_WRONLY | O_CREAT | O_TRUNC) else { return .damaged }
    var running = FileChecksum.Running()
    while true {
      let bytes = try original.read(at: running.sizeBytes, count: Self.chunkBytes)
      if bytes.isEmpty { break }
      try copy.write(bytes, at: running.sizeBytes)
      running.add(bytes)
      onProgress(Int64(bytes.count))
    }
    copy.setModified(try original.status().modified)
    try copy.flush()
    try Disk.flushFolder(of: path)
    return asset.matches(running.end()) ? .copied : .damaged
  }

  /// Creates a hard link in the target to the file of the earlier backup. The file is read first,
  /// so that a damaged file is copied again and not linked.
  ///
  /// - Returns: whether the target has the file now. The result is false if the earlier backup has
  ///   no intact file, or is on another disk.
  private func share(_ asset: CopiedAsset) throws(ServerError) -> Bool {
    guard let earlier, let found = try FileChecksum(of: try earlier.path(of: asset.file)),
      asset.matches(found)
    else { return false }
    try disk.makeFolder(try target.folder(of: asset.file))
    let path = try target.path(of: asset.file)
    guard link(try earlier.path(of: asset.file), path) == 0 else { return false }
    try Disk.flushFolder(of: path)
    return true
  }

  /// Whether the source has a file with the contents that were uploaded.
  ///
  /// - Throws: `INTERNAL_ERROR` if the disk fails.
  public func isIntact(
    _ asset: CopiedAsset, onProgress: (Int64) -> Void = { _ in }
  ) throws(ServerError) -> Bool {
    guard
      let found = try FileChecksum(of: try source.path(of: asset.file), onProgress: onProgress)
    else { return false }
    return asset.matches(found)
  }

  /// Whether the source has a file with the right size. The contents are not read.
  ///
  /// - Throws: `INTERNAL_ERROR` if the disk fails.
  public func hasSize(_ asset: CopiedAsset) throws(ServerError) -> Bool {
    let status = try Disk.status(try source.path(of: asset.file))
    return status.map { Int64($0.st_size) } == asset.sizeBytes
  }

  /// Returns the names of the source's files.
  ///
  /// - Throws: `INTERNAL_ERROR` if the disk fails.
  public func files() throws(ServerError) -> [String] {
    var files: [String] = []
    for upper in try Disk.names(in: source.files) {
      for lower in try Disk.names(in: source.files + "/" + upper) {
        files += try Disk.names(in: source.files + "/" + upper + "/" + lower)
      }
    }
    return files
  }
}

/// An asset file, as a store describes it.
public struct CopiedAsset: Sendable, Hashable {
  public let file: String
  public let sizeBytes: Int64
  /// SHA-256 of the contents.
  public let checksum: [UInt8]

  public init(file: String, sizeBytes: Int64, checksum: [UInt8]) {
    self.file = file
    self.sizeBytes = sizeBytes
    self.checksum = checksum
  }

  fileprivate func matches(_ found: FileChecksum) -> Bool {
    found.sizeBytes == sizeBytes && found.sha256 == checksum
  }
}
