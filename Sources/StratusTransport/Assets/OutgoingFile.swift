import Crypto
public import Foundation
import Synchronization

/// A file that is being uploaded.
///
/// The file is opened once and read in pieces. It may be deleted or renamed during the upload, but
/// must not change.
public final class OutgoingFile: Sendable {
  public let url: URL
  /// The identity of the file at the time when it was opened.
  public let identity: FileIdentity
  private let handle: FileHandle
  private let digest = Mutex((state: SHA256(), length: Int64(0)))

  /// Opens a file.
  ///
  /// - Throws: ``FileFailure``. A folder counts as `missing`.
  public init(_ url: URL) throws(FileFailure) {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw errno == ENOENT || errno == ENOTDIR ? .missing : .system("read", url)
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard let identity = FileIdentity(descriptor: descriptor) else { throw .missing }
    self.url = url
    self.identity = identity
  }

  /// The size of the file in bytes.
  public var size: Int64 { identity.size }

  /// Reads a piece of the file. Bytes that were not read before are added to the checksum.
  ///
  /// - Parameter offset: the position of the piece. It is not after the end of the bytes that were
  ///   read before.
  func piece(at offset: Int64, countMax: Int) throws(FileFailure) -> [UInt8] {
    let count = Int(min(Int64(countMax), size - offset))
    let bytes = try read(at: offset, count: count)
    guard FileIdentity(descriptor: handle.fileDescriptor) == identity else { throw .changed }
    digest.withLock { digest in
      let known = Int(min(digest.length - offset, Int64(count)))
      guard known >= 0 else { return }
      bytes[known...].withUnsafeBytes { digest.state.update(bufferPointer: $0) }
      digest.length = max(digest.length, offset + Int64(count))
    }
    return bytes
  }

  private func read(at offset: Int64, count: Int) throws(FileFailure) -> [UInt8] {
    var failure: FileFailure?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let read = pread(
          handle.fileDescriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
          off_t(offset) + off_t(filled))
        if read < 0 && errno == EINTR { continue }
        guard read > 0 else {
          failure = read == 0 ? .changed : .system("read", url)
          return
        }
        filled += read
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Returns SHA-256 of the bytes that were read.
  ///
  /// - Throws: `FileFailure.changed` if the file has changed, or if another file now has its name.
  ///   A deleted file causes no error, because its bytes were read.
  func finish() throws(FileFailure) -> [UInt8] {
    let now = FileIdentity(at: url)
    guard FileIdentity(descriptor: handle.fileDescriptor) == identity,
      now == nil || now == identity
    else { throw .changed }
    return digest.withLock { Array($0.state.finalize()) }
  }
}
