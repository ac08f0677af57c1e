import StratusDomain
import StratusWire

/// Checks filters and sorts against the schema, and converts them to ``NaiveTest`` and
/// ``NaiveSort``.
struct NaiveFilterReader {
  let type: ModelType
  let model: Model
  /// The record name of the user who sends the query.
  let caller: String

  /// The field or system field that a key refers to, with its type and index marks.
  private struct Target {
    var source: NaiveSource
    var type: FieldType
    var marks: FieldIndexes
    var isUser = false

    var isSystem: Bool {
      if case .system = source { true } else { false }
    }
  }

  func tests(_ filters: [AskedFilter]) throws(Refusal) -> [NaiveTest] {
    var tests: [NaiveTest] = []
    for filter in filters {
      switch filter {
      case .field(let condition): tests.append(try test(condition))
      case .anyOf(let groups):
        guard model.allowsExtensions else { throw Refusal("anyOf is an extension") }
        var read: [[NaiveTest]] = []
        for group in groups { read.append(try self.tests(group)) }
        tests.append(.anyOf(read))
      }
    }
    return tests
  }

  private func target(_ key: AskedKey) throws(Refusal) -> Target {
    if !key.isSystem, let field = type.fields[key.name] {
      return Target(source: .field(key.name), type: field.type, marks: field.marks)
    }
    let spellings: [String: SystemField] = [
      "___recordID": .recordName, "recordName": .recordName,
      "___createTime": .creationDate, "createdTimestamp": .creationDate,
      "___createdBy": .creator, "createdUserRecordName": .creator,
      "___modTime": .modificationDate, "modifiedTimestamp": .modificationDate,
      "___modifiedBy": .modifier, "modifiedUserRecordName": .modifier,
      "___parent": .parent, "parent": .parent, "___share": .share, "share": .share,
    ]
    guard let field = spellings[key.name] else { throw Refusal("no field \(key.name)") }
    let isTime = field == .creationDate || field == .modificationDate
    // In development, the first query that needs a mark adds the mark if the field supports it.
    let isOrdered = isTime || field == .recordName
    let marks: FieldIndexes =
      model.isProduction
      ? type.systemMarks[field, default: []] : isOrdered ? [.queryable, .sortable] : .queryable
    return Target(
      source: .system(field), type: FieldType(isTime ? .timestamp : .reference), marks: marks,
      isUser: field == .creator || field == .modifier)
  }

  private func require(_ mark: FieldIndexes, of target: Target) throws(Refusal) {
    guard target.marks.contains(mark) else { throw Refusal("\(target.source) lacks a mark") }
  }

  private func test(_ condition: AskedCondition) throws(Refusal) -> NaiveTest {
    if condition.comparator == .containsAllTokens || condition.comparator == .containsAnyTokens {
      return try words(condition)
    }
    guard let key = condition.key else { throw Refusal("no key") }
    let target = try target(key)
    guard !target.type.isEncrypted else { throw Refusal("\(key.name) is encrypted") }
    let reader = NaiveOperandReader(element: target.type.element, isSystem: target.isSystem)
    switch condition.comparator {
    case .containsAllTokens, .containsAnyTokens: return try words(condition)
    case .equals, .notEquals, .in, .notIn:
      return try equality(condition, on: target, reader)
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
      return try range(condition, on: target, reader)
    case .beginsWith, .notBeginsWith, .endsWith, .containsText:
      return try text(condition, on: target, reader)
    case .near: return try near(condition, on: target, reader)
    case .listContains where target.type == FieldType(.string):
      return try text(condition, on: target, reader)
    case .listContains, .notListContains, .listContainsAny, .notListContainsAny,
      .listContainsAll, .notListContainsAll, .listMemberBeginsWith, .notListMemberBeginsWith:
      return try members(condition, on: target, reader)
    }
  }

  /// The names `__defaultOwner__` and `_defaultOwner` mean the caller if the field contains users.
  private func resolve(_ operand: NaiveOperand, on target: Target) -> NaiveOperand {
    guard target.isUser, case .reference(let name) = operand,
      name == "__defaultOwner__" || name == "_defaultOwner"
    else { return operand }
    return .reference(caller)
  }

  private func equality(
    _ condition: AskedCondition, on target: Target, _ reader: NaiveOperandReader
  ) throws(Refusal) -> NaiveTest {
    let comparable: [FieldType.Element] = [.string, .int64, .double, .timestamp, .reference]
    guard !target.type.isList, comparable.contains(target.type.element) else {
      throw Refusal("the field cannot be compared for equality")
    }
    try require(.queryable, of: target)
    let isNegated = condition.comparator == .notEquals || condition.comparator == .notIn
    if condition.comparator == .equals || condition.comparator == .notEquals {
      let operand = resolve(try reader.single(condition), on: target)
      return .value(target.source, isNegated: isNegated) { Truth(operand.equals($0)) }
    }
    let operands = try reader.list(condition).map { resolve($0, on: target) }
    return .value(target.source, isNegated: isNegated) { value in
      Truth(operands.contains { $0.equals(value) })
    }
  }

  private func range(
    _ condition: AskedCondition, on target: Target, _ reader: NaiveOperandReader
  ) throws(Refusal) -> NaiveTest {
    let ordered: [FieldType.Element] = [.string, .int64, .double, .timestamp]
    guard !target.type.isList, ordered.contains(target.type.element) else {
      throw Refusal("the field has no order")
    }
    try require(.sortable, of: target)
    let operand = try reader.single(condition)
    let comparator = condition.comparator
    return .value(target.source, isNegated: false) { value in
      guard let order = operand.compared(to: value) else { return .no }
      return switch comparator {
      case .lessThan: Truth(order < 0)
      case .lessThanOrEquals: Truth(order <= 0)
      case .greaterThan: Truth(order > 0)
      default: Truth(order >= 0)
      }
    }
  }

  private func text(
    _ condition: AskedCondition, on target: Target, _ reader: NaiveOperandReader
  ) throws(Refusal) -> NaiveTest {
    let isStandard =
      condition.comparator == .beginsWith || condition.comparator == .notBeginsWith
    guard isStandard || model.allowsExtensions else { throw Refusal("an extension") }
    guard target.type == FieldType(.string) else { throw Refusal("no string") }
    try require(.queryable, of: target)
    guard case .text(let part) = try reader.single(condition) else { throw Refusal("no string") }
    let comparator = condition.comparator
    return .value(target.source, isNegated: comparator == .notBeginsWith) { value in
      guard case .string(let text) = value else { return .no }
      return switch comparator {
      case .endsWith: Truth(NaiveText.ends(text, with: part))
      case .containsText, .listContains: Truth(NaiveText.contains(text, part))
      default: Truth(NaiveText.begins(text, with: part))
      }
    }
  }

  private func members(
    _ condition: AskedCondition, on target: Target, _ reader: NaiveOperandReader
  ) throws(Refusal) -> NaiveTest {
    let comparable: [FieldType.Element] = [.string, .int64, .double, .timestamp, .reference]
    guard target.type.isList, comparable.contains(target.type.element) else {
      throw Refusal("the field is not a list that filters support")
    }
    try require(.queryable, of: target)
    let source = target.source
    switch condition.comparator {
    case .listContains, .notListContains:
      let operand = try reader.single(condition)
      let isNegated = condition.comparator == .notListContains
      return .value(source, isNegated: isNegated) { value in
        Truth(value.members.contains { operand.equals($0) })
      }
    case .listMemberBeginsWith, .notListMemberBeginsWith:
      guard target.type.element == .string, case .text(let prefix) = try reader.single(condition)
      else { throw Refusal("the field is not a list of strings") }
      let isNegated = condition.comparator == .notListMemberBeginsWith
      return .value(source, isNegated: isNegated) { value in
        Truth(
          value.members.contains { member in
            if case .string(let text) = member {
              NaiveText.begins(text, with: prefix)
            } else {
              false
            }
          })
      }
    case .listContainsAny, .notListContainsAny:
      let operands = try reader.list(condition)
      let isNegated = condition.comparator == .notListContainsAny
      return .value(source, isNegated: isNegated) { value in
        Truth(value.members.contains { member in operands.contains { $0.equals(member) } })
      }
    default:
      let operands = try reader.list(condition)
      let isNegated = condition.comparator == .notListContainsAll
      return .value(source, isNegated: isNegated) { value in
        Truth(operands.allSatisfy { operand in value.members.contains { operand.equals($0) } })
      }
    }
  }

  private func near(
    _ condition: AskedCondition, on target: Target, _ reader: NaiveOperandReader
  ) throws(Refusal) -> NaiveTest {
    guard target.type.element == .location else { throw Refusal("no place") }
    try require(.queryable, of: target)
    guard let metres = condition.distance, metres >= 0 else { throw Refusal("no distance") }
    guard case .place(let place) = try reader.single(condition) else { throw Refusal("no place") }
    return .value(target.source, isNegated: false) { value in
      switch value {
      case .location(let location): NaiveDistance.isNear(place, location, metres: metres)
      default:
        value.members.map { member in
          guard case .location(let location) = member else { return .no }
          return NaiveDistance.isNear(place, location, metres: metres)
        }.max() ?? .no
      }
    }
  }

  private func words(_ condition: AskedCondition) throws(Refusal) -> NaiveTest {
    var sources: [NaiveSource]
    if let key = condition.key {
      let target = try target(key)
      guard target.type.element == .string, !target.type.isEncrypted else {
        throw Refusal("no text")
      }
      try require(.searchable, of: target)
      sources = [target.source]
    } else {
      sources = type.fields.filter { $0.value.marks.contains(.searchable) }
        .map { .field($0.key) }
      if sources.isEmpty { throw Refusal("no field is searchable") }
    }
    var isList = false
    if case .array = condition.value { isList = true }
    let reader = NaiveOperandReader(element: .string, isSystem: false)
    let operands = isList ? try reader.list(condition) : [try reader.single(condition)]
    var wanted: Set<Set<ExactName>> = []
    for case .text(let text) in operands { wanted.formUnion(NaiveText.wanted(by: text)) }
    return .words(sources, wanted: wanted, needsAll: condition.comparator == .containsAllTokens)
  }

  /// - Parameter isPlaced: whether an earlier sort of the query is by distance.
  func sort(_ sort: AskedSort, isPlaced: Bool) throws(Refusal) -> NaiveSort {
    let target = try target(sort.key)
    try require(.sortable, of: target)
    let isAscending = sort.isAscending ?? true
    guard target.type == FieldType(.location) else {
      guard sort.place == nil else { throw Refusal("a location in a sort by another type") }
      return .value(target.source, isAscending: isAscending)
    }
    guard let place = sort.place else { throw Refusal("a sort by distance without a location") }
    guard !isPlaced else { throw Refusal("more than one sort by distance") }
    return .distance(target.source, place, isAscending: isAscending)
  }
}
