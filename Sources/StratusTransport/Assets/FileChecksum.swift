import Crypto
public import Foundation

/// The checksum that identifies a file: SHA-256 of the file's contents.
public enum FileChecksum {
  private static let pieceBytes = 1_048_576

  /// Returns the bytes of a checksum in base64, or nil if the text is not a checksum.
  public static func bytes(_ text: String) -> [UInt8]? {
    guard let data = Data(base64Encoded: text), data.count == SHA256.byteCount else { return nil }
    return Array(data)
  }

  /// Returns the checksum of a file's contents.
  public static func of(_ url: URL) throws(FileFailure) -> [UInt8] {
    let file = try OutgoingFile(url)
    var offset: Int64 = 0
    while offset < file.size {
      offset += Int64(try file.piece(at: offset, countMax: pieceBytes).count)
    }
    return try file.finish()
  }

  /// Copies a file. Only the owner can read the copy.
  ///
  /// - Returns: the checksum of the copied bytes.
  public static func copy(_ url: URL, to copyURL: URL) throws(FileFailure) -> [UInt8] {
    let file = try OutgoingFile(url)
    let copy = try IncomingFile(at: copyURL, size: file.size)
    while copy.received < file.size {
      try copy.append(file.piece(at: copy.received, countMax: pieceBytes)[...])
    }
    return copy.checksum()
  }
}
