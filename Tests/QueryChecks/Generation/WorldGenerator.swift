import StratusDomain
import StratusTesting
import StratusWire

/// A generated field with its type and its possible values.
struct FieldPlan: Sendable {
  var name: String
  var type: FieldType
  var isDeclared: Bool
  var marks: FieldIndexes
  var values: [FieldValue]
}

/// A generated record type.
struct TypePlan: Sendable {
  var name: String
  /// The prefix of all record names of the type. Records with the same name therefore have the same
  /// type.
  var prefix: String
  var fields: [FieldPlan]
  var systemMarks: [SystemField: FieldIndexes]
}

/// Generates the types, fields and values of a data set.
struct WorldGenerator {
  var chance: SeededChance

  /// The generated properties of a data set.
  struct Drawn: Sendable {
    var types: [TypePlan]
    var plan: WorldPlan
  }

  mutating func draw() -> Drawn {
    let isProduction = chance.percent(30)
    let count = number(1...2)
    let types = (0..<count).map { type(number: $0, isProduction: isProduction) }
    var declared: [String: ModelType] = [:]
    if isProduction { declared[World.rootType] = ModelType() }
    for type in types where isProduction || chance.percent(70) {
      var model = ModelType(systemMarks: type.systemMarks)
      for field in type.fields where field.isDeclared {
        model.fields[field.name] = ModelField(type: field.type, marks: field.marks)
      }
      declared[type.name] = model
    }
    let users = (0..<3).map { user in
      "_" + String(repeating: String(user), count: 31) + (chance.percent(50) ? "a" : "b")
    }
    let start = [0, -5_000, 1_600_000_000_000, 1_700_000_000_123][number(0...3)]
    return Drawn(
      types: types,
      plan: WorldPlan(
        isProduction: isProduction, users: users, declared: declared, start: Int64(start)))
  }

  private mutating func type(number index: Int, isProduction: Bool) -> TypePlan {
    let fields = (0..<number(2...7)).map { field(number: $0, isProduction: isProduction) }
    var systemMarks: [SystemField: FieldIndexes] = [:]
    for field in SystemField.allCases where chance.percent(isProduction ? 85 : 10) {
      systemMarks[field] = someMarks(of: [.queryable, .sortable])
        .intersection(.all(for: field.type))
    }
    if chance.percent(80) { systemMarks[.recordName, default: []].formUnion(.queryable) }
    return TypePlan(
      name: ["Item", "Note"][index], prefix: ["N", "M"][index], fields: fields,
      systemMarks: systemMarks)
  }

  private mutating func field(number index: Int, isProduction: Bool) -> FieldPlan {
    let type = fieldType()
    let all = FieldIndexes.all(for: type)
    // In production, the server refuses a query if a mark is missing. In development, the query
    // adds the mark.
    let marks =
      isProduction
      ? (chance.percent(85)
        ? all
        : someMarks(of: [.queryable, .sortable, .searchable])
          .intersection(all)) : all
    let isSavable = type.element != .asset && !type.isEncrypted
    // Only in production, some fields have the same name as a system field. In development, a save
    // between two pages could add such a field, and would then change the meaning of the query.
    let systemNames = ["recordName", "parent", "createdTimestamp"]
    let name = isProduction && index < 3 && chance.percent(5) ? systemNames[index] : nil
    return FieldPlan(
      name: name ?? "field\(index)", type: type,
      isDeclared: isProduction || !isSavable || chance.percent(60), marks: marks,
      values: isSavable ? values(of: type) : [])
  }

  private mutating func someMarks(of marks: [FieldIndexes]) -> FieldIndexes {
    marks.filter { _ in chance.percent(75) }.reduce([]) { $0.union($1) }
  }

  private mutating func fieldType() -> FieldType {
    let element: FieldType.Element =
      switch number(0...99) {
      case 0..<30: .string
      case 30..<48: .int64
      case 48..<63: .double
      case 63..<75: .timestamp
      case 75..<86: .location
      case 86..<95: .reference
      case 95..<98: .bytes
      default: .asset
      }
    if element != .asset, element != .reference, chance.percent(3) {
      return FieldType(element, isList: false, isEncrypted: true)
    }
    return FieldType(element, isList: chance.percent(30))
  }

  private mutating func values(of type: FieldType) -> [FieldValue] {
    let pool = (0..<number(2...7)).map { _ in value(of: type.element) }
    guard type.isList else { return pool }
    return (0..<6).map { _ in
      .list(type.element, (0..<number(0...4)).map { _ in pool[number(0...pool.count - 1)] })
    }
  }

  /// Returns a random value of a type.
  mutating func value(of element: FieldType.Element) -> FieldValue {
    switch element {
    case .string:
      if chance.percent(25) { return .string(pick(ValueSamples.sentences)) }
      if chance.percent(20) { return .string(lowText()) }
      return .string(pick(ValueSamples.texts))
    case .int64:
      return .int64(chance.percent(60) ? Int64(number(-3...3)) : pick(ValueSamples.wholes))
    case .double:
      return .double(
        chance.percent(40) ? Double(number(-6...6)) / 2 : pick(ValueSamples.fractions))
    case .timestamp: return .timestamp(Timestamp(pick(ValueSamples.times)))
    case .bytes: return .bytes(pick(ValueSamples.bytes))
    case .location: return .location(location())
    case .reference:
      return .reference(Reference(recordName: pick(ValueSamples.targets)))
    case .asset: return .bytes([])
    }
  }

  /// Returns a text of characters that an index encodes in a special way, and of the characters
  /// next to them.
  private mutating func lowText() -> String {
    (0..<number(1...4)).map { _ in pick(["\u{0}", "\u{0}", "\u{1}", "\u{FF}", "a"]) }.joined()
  }

  private mutating func location() -> Location {
    let place = pick(ValueSamples.places)
    var location = Location(latitude: place.latitude, longitude: place.longitude)
    if chance.percent(20) { location.altitude = Double(number(0...9_000)) }
    return location
  }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &chance) }
}
