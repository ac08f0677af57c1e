import Foundation
import StratusDomain
import Synchronization

/// An open file. It closes when its last reference is released.
///
/// The methods block the thread, so they must be called only on the threads of ``Disk``.
final class DiskFile: Sendable {
  private let descriptor: Int32
  /// The error of a failed flush. After such an error, written bytes may be lost.
  private let flushFailure = Mutex<ServerError?>(nil)

  /// Returns nil if there is no such file. With `O_CREAT`, returns nil only if the file's folder
  /// does not exist.
  init?(_ path: String, _ flags: Int32) throws(ServerError) {
    let descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw Disk.failure("open")
    }
    self.descriptor = descriptor
  }

  deinit { Foundation.close(descriptor) }

  func status() throws(ServerError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Disk.failure("fstat") }
    return status
  }

  /// Reads bytes. Returns fewer bytes than requested only at the end of the file.
  func read(at offset: Int64, count: Int) throws(ServerError) -> [UInt8] {
    var failure: ServerError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = Disk.failure("pread") }
        if got <= 0 { return }
        filled += got
      }
    }
    if let failure { throw failure }
    return bytes
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws(ServerError) {
    var written = 0
    while written < bytes.count {
      let got = bytes.withUnsafeBytes { buffer in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
        return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
      }
      if got < 0, errno == EINTR { continue }
      if got < 0 { throw Disk.failure("pwrite") }
      written += got
    }
  }

  func truncate(to size: Int64) throws(ServerError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw Disk.failure("ftruncate") }
  }

  /// Flushes the file, and returns when all bytes are on disk.
  ///
  /// NB: the system reports lost bytes only once, so the next `fsync` would succeed. Flushes
  /// therefore run one after the other, and after a failure every later call throws.
  func flush() throws(ServerError) {
    let failure = flushFailure.withLock { failure in
      if failure == nil, fsync(descriptor) != 0 { failure = Disk.failure("fsync") }
      return failure
    }
    if let failure { throw failure }
  }

  /// Makes the system start to write bytes of the file to the disk, and does not wait. A later
  /// flush then has less to write, and reports the errors. Does nothing on systems other than
  /// Linux.
  func writeSoon(from offset: Int64, count: Int64) {
    #if os(Linux)
      // NB: for bytes that are not on the disk yet, this advice only starts the writing.
      _ = posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_DONTNEED)
    #endif
  }

  /// The error of a failed flush, or nil if none is known. Does not wait for a flush in progress.
  var knownFlushFailure: ServerError? { flushFailure.withLockIfAvailable { $0 } ?? nil }

  /// Returns the error of a failed flush. Waits for a flush in progress.
  func awaitedFlushFailure() -> ServerError? { flushFailure.withLock { $0 } }

  /// Sets the file's modification time.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func setModified(_ time: Int64) {
    let stamp = timespec(tv_sec: Int(time / 1_000), tv_nsec: Int(time % 1_000) * 1_000_000)
    let stamps = [stamp, stamp]
    _ = stamps.withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) }
  }
}

extension stat {
  /// The file's modification time, in milliseconds since 1970 UTC.
  var modified: Int64 {
    #if os(Linux)
      Int64(st_mtim.tv_sec) * 1_000 + Int64(st_mtim.tv_nsec) / 1_000_000
    #else
      Int64(st_mtimespec.tv_sec) * 1_000 + Int64(st_mtimespec.tv_nsec) / 1_000_000
    #endif
  }
}
