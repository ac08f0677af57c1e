import Foundation

/// A JSON value in the form that a client writes. Some of the forms are unusual.
enum Literal: Sendable, Hashable {
  case null
  case bool(Bool)
  case string(String)
  /// A number as text, for example `3`, `3.0` or `3e0`.
  case number(String)
  case array([Literal])
  case members([Member])

  struct Member: Sendable, Hashable {
    var key: String
    var value: Literal
  }

  static func object(_ members: KeyValuePairs<String, Literal>) -> Literal {
    .members(members.map { Member(key: $0.key, value: $0.value) })
  }

  static func int(_ value: Int64) -> Literal { .number(String(value)) }

  /// The shortest text that decodes to the same number.
  static func double(_ value: Double) -> Literal { .number(value.description) }

  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let number): text += number
    case .string(let string): Self.write(string, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .members(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
