import StratusDomain
import StratusTesting
import StratusWire

/// Generates queries for a data set. Most queries are legal, and some are not.
struct QueryGenerator {
  private var values: ValueSpeller
  private let types: [TypePlan]
  private let zones: [String]
  /// The sort orders of earlier queries, by record type.
  private var orders: [String: [[AskedSort]]] = [:]

  init(chance: SeededChance, drawn: WorldGenerator.Drawn, zones: [String], names: [String]) {
    let recordNames = drawn.types.flatMap { type in names.map { type.prefix + $0 } }
    values = ValueSpeller(
      world: WorldGenerator(chance: chance),
      recordNames: recordNames + ["root0", "root1", "nobody"],
      users: drawn.plan.users, start: drawn.plan.start)
    types = drawn.types
    self.zones = zones
  }

  mutating func draw() -> QueryCase {
    let database = values.pick(
      [DatabaseChoice.first, .first, .first, .first, .second, .publicDatabase])
    var query = QueryCase(number: 0, database: database, query: query())
    if database == .publicDatabase {
      query.zone = percent(20) ? Model.defaultZone : nil
    } else if percent(70) {
      query.zone = values.pick(zones + [Model.defaultZone])
      if percent(3) { query.zone = "missing" }
    }
    if percent(query.zone == nil ? 75 : 8) { query.isZoneWide = percent(90) }
    if percent(85) {
      query.resultsLimit = values.pick([1, 1, 2, 3, 5, 7, 10, 20, 50, 100, 199, 200, 201, 1_000])
      query.limitIsText = percent(5)
      if percent(2) { query.resultsLimit = 0 }
    }
    if percent(15) {
      query.desiredKeys = values.pick([
        [], ["field0"], ["field1", "field1"], ["field0", "nothing"],
      ])
    }
    query.countsToo = percent(25)
    query.marker = percent(90) ? .asGiven : values.pick([.ofAnotherQuery, .cut, .garbage])
    query.changesLimit = percent(10)
    return query
  }

  private mutating func query() -> AskedQuery {
    let type = values.pick(types)
    var query = AskedQuery(recordType: type.name)
    if percent(1) { query.recordType = values.pick(["Unknown", "Users", World.rootType]) }
    if percent(1), percent(15) { return tooMuch(type) }
    let filtersCount = values.pick([0, 1, 1, 1, 1, 2, 2, 2, 3, 4])
    query.filters = (0..<filtersCount).map { _ in filter(on: type, depth: 0) }
    // The two filters of a range on one field. Clients send `BETWEEN` in this form.
    if percent(10), let field = type.fields.first(where: { !$0.values.isEmpty }) {
      query.filters.append(.field(condition(on: field, .greaterThanOrEquals)))
      query.filters.append(.field(condition(on: field, .lessThanOrEquals)))
    }
    let sortsCount = values.pick([0, 0, 0, 1, 1, 1, 2, 3])
    query.sorts = (0..<sortsCount).map { _ in sort(on: type) }
    // The queries repeat a few sort orders, because each order needs an index and the number of
    // indexes is limited.
    let known = orders[type.name, default: []]
    if known.count >= 5, percent(85) {
      query.sorts = values.pick(known)
    } else if !query.sorts.isEmpty {
      orders[type.name, default: []].append(query.sorts)
    }
    if percent(30) { query.sorts = [] }
    return query
  }

  /// A query whose number of filters or sorts is near the limit.
  private mutating func tooMuch(_ type: TypePlan) -> AskedQuery {
    var query = AskedQuery(recordType: type.name)
    let named = AskedCondition(
      comparator: .notEquals, key: AskedKey(name: "recordName", isSystem: true),
      value: .object(["recordName": .string("nobody")]), declaredType: "REFERENCE")
    query.filters = Array(repeating: .field(named), count: values.number(98...102))
    let sorts = values.number(8...12)
    let changed = AskedSort(key: AskedKey(name: "___modTime"), isAscending: true)
    if percent(50) { query.sorts = Array(repeating: changed, count: sorts) }
    return query
  }

  private mutating func filter(on type: TypePlan, depth: Int) -> AskedFilter {
    if depth < 2, percent(4) {
      return .anyOf(
        (0..<values.number(0...3)).map { _ in
          (0..<values.number(0...3)).map { _ in filter(on: type, depth: depth + 1) }
        })
    }
    if percent(4) {
      return .field(
        AskedCondition(
          comparator: percent(50) ? .containsAllTokens : .containsAnyTokens, key: nil,
          value: .string(values.pick(ValueSamples.words)),
          declaredType: percent(80) ? "STRING" : nil))
    }
    if percent(18) { return .field(systemCondition()) }
    if percent(1) {
      return .field(
        AskedCondition(
          comparator: .equals, key: AskedKey(name: "unknown"), value: .string("a"),
          declaredType: "STRING"))
    }
    let askable = type.fields.filter { !$0.marks.isEmpty }
    let field = values.pick(askable.isEmpty || percent(5) ? type.fields : askable)
    let comparator =
      percent(97)
      ? values.pick(Self.comparators(for: field.type)) : values.pick(Comparator.allCases)
    return .field(condition(on: field, comparator))
  }

  /// The comparators that suit a field. The list contains common comparators several times.
  private static func comparators(for type: FieldType) -> [Comparator] {
    if type.isList {
      let lists: [Comparator] = [
        .listContains, .listContains, .notListContains, .listContainsAny, .notListContainsAny,
        .listContainsAll, .notListContainsAll,
      ]
      let texts: [Comparator] = [
        .listMemberBeginsWith, .notListMemberBeginsWith, .containsAllTokens, .containsAnyTokens,
      ]
      if type.element == .location { return [.near, .near, .near, .listContains] }
      return lists + (type.element == .string ? texts : [])
    }
    let equalities: [Comparator] = [.equals, .equals, .notEquals, .in, .in, .notIn]
    let ranges: [Comparator] = [
      .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals,
    ]
    return switch type.element {
    case .string:
      equalities + ranges + [
        .beginsWith, .beginsWith, .notBeginsWith, .containsAllTokens, .containsAllTokens,
        .containsAnyTokens, .endsWith, .containsText, .listContains,
      ]
    case .int64, .double, .timestamp: equalities + ranges
    case .location: Array(repeating: .near, count: 9) + [.equals]
    case .reference: equalities
    case .bytes, .asset: equalities + ranges
    }
  }

  private mutating func condition(
    on field: FieldPlan, _ comparator: Comparator
  ) -> AskedCondition {
    let spelled = values.value(for: comparator, of: field.type, from: field.values)
    return AskedCondition(
      comparator: comparator, key: AskedKey(name: field.name), value: spelled.value,
      declaredType: spelled.type,
      distance: comparator == .near && !percent(2) || percent(1)
        ? percent(2) ? -1 : values.pick([0] + ValueSamples.radii) : nil)
  }

  private mutating func systemKey(_ field: SystemField) -> AskedKey {
    AskedKey(name: percent(50) ? field.rawValue : field.wireName, isSystem: percent(50))
  }

  private mutating func systemCondition() -> AskedCondition {
    let field = values.pick(SystemField.allCases)
    let usual: [Comparator] =
      field.type.element == .timestamp
      ? [
        .equals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .in, .notEquals,
      ]
      : [.equals, .equals, .in, .notEquals, .notIn]
    let comparator = percent(95) ? values.pick(usual) : values.pick(Comparator.allCases)
    let spelled = values.value(for: comparator, of: field)
    return AskedCondition(
      comparator: comparator, key: systemKey(field), value: spelled.value,
      declaredType: spelled.type)
  }

  private mutating func sort(on type: TypePlan) -> AskedSort {
    let isAscending: Bool? = percent(15) ? nil : percent(50)
    if percent(22) {
      let times: [SystemField] = [.creationDate, .modificationDate]
      let field = values.pick(percent(95) ? times : SystemField.allCases)
      return AskedSort(key: systemKey(field), isAscending: isAscending)
    }
    // Most sorts use a sortable field.
    let sortable = type.fields.filter { $0.marks.contains(.sortable) }
    let field = sortable.isEmpty || percent(3) ? values.pick(type.fields) : values.pick(sortable)
    let isPlace = field.type.element == .location
    let place = percent(isPlace ? 97 : 2) ? values.pick(ValueSamples.places) : nil
    return AskedSort(key: AskedKey(name: field.name), isAscending: isAscending, place: place)
  }

  private mutating func percent(_ likelihood: Int) -> Bool {
    values.world.chance.percent(likelihood)
  }
}
