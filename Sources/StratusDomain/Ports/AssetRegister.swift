/// Reads which files the store knows.
///
/// The register is authoritative: each row names the one file whose contents have the row's
/// checksum. A file without a row is an orphan.
public protocol AssetReading {
  /// Returns the file with these contents, or nil if the store has no such bytes.
  func asset(checksum: [UInt8]) throws(ServerError) -> StoredAsset?

  /// Returns files that no record holds, the oldest first.
  ///
  /// - Parameter time: milliseconds since 1970 UTC. Only files are returned whose
  ///   ``StoredAsset/touched`` is earlier than this time.
  func unheldAssets(touchedBefore time: Int64, limit: Int) throws(ServerError) -> [StoredAsset]

  /// Returns for each user the number of bytes in files that no record holds. A file counts for the
  /// user who last uploaded it. The user name is empty if that user is unknown.
  func unheldBytes() throws(ServerError) -> [String: Int64]

  /// Returns which of these files have a row in the register.
  func registered(files: [String]) throws(ServerError) -> Set<String>
}

/// Changes the register of files.
public protocol AssetWriting {
  /// Adds a file. If the same bytes are known already, only the time is updated.
  ///
  /// - Returns: the row of these bytes, with the file that was registered first.
  func register(_ asset: StoredAsset) throws(ServerError) -> StoredAsset

  /// Stores which user last uploaded the bytes of a file.
  func noteUploader(_ user: String, ofAsset checksum: [UInt8]) throws(ServerError)

  /// Replaces the lost file of a row with another file that has the same bytes.
  ///
  /// - Parameter file: the lost file. If the row names another file by now, the row does not
  ///   change.
  /// - Returns: whether the row was changed.
  func replace(file: String, by asset: StoredAsset) throws(ServerError) -> Bool

  /// Removes a file from the register, unless a record holds the file.
  ///
  /// - Parameter time: milliseconds since 1970 UTC. The file is removed only if its
  ///   ``StoredAsset/touched`` is earlier.
  /// - Returns: whether the row was removed. Only then may the caller remove the file.
  func unregister(_ asset: StoredAsset, touchedBefore time: Int64) throws(ServerError) -> Bool
}

/// A file and the checksum of its contents.
public struct StoredAsset: Sendable, Hashable {
  /// SHA-256 of the contents.
  public var checksum: [UInt8]
  /// The name of the file in the asset store. The name is never used again.
  public var file: String
  /// The size of the file in bytes.
  public var size: Int64
  /// The time when the bytes were last uploaded, a receipt for them was last requested, or a record
  /// last stopped using them, whichever is latest, in milliseconds since 1970 UTC.
  public var touched: Int64

  public init(checksum: [UInt8], file: String, size: Int64, touched: Int64) {
    self.checksum = checksum
    self.file = file
    self.size = size
    self.touched = touched
  }
}
