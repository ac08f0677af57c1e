extension JSONView {
  /// A whole number: `3`, `3.0`, or either as a string (`numbersAsStrings`); nil if it is none.
  var int64: Int64? {
    switch token.kind {
    case .number, .string: numberText.flatMap(JSONNumber.int64)
    case .yes: 1
    case .no: 0
    case .object, .array, .escapedString, .null: nil
    }
  }

  /// A number, or one as a string; nil if it is none or not finite.
  var double: Double? {
    switch token.kind {
    case .number, .string: numberText.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    case .object, .array, .escapedString, .yes, .no, .null: nil
    }
  }

  /// A whole number that fits `Int`, clamped to what fits.
  var int: Int? { int64.map(Int.init(clamping:)) }

  private var numberText: String? {
    let token = token
    guard token.end > token.start, token.end - token.start <= 64 else { return nil }
    let text = document.string(at: index)
    // NB: Swift reads "0x1F" and "inf" as numbers too; JSON knows neither.
    return text.utf8.allSatisfy(JSONNumber.isPart) ? text : nil
  }
}

/// Numbers as JSON spells them.
enum JSONNumber {
  /// Whether a byte can stand in a number.
  static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// The whole number a text stands for, if it stands for one without loss.
  static func int64(_ text: String) -> Int64? {
    if let whole = Int64(text) { return whole }
    guard let value = Double(text), value.isFinite else { return nil }
    return Int64(exactly: value)
  }

  /// The shortest text that reads back as the same number.
  static func text(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
