/// Reads which files the store knows.
///
/// The register is the truth about files: one without a row is an orphan, and a row names the one
/// file that has its bytes.
public protocol AssetReading {
  /// The file with these contents; nil: no such bytes are here.
  func asset(checksum: [UInt8]) throws(ServerError) -> StoredAsset?

  /// Files no record holds, and which nobody has asked for since a time, oldest first.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func unheldAssets(touchedBefore time: Int64, limit: Int) throws(ServerError) -> [StoredAsset]

  /// The bytes of the files that no record holds, by the user who uploaded them last; an empty name
  /// where that is not known.
  func unheldBytes() throws(ServerError) -> [String: Int64]

  /// Which of these files have a row.
  func registered(files: [String]) throws(ServerError) -> Set<String>
}

/// Keeps the register of files.
public protocol AssetWriting {
  /// Adds a file; where the same bytes are known already, only notes the time.
  ///
  /// - Returns: what the register now says, with the file that was there first.
  func register(_ asset: StoredAsset) throws(ServerError) -> StoredAsset

  /// Remembers who uploaded the bytes of a file last.
  func noteUploader(_ user: String, ofAsset checksum: [UInt8]) throws(ServerError)

  /// Has a row name another file with the same bytes, as the one it named is lost.
  ///
  /// - Parameter file: the lost one; a row that names another by now stays as it is.
  /// - Returns: whether the row was changed.
  func replace(file: String, by asset: StoredAsset) throws(ServerError) -> Bool

  /// Removes a file from the register, unless a record holds it or it was asked for since.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  /// - Returns: whether the row is gone, so that the file may go.
  func unregister(_ asset: StoredAsset, touchedBefore time: Int64) throws(ServerError) -> Bool
}

/// A file and its contents' name.
public struct StoredAsset: Sendable, Hashable {
  /// SHA-256 of the contents.
  public var checksum: [UInt8]
  /// Names the file in the asset store; never given twice.
  public var file: String
  /// Bytes.
  public var size: Int64
  /// When somebody last uploaded these bytes or asked for a receipt; milliseconds since 1970 UTC.
  public var touched: Int64

  public init(checksum: [UInt8], file: String, size: Int64, touched: Int64) {
    self.checksum = checksum
    self.file = file
    self.size = size
    self.touched = touched
  }
}
