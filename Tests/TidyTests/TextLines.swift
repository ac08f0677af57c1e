import Foundation

/// The lines of a text as UTF-8 in one buffer, so that one search passes over all lines.
///
/// NB: the tests read ten megabytes in a debug build. There, a loop over characters takes a
/// minute, so the loops over bytes use pointers and the search functions of the C library.
struct TextLines {
  /// All lines. A line feed separates two lines.
  private var bytes: [UInt8] = []
  /// The index of the first byte of each line.
  private var starts = [0]

  init() {}

  /// Splits a text at its line feeds.
  init(_ text: [UInt8]) {
    bytes = text
    text.withUnsafeBytes { text in
      var start = 0
      while start < text.count,
        let end = memchr(text.baseAddress! + start, Int32(UInt8.lineFeed), text.count - start)
      {
        start = UnsafeRawPointer(end) - text.baseAddress! + 1
        starts.append(start)
      }
    }
  }

  /// The number of lines.
  var count: Int { starts.count }

  /// The texts of all lines.
  var texts: [String] { (0..<count).map { self[$0] } }

  /// The text of a line.
  subscript(line: Int) -> String { String(decoding: bytes[range(of: line)], as: UTF8.self) }

  /// The indices of a line's bytes, without the line feed.
  func range(of line: Int) -> Range<Int> {
    starts[line]..<(line + 1 < starts.count ? starts[line + 1] - 1 : bytes.count)
  }

  /// The first byte of a line, or nil if the line is empty.
  func first(of line: Int) -> UInt8? {
    let range = range(of: line)
    return range.isEmpty ? nil : bytes[range.lowerBound]
  }

  /// Whether a line begins with a text.
  func line(_ line: Int, hasPrefix prefix: StaticString) -> Bool {
    let range = range(of: line)
    return range.count >= prefix.utf8CodeUnitCount
      && bytes.withUnsafeBytes {
        memcmp($0.baseAddress! + range.lowerBound, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
      }
  }

  /// Whether a line contains at least one of some texts.
  func line(_ line: Int, contains needles: Needles) -> Bool {
    bytes.withUnsafeBufferPointer { needles.firstIndex(in: $0, range(of: line)) != nil }
  }

  /// The lines that contain at least one of some texts, in ascending order.
  func indices(containing needles: Needles) -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      var found: [Int] = []
      var start = 0
      while let index = needles.firstIndex(in: bytes, start..<bytes.count) {
        let line = line(at: index)
        found.append(line)
        start = range(of: line).upperBound
      }
      return found
    }
  }

  /// Adds bytes to the last line. They contain no line feed.
  mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  /// Begins the next line.
  mutating func endLine() {
    bytes.append(.lineFeed)
    starts.append(bytes.count)
  }

  /// The text with its ASCII letters in lower case.
  var lowercased: TextLines {
    var result = self
    result.bytes.withUnsafeMutableBytes { bytes in
      guard let first = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      var index = 0
      while index < bytes.count {
        if first[index] > 64, first[index] < 91 { first[index] |= 32 }
        index &+= 1
      }
    }
    return result
  }

  /// The line that contains the byte at an index.
  private func line(at index: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= index { low = middle } else { high = middle }
    }
    return low
  }
}
