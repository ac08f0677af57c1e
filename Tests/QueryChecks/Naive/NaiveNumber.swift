import Foundation

/// The exact value of a number in a filter.
enum NaiveNumber: Sendable, Hashable {
  case whole(Int64)
  case real(Double)

  /// Returns a whole number from any form, such as `3`, `3.0` or `30e-1`. Returns nil if the number
  /// has a fraction or is too large.
  static func whole(_ text: String) -> Int64? {
    let lower = text.lowercased()
    let parts = lower.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
    guard let mantissa = parts.first, let exponent = parts.count == 1 ? 0 : Int(parts[1]) else {
      return nil
    }
    let isNegative = mantissa.hasPrefix("-")
    let halves = mantissa.drop { $0 == "-" }
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    var digits = halves.joined()
    var point = (halves.first?.count ?? 0) + exponent
    guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    while digits.hasPrefix("0") {
      digits.removeFirst()
      point -= 1
    }
    if digits.isEmpty { return 0 }
    while digits.hasSuffix("0"), digits.count > point { digits.removeLast() }
    guard digits.count <= point, point <= 19 else { return nil }
    digits += String(repeating: "0", count: point - digits.count)
    return Int64((isNegative ? "-" : "") + digits)
  }

  /// Compares a value of an INT64 or TIMESTAMP field with this number: −1 below, 0 equal, 1 above.
  func compared(to value: Int64) -> Int {
    switch self {
    case .whole(let operand): return value < operand ? -1 : value > operand ? 1 : 0
    case .real(let operand):
      if operand >= 0x1p63 { return -1 }
      if operand < -0x1p63 { return 1 }
      let whole = Int64(operand.rounded(.down))
      if value != whole { return value < whole ? -1 : 1 }
      return operand > operand.rounded(.down) ? -1 : 0
    }
  }

  /// Compares a value of a DOUBLE field with this number.
  func compared(to value: Double) -> Int {
    let operand =
      switch self {
      case .whole(let whole): Double(whole)
      case .real(let real): real
      }
    return value < operand ? -1 : value > operand ? 1 : 0
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
