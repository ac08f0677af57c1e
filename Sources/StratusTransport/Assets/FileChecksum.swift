import Crypto
public import Foundation

/// What files are known by: SHA-256 of their contents.
public enum FileChecksum {
  private static let pieceBytes = 1_048_576

  /// The bytes of a checksum as it crosses the wire; nil if it is none.
  public static func bytes(_ text: String) -> [UInt8]? {
    guard let data = Data(base64Encoded: text), data.count == SHA256.byteCount else { return nil }
    return Array(data)
  }

  /// The checksum of a file's contents.
  public static func of(_ url: URL) throws(FileFailure) -> [UInt8] {
    let file = try OutgoingFile(url)
    var offset: Int64 = 0
    while offset < file.size {
      offset += Int64(try file.piece(at: offset, countMax: pieceBytes).count)
    }
    return try file.finish()
  }

  /// Makes a copy of a file, readable by its owner only.
  ///
  /// - Returns: the checksum of what was copied.
  public static func copy(_ url: URL, to copyURL: URL) throws(FileFailure) -> [UInt8] {
    let file = try OutgoingFile(url)
    let copy = try IncomingFile(at: copyURL, size: file.size)
    while copy.received < file.size {
      try copy.append(file.piece(at: copy.received, countMax: pieceBytes)[...])
    }
    return copy.checksum()
  }
}
