import StratusWire

/// The decoded value of a filter.
enum NaiveOperand: Sendable {
  case text(String)
  case number(NaiveNumber)
  case reference(String)
  case place(Place)
}

/// The reason why a query is refused.
struct Refusal: Error {
  var why: String
  /// Whether a refusal and an answer are both correct.
  var isOpen = false

  init(_ why: String) { self.why = why }

  static func open(_ why: String) -> Refusal {
    var refusal = Refusal(why)
    refusal.isOpen = true
    return refusal
  }
}

/// Decodes the values of filters and converts them to the field's type. Refuses types that the
/// field does not accept.
struct NaiveOperandReader {
  let element: FieldType.Element
  let isSystem: Bool

  /// Decodes a single value.
  func single(_ condition: AskedCondition) throws(Refusal) -> NaiveOperand {
    if case .array = condition.value { throw Refusal("a list instead of a single value") }
    return try read(condition.value, declared: try declared(condition.declaredType, isList: false))
  }

  /// Decodes a list of values.
  func list(_ condition: AskedCondition) throws(Refusal) -> [NaiveOperand] {
    let type = try declared(condition.declaredType, isList: true)
    guard case .array(let values) = condition.value else {
      throw Refusal("a single value instead of a list")
    }
    var operands: [NaiveOperand] = []
    for value in values { operands.append(try read(value, declared: type)) }
    // If a list has no type and contains a fraction, all its numbers decode as floating-point
    // numbers. The test does not check this for Booleans and for numbers with many digits.
    if type == nil, element == .int64, operands.contains(where: \.isReal),
      !values.allSatisfy(\.isSmallNumber)
    {
      throw Refusal.open("a list of fractions and other values")
    }
    return operands
  }

  /// The element type that the request contains, or nil for none.
  private func declared(
    _ name: String?, isList: Bool
  ) throws(Refusal) -> FieldType.Element? {
    guard let name else { return nil }
    if isList, name == "LIST" || name == "UNKNOWN_LIST" { return nil }
    var word = name
    if isList {
      guard name.hasSuffix("_LIST") else { throw Refusal("type \(name) is not a list type") }
      word = String(name.dropLast(5))
    }
    if word == "NUMBER_INT64" { word = "INT64" }
    if word == "NUMBER_DOUBLE" { word = "DOUBLE" }
    guard let declared = FieldType.Element(rawValue: word), takes(declared) else {
      throw Refusal("type \(name) where \(element.rawValue) is wanted")
    }
    return declared
  }

  private func takes(_ declared: FieldType.Element) -> Bool {
    if declared == element { return true }
    return switch element {
    case .int64: declared == .double
    case .double, .timestamp: declared == .int64
    case .reference: isSystem && declared == .string
    case .string, .bytes, .location, .asset: false
    }
  }

  private func read(
    _ literal: Literal, declared: FieldType.Element?
  ) throws(Refusal) -> NaiveOperand {
    switch element {
    case .string:
      guard case .string(let text) = literal else { throw Refusal("no string") }
      return .text(text)
    case .int64, .double: return .number(try number(literal, declared: declared))
    case .timestamp: return .number(.whole(try time(literal, declared: declared)))
    case .reference: return .reference(try reference(literal, declared: declared))
    case .location:
      guard case .members(let members) = literal,
        let latitude = members.number("latitude"), let longitude = members.number("longitude"),
        abs(latitude) <= 90, abs(longitude) <= 180
      else { throw Refusal("no place") }
      return .place(Place(latitude: latitude, longitude: longitude))
    case .bytes, .asset: throw Refusal("no comparator takes \(element.rawValue)")
    }
  }

  private func number(
    _ literal: Literal, declared: FieldType.Element?
  ) throws(Refusal) -> NaiveNumber {
    let text: String
    switch literal {
    case .bool(let value):
      guard element == .int64, declared != .double else {
        if element == .double, declared == nil { throw Refusal("a Boolean for a fraction") }
        throw Refusal.open("a Boolean with a number type")
      }
      return .whole(value ? 1 : 0)
    case .number(let number), .string(let number): text = number
    case .null, .array, .members: throw Refusal("no number")
    }
    guard let real = Double(text), real.isFinite else { throw Refusal("no number") }
    let whole = NaiveNumber.whole(text)
    switch declared {
    case .int64?:
      guard let whole else { throw Refusal("the value is not a whole number") }
      return .whole(whole)
    case .double?: return .real(real)
    case nil:
      if element == .double { return .real(real) }
      guard let whole else { return .real(real) }
      // A large number may have different values as a whole number and as a floating-point number.
      if text.contains(where: { ".eE".contains($0) }), Int64(exactly: real) != whole {
        throw Refusal.open("a large number that differs between the types")
      }
      return .whole(whole)
    default: throw Refusal("no number")
    }
  }

  private func time(
    _ literal: Literal, declared: FieldType.Element?
  ) throws(Refusal) -> Int64 {
    switch literal {
    case .number(let text):
      guard let whole = NaiveNumber.whole(text) else { throw Refusal("a time with a fraction") }
      if text.contains(".") || text.lowercased().contains("e") {
        throw Refusal.open("a time with a decimal point")
      }
      return whole
    case .string(let text):
      guard let whole = NaiveNumber.whole(text) else { throw Refusal("no time") }
      if Int64(text) == nil { throw Refusal.open("a time with a decimal point") }
      return whole
    case .bool: throw Refusal.open("a Boolean instead of a time")
    case .null, .array, .members: throw Refusal("no time")
    }
  }

  private func reference(
    _ literal: Literal, declared: FieldType.Element?
  ) throws(Refusal) -> String {
    switch literal {
    case .string(let name):
      guard isSystem, declared != .reference else { throw Refusal("a string, not a reference") }
      return name
    case .members(let members):
      guard declared != .string, let name = members.string("recordName"), !name.isEmpty else {
        throw Refusal("no reference")
      }
      return name
    case .null, .bool, .number, .array: throw Refusal("no reference")
    }
  }
}

extension NaiveOperand {
  fileprivate var isReal: Bool {
    if case .number(.real) = self { true } else { false }
  }
}

extension Literal {
  /// Whether the literal is a number that every number type can store.
  fileprivate var isSmallNumber: Bool {
    guard case .number(let text) = self, let real = Double(text) else { return false }
    return abs(real) <= 0x1p52
  }
}

extension [Literal.Member] {
  fileprivate func string(_ key: String) -> String? {
    guard case .string(let text)? = first(where: { $0.key == key })?.value else { return nil }
    return text
  }

  fileprivate func number(_ key: String) -> Double? {
    guard case .number(let text)? = first(where: { $0.key == key })?.value else { return nil }
    return Double(text)
  }
}
