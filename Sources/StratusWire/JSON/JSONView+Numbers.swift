extension JSONView {
  /// The value as a whole number. It may be written as `3` or `3.0`, and may be a JSON number or a
  /// JSON string. nil for other values.
  var int64: Int64? { numberText.flatMap(JSONNumber.int64) }

  /// Like ``int64``, but `true` is 1 and `false` is 0. Clients save Booleans into INT64 fields.
  var int64OrTruth: Int64? {
    switch token.kind {
    case .yes: 1
    case .no: 0
    case .object, .array, .string, .escapedString, .number, .null: int64
    }
  }

  /// The value as a number, which may be written as a string. nil if it is not a finite number.
  var double: Double? { numberText.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil } }

  /// The value as a whole number, clamped to the range of `Int`.
  var int: Int? { int64.map(Int.init(clamping:)) }

  private var numberText: String? {
    let token = token
    guard token.end > token.start, token.end - token.start <= 64 else { return nil }
    switch token.kind {
    case .number: return document.string(at: index)
    case .string:
      let text = document.string(at: index)
      return DecimalText(text) == nil ? nil : text
    case .object, .array, .escapedString, .yes, .no, .null: return nil
    }
  }
}

/// Conversions between numbers and their JSON text.
enum JSONNumber {
  /// Returns the whole number that a text represents. Returns nil if the text is not a number, if
  /// it has a fraction, or if it does not fit into `Int64`.
  static func int64(_ text: String) -> Int64? { Int64(text) ?? DecimalText(text)?.int64 }

  /// Returns the shortest text that reads back as the same number.
  static func text(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
