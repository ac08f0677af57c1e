import Foundation

/// A file that nobody but its owner can read.
enum OwnerFile {
  /// Replaces the file as a whole.
  static func write(_ bytes: [UInt8], to file: URL) throws {
    let fresh = file.appendingPathExtension("new")
    try? FileManager.default.removeItem(at: fresh)
    guard
      FileManager.default.createFile(
        atPath: fresh.path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    guard rename(fresh.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
