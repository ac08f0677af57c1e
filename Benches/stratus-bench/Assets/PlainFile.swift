import Glibc

/// Writes and copies files with plain system calls, one piece at a time.
enum PlainFile {
  private static let pieceBytes = 1 << 20

  /// Writes random bytes into a file.
  static func write(size: Int, seed: UInt64, to path: String) throws(Failure) {
    let descriptor = try open(path, O_CREAT | O_TRUNC | O_WRONLY)
    defer { close(descriptor) }
    var piece = [UInt64](repeating: 0, count: pieceBytes / 8)
    var written = 0
    while written < size {
      for index in piece.indices {
        piece[index] = RecordName.scatter(seed << 40 ^ UInt64(written / 8 + index))
      }
      let count = min(pieceBytes, size - written)
      let done = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, count) }
      guard done == count else { throw Failure("\(path) cannot be written") }
      written += count
    }
    fsync(descriptor)
  }

  /// Copies a file and flushes the copy.
  ///
  /// - Returns: the duration of the copy in seconds.
  static func copy(_ source: String, to target: String) throws(Failure) -> Double {
    let start = Clock.nanoseconds()
    let input = try open(source, O_RDONLY)
    defer { close(input) }
    let output = try open(target, O_CREAT | O_TRUNC | O_WRONLY)
    defer { close(output) }
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let count = piece.withUnsafeMutableBytes { read(input, $0.baseAddress, pieceBytes) }
      guard count >= 0 else { throw Failure("\(source) cannot be read") }
      if count == 0 { break }
      let done = piece.withUnsafeBytes { Glibc.write(output, $0.baseAddress, count) }
      guard done == count else { throw Failure("\(target) cannot be written") }
    }
    fsync(output)
    return Double(Clock.nanoseconds() - start) / 1e9
  }

  private static func open(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
    let descriptor = Glibc.open(path, flags, 0o600)
    guard descriptor >= 0 else { throw Failure("\(path) cannot be opened") }
    return descriptor
  }
}
