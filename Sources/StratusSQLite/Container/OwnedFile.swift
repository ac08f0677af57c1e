import Foundation
import StratusDomain

/// Makes SQLite's files accessible only to their owner.
enum OwnedFile {
  /// Creates a file if necessary, and restricts access to this file and to the files that SQLite
  /// keeps beside it.
  ///
  /// SQLite creates the log and the shared-memory file with the mode of the main file.
  ///
  /// - Throws: `TRY_AGAIN_LATER` if the disk is full, otherwise `INTERNAL_ERROR`.
  static func prepare(_ path: String) throws(ServerError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw SQLiteFailure.unopened(path: path, code: errno)
    }
    Foundation.close(descriptor)
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      guard stat(path + suffix, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      // An error is ignored, because the folder already restricts access.
      chmod(path + suffix, 0o600)
    }
  }

  /// Whether a file exists and is not empty.
  static func holdsBytes(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  /// Whether a file begins like an SQLite file.
  static func looksLikeSQLite(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { Foundation.close(descriptor) }
    let expected = Array("SQLite format 3\0".utf8)
    var found = [UInt8](repeating: 0, count: expected.count)
    return read(descriptor, &found, found.count) == found.count && found == expected
  }
}
