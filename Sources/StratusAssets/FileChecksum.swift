import Crypto
import Foundation
public import StratusDomain

/// The size and the SHA-256 of a file's contents.
public struct FileChecksum: Sendable, Hashable {
  private static let chunkBytes = 1 << 20

  public let sizeBytes: Int64
  /// The 32 bytes of SHA-256.
  public let sha256: [UInt8]

  /// The checksum as hex digits.
  public var hex: String {
    sha256.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads a whole file. The method blocks the thread.
  ///
  /// - Parameter onProgress: is called at intervals with the number of bytes that were read since
  ///   the last call.
  /// - Returns: nil if there is no such file.
  /// - Throws: `INTERNAL_ERROR` if the disk fails.
  public init?(
    of path: String, onProgress: (Int64) -> Void = { _ in }
  ) throws(ServerError) {
    guard let file = try DiskFile(path, O_RDONLY) else { return nil }
    var running = Running()
    while true {
      let bytes = try file.read(at: running.sizeBytes, count: Self.chunkBytes)
      if bytes.isEmpty { break }
      running.add(bytes)
      onProgress(Int64(bytes.count))
    }
    self = running.end()
  }

  private init(sizeBytes: Int64, sha256: [UInt8]) {
    self.sizeBytes = sizeBytes
    self.sha256 = sha256
  }

  /// Computes the checksum of bytes that arrive in several pieces.
  struct Running {
    private var hash = SHA256()
    private(set) var sizeBytes: Int64 = 0

    mutating func add(_ bytes: [UInt8]) {
      hash.update(data: bytes)
      sizeBytes += Int64(bytes.count)
    }

    func end() -> FileChecksum {
      FileChecksum(sizeBytes: sizeBytes, sha256: Array(hash.finalize()))
    }
  }
}
