import StratusWire

/// The lines of an archive that the next request of an import contains.
struct ImportBatch {
  /// The maximum number of bytes of lines in a request. A single longer line gets a request of its
  /// own.
  static let bytesMax = 1_048_576
  /// The maximum number of bytes of one line. The request also contains names and the text of the
  /// session, which are short.
  static let lineBytesMax = Limits.requestSizeBytesMax - 65_536

  private var lines: [ArchiveLine] = []
  private var bytes = 0

  /// Whether a line of this length fits into the same request as the present lines.
  func hasRoom(forBytes count: Int) -> Bool {
    lines.isEmpty || (lines.count < ImportAccount.linesMax && bytes + count <= Self.bytesMax)
  }

  mutating func append(_ line: ArchiveLine, bytes count: Int) {
    lines.append(line)
    bytes += count
  }

  /// Removes and returns all lines.
  mutating func take() -> [ArchiveLine] {
    defer { self = ImportBatch() }
    return lines
  }
}
