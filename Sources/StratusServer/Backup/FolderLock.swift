import Foundation

/// A lock that shows that a process is writing a folder. The system releases the lock of a process
/// that has ended.
struct FolderLock {
  private let descriptor: Int32

  /// - Parameter waits: whether to wait until no other process has the lock.
  /// - Returns: nil if another process has the lock, or if the file system has no locks for
  ///   folders.
  init?(_ folder: URL, waits: Bool) {
    descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      close(descriptor)
      return nil
    }
  }

  func release() { close(descriptor) }
}
