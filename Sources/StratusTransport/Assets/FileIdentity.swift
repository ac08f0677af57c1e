public import Foundation

/// Tells a file from another, and from itself after a change.
public struct FileIdentity: Sendable, Hashable {
  /// Bytes.
  public let size: Int64
  /// How many names lead to it.
  public let linksCount: Int
  /// When its contents or its names last changed, in seconds since 1970.
  public let changed: Int64
  private let device: UInt64
  private let inode: UInt64
  private let modifiedSeconds: Int64
  private let modifiedNanoseconds: Int64

  /// Looks at the file of that path; nil if there is none, or if it is a folder or a device.
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

  /// Whether it is the same file with, by all that can be seen, the same contents.
  ///
  /// NB: another name for a file is no change of it.
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

/// What is wrong with a file on this machine.
public enum FileFailure: Error, Sendable, Hashable {
  /// There is no such file.
  case missing
  /// It is not what it was when its transfer began.
  case changed
  /// It cannot be read or written; a sentence says why.
  case inaccessible(String)

  /// What the operating system said last.
  static func system(_ action: String, _ url: URL) -> FileFailure {
    .inaccessible("\(url.path) cannot be \(action): \(String(cString: strerror(errno)))")
  }
}
