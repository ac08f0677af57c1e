import StratusWire

/// A query that the schema allows.
struct CheckedQuery: Sendable {
  var recordType: String
  var filters: [CheckedFilter]
  var sorts: [CheckedSort]
  /// The fields that a token filter without a key searches.
  var searchable: Set<String>
  /// Whether every text field is in `searchable`.
  var isAllSearchable: Bool
}

/// One sort key of a query.
struct CheckedSort: Sendable, Hashable {
  var source: IndexColumn.Source
  var isAscending: Bool
  /// The location from which distances are measured, or nil to sort by value.
  var location: Location?
}

/// Checks a query against the schema.
struct QueryCheck {
  private let schema: Schema
  private let type: RecordType
  private let environment: ContainerEnvironment
  private let caller: String?
  /// The changes to make to a development schema before the query is answered.
  private(set) var addition = SchemaAddition()
  private var filterCount = 0

  /// - Throws: `BAD_REQUEST` if the type cannot be queried.
  init(
    recordType: String, schema: Schema, environment: ContainerEnvironment, caller: String?
  ) throws(ServerError) {
    if recordType == UserRecords.recordType { throw .badRequest(Reason.queriedTypeIsFixed) }
    guard let type = schema.recordTypes[recordType] else {
      throw .lacking(
        ProductionLack(recordType: recordType, kind: .recordType), in: environment,
        Reason.recordTypeNotFound + recordType)
    }
    self.schema = schema
    self.type = type
    self.environment = environment
    self.caller = caller
  }

  /// - Throws: `BAD_REQUEST` if the query is not legal.
  mutating func check(_ query: Query) throws(ServerError) -> CheckedQuery {
    guard query.sorts.count <= Limits.querySortsMax else {
      throw .badRequest("a query has \(Limits.querySortsMax) sorts at most")
    }
    if query.filters.isEmpty {
      try requireMark(
        .queryable, QueryField(source: .system(.recordName), name: "recordName"))
    }
    let filters = try check(query.filters)
    var sorts: [CheckedSort] = []
    for sort in query.sorts {
      let checked = try check(sort)
      if checked.location != nil, sorts.contains(where: { $0.location != nil }) {
        throw .badRequest("a query has one sort by distance at most")
      }
      sorts.append(checked)
    }
    let texts = type.fields.filter { $0.value.type.isText }
    let searchable = texts.filter { $0.value.indexes.contains(.searchable) }
    return CheckedQuery(
      recordType: type.name, filters: filters, sorts: sorts, searchable: Set(searchable.keys),
      isAllSearchable: searchable.count == texts.count)
  }

  private mutating func check(_ filters: [QueryFilter]) throws(ServerError) -> [CheckedFilter] {
    var checked: [CheckedFilter] = []
    for filter in filters {
      switch filter {
      case .field(let filter):
        filterCount += 1
        guard filterCount <= Limits.queryFiltersMax else {
          throw .badRequest("a query has \(Limits.queryFiltersMax) filters at most")
        }
        checked.append(.condition(try check(filter)))
      case .anyOf(let groups):
        try schema.requireQueryExtensions("anyOf")
        checked.append(
          .anyOf(try groups.map { group throws(ServerError) in try check(group) }))
      }
    }
    return checked
  }

  private mutating func check(_ sort: QuerySort) throws(ServerError) -> CheckedSort {
    let field = try field(sort.key)
    try requireMark(.sortable, field)
    let isLocation = field.type == FieldType(.location)
    if isLocation, sort.relativeLocation == nil {
      throw .badRequest("Field '\(field.name)' is a LOCATION: its sort needs 'relativeLocation'")
    }
    if !isLocation, sort.relativeLocation != nil {
      throw .badRequest("Field '\(field.name)' is no LOCATION: 'relativeLocation' has no meaning")
    }
    return CheckedSort(
      source: field.source, isAscending: sort.isAscending, location: sort.relativeLocation)
  }

  private mutating func check(_ filter: FieldFilter) throws(ServerError) -> QueryCondition {
    let kind = filter.comparator.kind
    if filter.comparator.isExtension {
      try schema.requireQueryExtensions(filter.comparator.rawValue)
    }
    guard let key = filter.key else {
      guard kind == .tokens else {
        throw .badRequest("missing required field 'fieldName'")
      }
      return try tokens(of: filter, QueryField(source: .searchableFields, name: "self"))
    }
    let field = try field(key)
    if field.type.isEncrypted { throw field.refusal(of: filter.comparator) }
    if filter.comparator == .listContains, field.type == FieldType(.string) {
      try schema.requireQueryExtensions("LIST_CONTAINS on a STRING")
      var filter = filter
      filter.comparator = .containsText
      return try check(filter)
    }
    guard kind.accepts(field.type) else { throw field.refusal(of: filter.comparator) }
    try requireMark(kind.mark, field)
    if kind == .tokens { return try tokens(of: filter, field) }
    if kind == .distance { return try circle(of: filter, field) }
    return QueryCondition(
      source: field.source,
      test: try filter.test(
        ComparandReader(
          recordType: type.name, name: field.name, element: field.type.element,
          system: field.system, caller: caller)),
      isNegated: filter.comparator.isNegated,
      text: "\(filter.comparator.rawValue) \(field.name)")
  }

  private func circle(
    of filter: FieldFilter, _ field: QueryField
  ) throws(ServerError) -> QueryCondition {
    let input = filter.value
    let declared = input.declaredType.map { FieldType(name: $0) == FieldType(.location) } ?? true
    guard !input.isEncrypted, declared,
      case .location(let centre)? = try? input.value(as: FieldType(.location))
    else {
      throw .badRequest(
        "Field '\(field.name)' in type '\(type.name)': Invalid value, expected type LOCATION.")
    }
    guard let radius = filter.distance, radius >= 0 else {
      throw .badRequest("Field '\(field.name)': NEAR needs a 'distance' of 0 metres or more")
    }
    return QueryCondition(
      source: field.source, test: .near(Circle(centre: centre, radius: radius)),
      text: "NEAR \(field.name)")
  }

  private func tokens(
    of filter: FieldFilter, _ field: QueryField
  ) throws(ServerError) -> QueryCondition {
    if field.source == .searchableFields {
      let isAny = type.fields.values.contains {
        $0.type.isText && $0.indexes.contains(.searchable)
      }
      guard isAny else {
        throw .lacking(
          .index("(any)", "searchable", of: type.name), in: environment,
          "Type '\(type.name)' has no field that is marked searchable")
      }
    }
    let reader = ComparandReader(
      recordType: type.name, name: field.name, element: .string, system: nil, caller: nil)
    let values =
      filter.value.isList ? try reader.many(filter.value) : [try reader.one(filter.value)]
    let texts = values.compactMap { value -> [UInt8]? in
      if case .scalar(let scalar) = value { scalar.text } else { nil }
    }
    guard texts.reduce(0, { $0 + $1.count }) <= Limits.queryWordsSizeBytesMax else {
      throw .badRequest(Reason.queryValuesTooMany)
    }
    // The words are sorted, so that equal queries have equal plans.
    let words = Set(texts.flatMap { Tokens.words(of: String(decoding: $0, as: UTF8.self)) })
      .sorted { $0.lexicographicallyPrecedes($1) { $0.precedes($1) } }
    guard words.count <= Limits.queryWordsMax else {
      throw .badRequest(Reason.queryValuesTooMany)
    }
    let test: QueryCondition.Test =
      if words.isEmpty {
        .never
      } else if filter.comparator == .containsAnyTokens {
        .anyWord(words)
      } else {
        .allTokens(Set(words.joined()).sorted { $0.precedes($1) })
      }
    return QueryCondition(
      source: field.source, test: test, text: "\(filter.comparator.rawValue) \(field.name)")
  }

  /// - Throws: `BAD_REQUEST` if the type has no such field.
  private func field(_ key: QueryKey) throws(ServerError) -> QueryField {
    if !key.isSystem, let definition = type.fields[key.name] {
      return QueryField(
        source: .field(key.name), name: key.name, type: definition.type,
        marks: definition.indexes)
    }
    guard let system = key.systemField else {
      throw .lacking(
        ProductionLack(recordType: type.name, kind: .field, name: key.name), in: environment,
        "Did not find field: '\(key.name)' in type: '\(type.name)'")
    }
    return QueryField(source: .system(system), name: key.name, type: system.type)
  }

  private mutating func requireMark(
    _ mark: FieldIndexes, _ field: QueryField
  ) throws(ServerError) {
    var marks = field.marks
    if case .system(let system) = field.source {
      marks = type.systemFields[system] ?? []
      let possible = system.possibleMarks
      if environment == .development, possible.contains(mark) {
        let marking = SchemaAddition.Marking(
          recordType: type.name, key: .system(system), indexes: possible)
        if !marks.contains(mark), !addition.markings.contains(marking) {
          addition.markings.append(marking)
        }
        return
      }
    }
    if marks.contains(mark) { return }
    throw .lacking(
      .index(field.system?.rawValue ?? field.name, mark.word, of: type.name), in: environment,
      "Field '\(field.name)' is not marked \(mark.word)")
  }
}

/// The field that a query key refers to.
private struct QueryField {
  var source: IndexColumn.Source
  /// The name, as the caller sent it.
  var name: String
  var type = FieldType(.string)
  var marks: FieldIndexes = []

  var system: SystemField? { if case .system(let field) = source { field } else { nil } }

  func refusal(of comparator: Comparator) -> ServerError {
    .badRequest(
      "Field '\(name)' has a value type of \(type.schemaName) and cannot be queried using filter "
        + "type \(comparator.rawValue)")
  }
}

extension Schema {
  /// - Throws: `BAD_REQUEST`, which names the option `--query-extensions`, unless the container
  ///   allows query extensions that CloudKit does not have.
  func requireQueryExtensions(_ what: String) throws(ServerError) {
    if settings.allowsQueryExtensions { return }
    throw .badRequest(
      "\(what) is an extension of queries, which this container does not allow; "
        + "'stratus container configure' with '--query-extensions on' allows it")
  }
}

extension SystemField {
  /// The index marks that the field can have. Choice: record names are sortable, because Apple's
  /// console offers `___recordID` as sortable. Other references are not sortable.
  var possibleMarks: FieldIndexes {
    self == .recordName ? [.queryable, .sortable] : .all(for: type)
  }
}

extension FieldType {
  /// Whether the field holds text that can be split into words.
  var isText: Bool { element == .string && !isEncrypted }
}

extension FieldIndexes {
  fileprivate var word: String {
    switch self {
    case .sortable: "sortable"
    case .searchable: "searchable"
    default: "queryable"
    }
  }
}
