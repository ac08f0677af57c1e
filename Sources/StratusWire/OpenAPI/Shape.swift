/// The form of a JSON value, for the description of the API.
///
/// Shapes are written as short texts: `string`, `int`, `number`, `bool`, `any`, the name of a
/// schema, `[shape]` for an array, `{key: shape, key?: shape}` for an object with required and
/// optional members, `{*: shape}` for an object with any keys, `'word'` for one fixed text, and
/// `shape | shape` for a choice.
indirect enum Shape: Sendable, Equatable {
  struct Member: Sendable, Equatable {
    var key: String
    var shape: Shape
    var isRequired: Bool
  }

  case string, int, number, bool, any
  case word(String)
  case reference(String)
  case list(Shape)
  case object([Member])
  case map(Shape)
  case choice([Shape])

  /// Reads the text of a shape. A malformed text results in `any`. A test checks that none is
  /// malformed.
  init(_ text: String) {
    var reader = Reader(rest: Array(text.utf8)[...])
    self = reader.shape() ?? .any
    if !reader.isAtEnd { self = .any }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    var isAtEnd: Bool { rest.allSatisfy { $0 == 0x20 || $0 == 0x0A } }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      rest = rest.drop { $0 == 0x20 || $0 == 0x0A }
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    private mutating func name() -> String? {
      rest = rest.drop { $0 == 0x20 || $0 == 0x0A }
      let name = rest.prefix { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
          || byte == UInt8(ascii: "-")
      }
      rest = rest.dropFirst(name.count)
      return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    mutating func shape() -> Shape? {
      guard let first = single() else { return nil }
      var choices = [first]
      while take("|") {
        guard let next = single() else { return nil }
        choices.append(next)
      }
      return choices.count == 1 ? first : .choice(choices)
    }

    private mutating func single() -> Shape? {
      if take("[") {
        guard let element = shape(), take("]") else { return nil }
        return .list(element)
      }
      if take("{") { return object() }
      if take("'") {
        let word = rest.prefix { $0 != UInt8(ascii: "'") }
        rest = rest.dropFirst(word.count)
        return take("'") ? .word(String(decoding: word, as: UTF8.self)) : nil
      }
      switch name() {
      case "string": return .string
      case "int": return .int
      case "number": return .number
      case "bool": return .bool
      case "any": return .any
      case let name?: return .reference(name)
      case nil: return nil
      }
    }

    private mutating func object() -> Shape? {
      if take("*") {
        guard take(":"), let value = shape(), take("}") else { return nil }
        return .map(value)
      }
      var members: [Member] = []
      while !take("}") {
        if !members.isEmpty, !take(",") { return nil }
        guard let key = name() else { return nil }
        let isOptional = take("?")
        guard take(":"), let value = shape() else { return nil }
        members.append(Member(key: key, shape: value, isRequired: !isOptional))
      }
      return .object(members)
    }
  }
}

extension Shape: JSONWritable {
  /// Writes the shape as a schema of OpenAPI 3.1, which is a schema of JSON Schema 2020-12.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .any: break
      case .string: writer.member("type", "string")
      case .int: writer.member("type", "integer")
      case .number: writer.member("type", "number")
      case .bool: writer.member("type", "boolean")
      case .word(let word): writer.member("const", word)
      case .reference(let name): writer.member("$ref", "#/components/schemas/\(name)")
      case .list(let element):
        writer.member("type", "array")
        writer.member("items", element)
      case .map(let value):
        writer.member("type", "object")
        writer.member("additionalProperties", value)
      case .choice(let shapes): writer.member("anyOf", array: shapes)
      case .object(let members):
        writer.member("type", "object")
        writer.key("properties")
        writer.object { writer in
          for member in members {
            writer.key(member.key)
            member.shape.write(to: &writer)
          }
        }
        let required = members.filter(\.isRequired).map(\.key)
        if !required.isEmpty { writer.member("required", strings: required) }
      }
    }
  }
}
