import Crypto
public import Foundation
import Synchronization

/// A file that is written to disk while it is downloaded.
public final class IncomingFile: Sendable {
  /// The size of the complete file in bytes.
  public let size: Int64
  private let url: URL
  private let handle: FileHandle
  private let state = Mutex((digest: SHA256(), received: Int64(0)))

  /// Creates the file. Only its owner can read it.
  ///
  /// - Throws: ``FileFailure``, for example if a file with that name exists.
  public init(at url: URL, size: Int64) throws(FileFailure) {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("made", url) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    self.url = url
    self.size = size
  }

  /// The number of received bytes.
  public var received: Int64 { state.withLock { $0.received } }

  /// Appends the next bytes to the file.
  public func append(_ bytes: ArraySlice<UInt8>) throws(FileFailure) {
    var failure: FileFailure?
    state.withLock { state in
      bytes.withUnsafeBytes { buffer in
        failure = write(buffer)
        guard failure == nil else { return }
        state.digest.update(bufferPointer: buffer)
        state.received += Int64(buffer.count)
      }
    }
    if let failure { throw failure }
  }

  private func write(_ buffer: UnsafeRawBufferPointer) -> FileFailure? {
    var written = 0
    while written < buffer.count {
      let count = Foundation.write(
        handle.fileDescriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return .system("written", url) }
      written += count
    }
    return nil
  }

  /// Returns SHA-256 of the received bytes.
  public func checksum() -> [UInt8] { state.withLock { Array($0.digest.finalize()) } }
}
