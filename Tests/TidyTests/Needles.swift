import Foundation

/// Texts that one search looks for at the same time. They consist of ASCII characters.
///
/// The search first compares three bytes with tables, because few places of a text pass this test.
struct Needles: Sendable, ExpressibleByArrayLiteral {
  private let texts: [StaticString]
  /// For each value of a text's first, second or third byte, the texts that have this byte there.
  /// Text `n` has bit `n % 8`. A text without such a byte has its bit for all values.
  private var tables = [[UInt8]](repeating: [UInt8](repeating: 0, count: 256), count: 3)

  init(arrayLiteral texts: StaticString...) {
    self.texts = texts
    for (number, text) in texts.enumerated() {
      for place in 0..<3 {
        let isInside = place < text.utf8CodeUnitCount
        for value in 0..<256 where !isInside || value == Int(text.utf8Start[place]) {
          tables[place][value] |= 1 << UInt8(number % 8)
        }
      }
    }
  }

  /// The index of the first byte of the first needle in a part of a buffer.
  func firstIndex(in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    guard let bytes = bytes.baseAddress, !range.isEmpty else { return nil }
    return tables[0].withUnsafeBufferPointer { table in
      let first = table.baseAddress!
      let end = range.upperBound
      var index = range.lowerBound
      while index < end {
        let bits = first[Int(bytes[index])]
        if bits != 0, isNeedle(at: index, of: bytes, end: end, bits: bits) { return index }
        index &+= 1
      }
      return nil
    }
  }

  private func isNeedle(
    at index: Int, of bytes: UnsafePointer<UInt8>, end: Int, bits: UInt8
  ) -> Bool {
    let second = tables[1][index + 1 < end ? Int(bytes[index + 1]) : 0]
    guard bits & second != 0 else { return false }
    let third = tables[2][index + 2 < end ? Int(bytes[index + 2]) : 0]
    guard bits & second & third != 0 else { return false }
    return texts.contains { text in
      text.utf8CodeUnitCount <= end - index
        && memcmp(bytes + index, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
  }
}
