/// The text of a code that a person types. It consists of four groups of four letters and digits,
/// which contain 80 random bits.
enum CodeText {
  /// The digits of Crockford's base 32. I, L, O and U are missing, because people misread them.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let digitsCount = 16
  private static let groupCount = 4

  /// Returns a new code.
  static func make(_ randomness: Randomness) -> String {
    // 256 is a multiple of 32, so all digits are equally likely.
    let signs = randomness(digitsCount).map { digits[Int($0 & 31)] }
    let groups = stride(from: 0, to: digitsCount, by: groupCount).map { start in
      String(decoding: signs[start..<start + groupCount], as: UTF8.self)
    }
    return groups.joined(separator: "-")
  }

  /// Returns the letters and digits of a typed code. Hyphens, spaces and lower case do not matter,
  /// and the letters I, L and O count as the digits that they resemble.
  ///
  /// - Returns: nil for a text that is too long for a code.
  static func signs(of typed: String) -> [UInt8]? {
    // NB: the bound prevents a caller from making the server hash a long text.
    guard typed.utf8.count <= 64 else { return nil }
    return typed.uppercased().utf8.compactMap { sign -> UInt8? in
      switch sign {
      case UInt8(ascii: "-"), UInt8(ascii: " "): nil
      case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
      case UInt8(ascii: "O"): UInt8(ascii: "0")
      default: sign
      }
    }
  }
}
