/// A number in JSON's grammar, read digit by digit.
///
/// NB: a conversion through `Double` would round `9007199254740993.0` to another whole number. It
/// would also accept `0x10` and `nan`, which are not JSON numbers.
struct DecimalText {
  private var isNegative = false
  private var digits: [UInt8] = []
  /// The number is `digits` × 10 ^ `scale`.
  private var scale = 0

  /// Parses a number. Returns nil if the text is not a number.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest.removeFirst()
    }
    digits = Self.takeDigits(&rest)
    guard !digits.isEmpty, digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      let fraction = Self.takeDigits(&rest)
      guard !fraction.isEmpty else { return nil }
      digits += fraction
      scale = -fraction.count
    }
    if rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
      rest.removeFirst()
      guard let exponent = Self.takeExponent(&rest) else { return nil }
      scale += exponent
    }
    guard rest.isEmpty else { return nil }
  }

  /// The number as `Int64`. It is nil if the number has a fraction or does not fit into `Int64`.
  var int64: Int64? {
    var digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
    if digits.isEmpty { return 0 }
    var scale = scale
    while scale < 0, digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      scale += 1
    }
    guard scale >= 0, digits.count + scale <= 19 else { return nil }
    digits += Array(repeating: UInt8(ascii: "0"), count: scale)
    return Int64((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
  }

  private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    return Array(digits)
  }

  /// Reads an exponent. An exponent of many digits is clamped, because no whole number and no
  /// `Double` is that large.
  private static func takeExponent(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let digits = takeDigits(&rest)
    guard !digits.isEmpty else { return nil }
    let size = Int(String(decoding: digits, as: UTF8.self)).map { min($0, 100_000) } ?? 100_000
    return isNegative ? -size : size
  }
}
