import Foundation
import StratusDomain
import StratusWire

/// Checks whether the disk of the data folder accepts writes.
struct DiskReadiness: ReadinessCheck {
  /// The minimum number of free bytes. Choice: SQLite's write-ahead log grows in steps of this
  /// size, so with less free space the next writes fail.
  private static let freeBytesMin: UInt64 = 1_048_576
  private static let testName = ".ready"
  /// The number of bytes in a test write. It is larger than what a full disk could still accept in
  /// its last page.
  private static let testBytes = 65_536

  let folder: URL

  var name: String { "disk" }

  func faults() async -> [ReadinessFault] {
    // NB: a disk that hangs must not block a thread of Swift's pool.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: look()) }
    }
  }

  private func look() -> [ReadinessFault] {
    var status = statvfs()
    if statvfs(folder.path, &status) == 0 {
      let (free, isHuge) = UInt64(status.f_bavail)
        .multipliedReportingOverflow(by: UInt64(status.f_frsize))
      if !isHuge, free < Self.freeBytesMin { return [Self.full] }
    }
    let path = folder.appendingPathComponent(Self.testName).path
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return [Self.fault(errno)] }
    defer {
      close(file)
      unlink(path)
    }
    let bytes = [UInt8](repeating: 1, count: Self.testBytes)
    let count = write(file, bytes, bytes.count)
    if count < 0 { return [Self.fault(errno)] }
    if count < bytes.count { return [Self.full] }
    // Some file systems report that the disk is full only when data is flushed.
    return fsync(file) == 0 ? [] : [Self.fault(errno)]
  }

  private static let full = ReadinessFault(
    name: "disk-full", reason: "the disk of the data folder is full")

  private static func fault(_ number: Int32) -> ReadinessFault {
    switch number {
    case ENOSPC, EDQUOT: full
    case EMFILE, ENFILE:
      ReadinessFault(name: "descriptors", reason: "the server has too many files open")
    default:
      ReadinessFault(name: "disk-unwritable", reason: "the data folder cannot be written to")
    }
  }
}
