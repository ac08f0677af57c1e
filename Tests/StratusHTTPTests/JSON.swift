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

  /// NB: `JSONDecoder` would throw an error for each type that a value does not have. Swift Testing
  /// records a backtrace for each error, which takes more time than the rest of a request.
  init(parsing bytes: [UInt8]) throws {
    self.init(try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
  }

  private init(_ value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let number as NSNumber: self.init(number)
    case let elements as [Any]: self = .array(elements.map { JSON($0) })
    case let members as [String: Any]: self = .object(members.mapValues { JSON($0) })
    default: self = .null
    }
  }

  private init(_ number: NSNumber) {
    switch String(cString: number.objCType) {
    case "c", "B": self = .bool(number.boolValue)
    case "d", "f", "Q":
      self = Int64(exactly: number.doubleValue).map { .int($0) } ?? .double(number.doubleValue)
    default: self = .int(number.int64Value)
    }
  }

  /// The text with sorted keys, so that a run with the same seed sends the same bytes.
  var bytes: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return try Array(encoder.encode(self))
    }
  }
}

extension JSON: Encodable {
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
