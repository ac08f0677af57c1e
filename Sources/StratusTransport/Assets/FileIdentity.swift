public import Foundation

/// Identifies a file and the version of its contents.
public struct FileIdentity: Sendable, Hashable {
  /// The size of the file in bytes.
  public let size: Int64
  /// The number of hard links to the file.
  public let linksCount: Int
  /// The time of the last change of the file's contents, links or permissions, in seconds since
  /// 1970.
  public let changed: Int64
  private let device: UInt64
  private let inode: UInt64
  private let modifiedSeconds: Int64
  private let modifiedNanoseconds: Int64

  /// Reads the identity of the file at a path. Returns nil if there is no file, or if it is a
  /// folder or a device.
  public init?(at url: URL) {
    var status = stat()
    guard stat(url.path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int64(status.st_size)
    linksCount = Int(status.st_nlink)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    modifiedSeconds = Int64(modified.tv_sec)
    modifiedNanoseconds = Int64(modified.tv_nsec)
    self.changed = Int64(changed.tv_sec)
  }

  /// Whether both values describe the same file with the same size and modification time.
  ///
  /// NB: the number of hard links is not compared, because a link does not change the contents.
  public static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.device == right.device && left.inode == right.inode && left.size == right.size
      && left.modifiedSeconds == right.modifiedSeconds
      && left.modifiedNanoseconds == right.modifiedNanoseconds
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(device)
    hasher.combine(inode)
    hasher.combine(size)
    hasher.combine(modifiedSeconds)
    hasher.combine(modifiedNanoseconds)
  }
}

/// A problem with a local file.
public enum FileFailure: Error, Sendable, Hashable {
  /// The file does not exist.
  case missing
  /// The file has changed since its transfer began.
  case changed
  /// The file cannot be read or written. The text says why.
  case inaccessible(String)

  /// Creates a failure from the operating system's last error.
  static func system(_ action: String, _ url: URL) -> FileFailure {
    .inaccessible("\(url.path) cannot be \(action): \(String(cString: strerror(errno)))")
  }
}
