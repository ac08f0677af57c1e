import Foundation

/// Writes a file that only its owner can read.
enum OwnerFile {
  /// Replaces the whole file. The bytes are on disk when this method returns.
  ///
  /// - Throws: Foundation's error.
  static func write(_ bytes: [UInt8], to file: URL) throws {
    let fresh = file.appendingPathExtension("new")
    try? FileManager.default.removeItem(at: fresh)
    guard
      FileManager.default.createFile(
        atPath: fresh.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    let handle = try FileHandle(forWritingTo: fresh)
    defer { try? handle.close() }
    try handle.write(contentsOf: Data(bytes))
    try handle.synchronize()
    guard rename(fresh.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
