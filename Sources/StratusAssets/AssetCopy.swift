public import Foundation
public import StratusDomain

/// Copies asset files of a store from one data folder into another data folder, which no server
/// uses.
///
/// The methods block the thread. Commands call them, but a running server must not.
public struct AssetCopy: Sendable {
  private static let chunkBytes = 1 << 20

  private let source: AssetFolders
  private let target: AssetFolders
  private let disk: Disk

  /// - Throws: `INTERNAL_ERROR` if the container's ID is not safe as a folder name.
  public init(
    of address: StoreAddress, from source: URL, to target: URL
  ) throws(ServerError) {
    self.source = try AssetFolders(data: source, address)
    self.target = try AssetFolders(data: target, address)
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

  /// Copies a file, and returns when the copy is on disk.
  ///
  /// - Parameter onProgress: is called at intervals with the number of bytes that were copied since
  ///   the last call.
  /// - Returns: the file's size in bytes, or nil if there is no such file.
  /// - Throws: `INTERNAL_ERROR` if the disk fails.
  public func copy(
    file name: String, onProgress: (Int64) -> Void = { _ in }
  ) throws(ServerError) -> Int64? {
    guard let original = try DiskFile(try source.path(of: name), O_RDONLY) else { return nil }
    try disk.makeFolder(try target.folder(of: name))
    let path = try target.path(of: name)
    guard let copy = try DiskFile(path, O_WRONLY | O_CREAT | O_TRUNC) else { return nil }
    var size: Int64 = 0
    while true {
      let bytes = try original.read(at: size, count: Self.chunkBytes)
      if bytes.isEmpty { break }
      try copy.write(bytes, at: size)
      size += Int64(bytes.count)
      onProgress(Int64(bytes.count))
    }
    copy.setModified(try original.status().modified)
    try copy.flush()
    try Disk.flushFolder(of: path)
    return size
  }
}
