/// The backslash sequences of JSON strings.
enum JSONEscape {
  /// Checks the escape sequence that starts at `position`, and moves `position` to its end.
  static func check(
    _ text: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) throws(JSONProblem) {
    guard position + 1 < text.count else { throw JSONProblem("a string without end") }
    switch text[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      guard let unit = unit(text, at: position) else { throw JSONProblem("a bad \\u sequence") }
      position += 6
      guard UTF16.isSurrogate(unit) else { return }
      guard UTF16.isLeadSurrogate(unit), position + 1 < text.count,
        text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u"),
        let trail = self.unit(text, at: position), UTF16.isTrailSurrogate(trail)
      else { throw JSONProblem("half a surrogate pair") }
      position += 6
    default: throw JSONProblem("an unknown escape sequence")
    }
  }

  /// Returns the text of a string, with its escape sequences decoded. The function ``check`` has
  /// already accepted these sequences.
  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> String {
    var units: [UInt8] = []
    units.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let byte = text[position]
      guard byte == UInt8(ascii: "\\"), position + 1 < text.count else {
        units.append(byte)
        position += 1
        continue
      }
      switch text[position + 1] {
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "u"):
        appendUnicode(text, at: &position, to: &units)
        continue
      case let plain: units.append(plain)
      }
      position += 2
    }
    return String(decoding: units, as: UTF8.self)
  }

  private static func appendUnicode(
    _ text: UnsafeBufferPointer<UInt8>, at position: inout Int, to units: inout [UInt8]
  ) {
    let lead = unit(text, at: position) ?? 0xFFFD
    position += 6
    var scalar = UInt32(lead)
    if UTF16.isLeadSurrogate(lead), let trail = unit(text, at: position) {
      scalar = 0x10000 + (UInt32(lead) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
      position += 6
    }
    let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
    units.append(contentsOf: String(Character(character)).utf8)
  }

  private static func unit(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> UInt16? {
    guard position + 5 < text.count else { return nil }
    var value: UInt16 = 0
    for offset in 2...5 {
      guard let digit = Character(Unicode.Scalar(text[position + offset])).hexDigitValue else {
        return nil
      }
      value = value << 4 | UInt16(digit)
    }
    return value
  }
}
