import Foundation
import StratusTesting
import StratusWire

/// Generates the value of a filter in one of the forms that clients use.
struct ValueSpeller {
  struct Spelled {
    var value: Literal
    /// The type that the request contains, or nil for none.
    var type: String?
  }

  var world: WorldGenerator
  let recordNames: [String]
  let users: [String]
  /// The start of the server's clock, in milliseconds since 1970 UTC.
  let start: Int64

  mutating func pick<Value>(_ values: [Value]) -> Value { world.pick(values) }
  mutating func number(_ range: ClosedRange<Int>) -> Int { world.number(range) }
  private mutating func percent(_ likelihood: Int) -> Bool { world.chance.percent(likelihood) }

  /// Returns a value for a filter on a field.
  mutating func value(
    for comparator: StratusWire.Comparator, of type: FieldType, from values: [FieldValue]
  ) -> Spelled {
    let wantsList = Self.wantsList(comparator, type: type)
    let isList = percent(99) ? wantsList : !wantsList
    let element = percent(98) ? type.element : pick(FieldType.Element.allCases)
    let singles = values.flatMap { value in
      if case .list(_, let members) = value { members } else { [value] }
    }
    guard isList else {
      return spell(single(comparator, element, from: singles), of: element)
    }
    if type.isList, !values.isEmpty, percent(50), element == type.element,
      case .list(_, let members) = pick(values)
    {
      return spell(members, of: element)
    }
    let count = percent(3) ? number(30...60) : number(0...5)
    return spell(
      (0..<count).map { _ in single(comparator, element, from: singles) }, of: element)
  }

  private static func wantsList(_ comparator: StratusWire.Comparator, type: FieldType) -> Bool {
    switch comparator {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll:
      true
    case .equals, .notEquals: type.isList
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .near,
      .containsAllTokens, .containsAnyTokens, .listContains, .notListContains, .beginsWith,
      .notBeginsWith, .listMemberBeginsWith, .notListMemberBeginsWith, .endsWith, .containsText:
      false
    }
  }

  /// Returns a value for a filter. In most cases it is a value of the field or close to such a
  /// value.
  private mutating func single(
    _ comparator: StratusWire.Comparator, _ element: FieldType.Element, from values: [FieldValue]
  ) -> FieldValue {
    let known = values.filter { $0.type.element == element }
    let start = known.isEmpty || percent(10) ? world.value(of: element) : pick(known)
    switch (comparator, start) {
    case (.beginsWith, .string(let text)), (.notBeginsWith, .string(let text)),
      (.listMemberBeginsWith, .string(let text)), (.notListMemberBeginsWith, .string(let text)):
      return .string(prefix(of: text))
    case (.endsWith, .string(let text)): return .string(String(text.suffix(number(0...3))))
    case (.containsText, .string(let text)):
      return .string(String(text.dropFirst(number(0...2)).prefix(number(0...3))))
    case (.containsAllTokens, .string), (.containsAnyTokens, .string):
      return .string(pick(ValueSamples.words))
    case (_, .int64(let number)) where percent(15):
      return .int64(percent(50) ? number &+ 1 : number &- 1)
    case (_, .timestamp(let time)) where percent(15):
      let time = time.milliseconds
      return .timestamp(Timestamp(percent(50) ? time &+ 1 : time &- 1))
    case (_, .double(let number)) where percent(15):
      let next = percent(50) ? number.nextUp : number.nextDown
      return .double(next.isFinite ? next : number)
    default: return start
    }
  }

  /// NB: the prefix may end within a visible character, because the text is cut between Unicode
  /// scalars.
  private mutating func prefix(of text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    result.append(contentsOf: scalars.prefix(number(0...max(3, scalars.count))))
    return String(result)
  }

  private mutating func spell(_ value: FieldValue, of element: FieldType.Element) -> Spelled {
    Spelled(value: literal(value), type: typeName(FieldType(element)))
  }

  private mutating func spell(_ values: [FieldValue], of element: FieldType.Element) -> Spelled {
    Spelled(
      value: .array(values.map { literal($0) }),
      type: typeName(FieldType(element, isList: true)))
  }

  /// Returns the name of the type. In some cases, returns an alias, the name of the other number
  /// type, or nil instead.
  private mutating func typeName(_ type: FieldType) -> String? {
    if percent(12) { return nil }
    if percent(3) { return type.isList ? "LIST" : "NUMBER_INT64" }
    if type.element == .int64, percent(6) {
      return FieldType(.double, isList: type.isList).name
    }
    if type.element == .double, percent(6) { return FieldType(.int64, isList: type.isList).name }
    return type.name
  }

  private mutating func literal(_ value: FieldValue) -> Literal {
    switch value {
    case .string(let text): return .string(text)
    case .int64(let number):
      switch self.number(0...40) {
      case 0: return .number("\(number).0")
      case 1: return .string("\(number)")
      case 2: return .number("\(number).5")
      case 3 where number == 0 || number == 1: return .bool(number == 1)
      default: return .int(number)
      }
    case .double(let number):
      if let whole = Int64(exactly: number), percent(15), number != 0 || number.sign == .plus {
        return .int(whole)
      }
      return percent(3) ? .string(number.description) : .double(number)
    case .timestamp(let time):
      let time = time.milliseconds
      return percent(2) ? .number("\(time).5") : .int(time)
    case .bytes(let bytes): return .string(Data(bytes).base64EncodedString())
    case .location(let location):
      return Place(latitude: location.latitude, longitude: location.longitude).literal
    case .reference(let reference):
      if percent(3) { return .string(reference.recordName) }
      return self.reference(reference.recordName)
    case .asset, .sealed, .list: return .null
    }
  }

  private mutating func reference(_ name: String) -> Literal {
    if percent(70) { return .object(["recordName": .string(name)]) }
    return .object([
      "recordName": .string(name), "action": .string(pick(["NONE", "DELETE_SELF"])),
    ])
  }

  /// Returns a value for a filter on a system field.
  mutating func value(for comparator: StratusWire.Comparator, of field: SystemField) -> Spelled {
    let isList = Self.wantsList(comparator, type: field.type)
    let count = isList ? number(0...4) : 1
    let literals = (0..<count).map { _ in systemLiteral(field) }
    let spellsText = literals.contains { if case .string = $0 { true } else { false } }
    let element: FieldType.Element =
      field.type.element == .timestamp ? .timestamp : spellsText ? .string : .reference
    let type = percent(12) ? nil : FieldType(element, isList: isList).name
    guard isList else { return Spelled(value: literals[0], type: type) }
    // Either all elements of a list are names, or all are references.
    let alike = spellsText ? literals.map { $0.asText } : literals
    return Spelled(value: .array(alike), type: type)
  }

  private mutating func systemLiteral(_ field: SystemField) -> Literal {
    let name: String
    switch field {
    case .creationDate, .modificationDate: return .int(start + Int64(number(-2...8)))
    case .recordName: name = pick(recordNames)
    case .parent: name = pick(["root0", "root0", "root1", "N0"])
    case .creator, .modifier: name = percent(90) ? pick(users) : "__defaultOwner__"
    case .share: name = "share"
    }
    return percent(field == .recordName ? 25 : 4) ? .string(name) : reference(name)
  }
}

extension Literal {
  /// The record name if the literal is a reference. Otherwise the literal itself.
  fileprivate var asText: Literal {
    if case .members(let members) = self, let name = members.first { name.value } else { self }
  }
}
