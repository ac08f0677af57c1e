import StratusWire

/// A file that a record holds.
public struct HeldFile: Sendable, Hashable {
  /// SHA-256 of the contents.
  public var checksum: [UInt8]
  /// The size of the file in bytes.
  public var size: Int64
}

extension StoredRecord {
  /// Returns the files that the record holds, each once.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  public func heldFiles() throws(ServerError) -> [HeldFile] {
    guard hasAssets, !isDeleted else { return [] }
    var files: [HeldFile] = []
    for (_, value) in try fields.storedValues() {
      for asset in value.assets {
        guard let checksum = asset.checksumBytes,
          !files.contains(where: { $0.checksum == checksum })
        else { continue }
        files.append(HeldFile(checksum: checksum, size: asset.size))
      }
    }
    return files
  }
}
