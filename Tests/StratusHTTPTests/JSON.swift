import Foundation

/// A JSON value that a test writes and reads.
enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  subscript(_ key: String) -> JSON {
    if case .object(let members) = self { return members[key] ?? .null }
    return .null
  }

  subscript(_ index: Int) -> JSON {
    if case .array(let elements) = self, elements.indices.contains(index) { return elements[index] }
    return .null
  }

  var string: String? { if case .string(let value) = self { value } else { nil } }
  var integer: Int64? { if case .int(let value) = self { value } else { nil } }
  var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  var keys: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
  var isNull: Bool { self == .null }

  /// Returns a copy in which one member is added or replaced.
  func with(_ key: String, _ value: JSON) -> JSON {
    guard case .object(var members) = self else { return self }
    members[key] = value
    return .object(members)
  }

  init(parsing bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
  }

  var bytes: [UInt8] {
    get throws { try Array(JSONEncoder().encode(self)) }
  }
}

extension JSON: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int64) { self = .int(value) }
  init(floatLiteral value: Double) { self = .double(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(nilLiteral: ()) { self = .null }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
