import Foundation

/// A file that only its owner can read, and that is replaced atomically.
enum PrivateFile {
  /// Replaces the file. The new contents are on disk when the method returns.
  ///
  /// - Throws: Foundation's file errors.
  static func replace(_ file: URL, with data: Data) throws {
    let files = FileManager.default
    let fresh = file.appendingPathExtension("new")
    try? files.removeItem(at: fresh)
    guard
      files.createFile(
        atPath: fresh.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: fresh.path)
    let handle = try FileHandle(forWritingTo: fresh)
    try handle.write(contentsOf: data)
    try handle.synchronize()
    try handle.close()
    guard rename(fresh.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    // The folder is also synchronized, so that the file's name survives a power failure. A program
    // uses a key as soon as the key is saved.
    let folder = open(file.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}

/// Prevents other processes and threads from changing a file at the same time.
struct FileLock {
  private let descriptor: Int32

  /// Waits for the lock, and creates missing parent folders.
  ///
  /// - Throws: ``KeyFailure/unusable(_:)``.
  init(beside file: URL) throws(KeyFailure) {
    let folder = file.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unusable("\(folder.path) cannot be made: \(error.localizedDescription)")
    }
    // NB: without `O_CLOEXEC` a child process would inherit the lock and hold it while it runs.
    descriptor = open(
      file.appendingPathExtension("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unusable("\(folder.path) cannot be written to") }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        close(descriptor)
        throw .unusable("\(file.path) cannot be locked")
      }
    }
  }

  /// Releases the lock.
  func release() { close(descriptor) }
}
