import Foundation

/// A file only its owner can read, replaced as a whole or not at all.
enum PrivateFile {
  /// Writes the file, flushed to disk when it returns.
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
    // The name, too, must outlast a power failure: a key is used once it is kept.
    let folder = open(file.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}

/// Keeps other processes and threads from changing a file at the same time.
struct FileLock {
  private let descriptor: Int32

  /// Waits for the lock; makes the folders above the file where they are missing.
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
    // NB: a child process that had it would hold the lock for as long as it runs.
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

  /// Lets others in.
  func release() { close(descriptor) }
}
