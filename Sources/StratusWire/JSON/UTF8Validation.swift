/// Checks whether bytes are well-formed UTF-8.
enum UTF8Validation {
  /// Returns the offset of the first byte that is not part of a well-formed sequence, or nil if
  /// there is none.
  static func firstInvalidByte(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    var position = 0
    while position < text.count {
      if position + 8 <= text.count {
        let word = UnsafeRawPointer(text.baseAddress!).loadUnaligned(
          fromByteOffset: position, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 == 0 {
          position += 8
          continue
        }
      }
      guard let length = sequenceLength(text, at: position) else { return position }
      position += length
    }
    return nil
  }

  private static func sequenceLength(
    _ text: UnsafeBufferPointer<UInt8>, at position: Int
  ) -> Int? {
    let lead = text[position]
    let (length, secondRange): (Int, ClosedRange<UInt8>)
    switch lead {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: (length, secondRange) = (2, 0x80...0xBF)
    case 0xE0: (length, secondRange) = (3, 0xA0...0xBF)
    case 0xED: (length, secondRange) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, secondRange) = (3, 0x80...0xBF)
    case 0xF0: (length, secondRange) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, secondRange) = (4, 0x80...0xBF)
    case 0xF4: (length, secondRange) = (4, 0x80...0x8F)
    default: return nil
    }
    guard position + length <= text.count, secondRange.contains(text[position + 1]) else {
      return nil
    }
    for offset in 2..<max(2, length) where !(0x80...0xBF).contains(text[position + offset]) {
      return nil
    }
    return length
  }
}
