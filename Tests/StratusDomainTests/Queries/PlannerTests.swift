import StratusWire
import Testing

@testable import StratusDomain

/// The index that the planner chooses for a query, and the filters that are checked on each record.
@Suite struct QueryPlans {
  private static let schema: Schema = {
    var schema = Schema()
    let types: [(String, FieldType)] = [
      ("status", FieldType(.string)), ("title", FieldType(.string)), ("count", FieldType(.int64)),
      ("due", FieldType(.timestamp)), ("tags", FieldType(.string, isList: true)),
      ("place", FieldType(.location)), ("secret", FieldType(.string, isEncrypted: true)),
    ]
    schema.add(
      SchemaAddition(
        recordTypes: ["Note"],
        fields: types.map {
          .init(recordType: "Note", name: $0, type: $1, indexes: .all(for: $1))
        }))
    return schema
  }()

  private func checked(
    _ filters: [QueryFilter], _ sorts: [QuerySort] = [], extensions: Bool = false
  ) throws -> CheckedQuery {
    var schema = Self.schema
    schema.settings.allowsQueryExtensions = extensions
    var check = try QueryCheck(
      recordType: "Note", schema: schema, environment: .development, caller: nil)
    return try check.check(Query(recordType: "Note", filters: filters, sorts: sorts))
  }

  private func first(_ filters: [QueryFilter], _ sorts: [QuerySort] = []) throws -> String {
    let planner = QueryPlanner(try checked(filters, sorts))
    let candidate = try #require(planner.candidates.first)
    let index = candidate.columns.map(\.text).joined(separator: ", ")
    let left = candidate.remaining.map(\.text).joined(separator: ", ")
    return left.isEmpty ? index : "\(index); \(left)"
  }

  private func filter(
    _ comparator: Comparator, _ field: String, _ value: FieldValue, distance: Double? = nil
  ) -> QueryFilter {
    .field(FieldFilter(comparator, QueryKey(field: field), value, distance: distance))
  }

  private func sort(_ field: String, _ isAscending: Bool = true) -> QuerySort {
    QuerySort(QueryKey(field: field), isAscending: isAscending)
  }

  @Test
  func `an index has the equality fields, then the sort fields, and the first sort field ascends`()
    throws
  {
    let open = filter(.equals, "status", .string("open"))
    #expect(try first([open], [sort("due")]) == "status, due")
    #expect(try first([open], [sort("due", false)]) == "status, due")
    #expect(
      try first([open], [sort("due", false), sort("title")]) == "status, due, title descending")
    #expect(
      try first([filter(.equals, "title", .string("x")), open]) == "status, title")
  }

  @Test func `a query without filters is read in order of record names`() throws {
    #expect(try first([]) == "recordName")
    #expect(
      try first([filter(.notEquals, "status", .string("x"))]) == "recordName; NOT_EQUALS status")
  }

  @Test func `several range filters on the sort field are read as one index range`() throws {
    let filters = [
      filter(.greaterThan, "due", .timestamp(1)), filter(.lessThan, "due", .timestamp(9)),
    ]
    #expect(try first(filters) == "due")
    #expect(try first(filters, [sort("due"), sort("title")]) == "due, title")
    #expect(
      try first(filters, [sort("title")])
        == "title; GREATER_THAN due, LESS_THAN due")
  }

  @Test func `a sort by a field that an equality filter fixes needs no additional column`() throws {
    let open = filter(.equals, "status", .string("open"))
    #expect(try first([open], [sort("status"), sort("due")]) == "status, due")
    #expect(try first([open], [sort("status")]) == "status")
  }

  @Test func `a filter with several values reads one index range for each value, in sort order`()
    throws
  {
    let either = filter(.in, "status", .list(.string, [.string("a"), .string("b")]))
    #expect(try first([either], [sort("due")]) == "status, due")
    #expect(try first([either], [sort("status"), sort("due")]) == "status, due")
    let planner = QueryPlanner(try checked([either], [sort("status")]))
    #expect(planner.candidates[0].reach?.intervals.count == 2)
  }

  @Test func `list members, words and locations have index columns of their own`() throws {
    #expect(try first([filter(.listContains, "tags", .string("x"))]) == "tags member")
    #expect(
      try first([filter(.listContains, "tags", .string("x"))], [sort("title")])
        == "tags member, title")
    #expect(try first([filter(.containsAllTokens, "title", .string("word"))]) == "title token")
    #expect(
      try first([filter(.containsAllTokens, "title", .string("one two"))])
        == "title token; CONTAINS_ALL_TOKENS title")
    let here = FieldValue.location(Location(latitude: 1, longitude: 2))
    #expect(try first([filter(.near, "place", here, distance: 5)]) == "place cell; NEAR place")
    let nearest = QuerySort(
      QueryKey(field: "place"), relativeLocation: Location(latitude: 1, longitude: 2))
    #expect(
      try first([filter(.equals, "status", .string("x"))], [nearest]) == "status, place cell")
  }

  @Test
  func `a query with a range filter on one field can be sorted by another field in memory`()
    throws
  {
    let planner = QueryPlanner(
      try checked([filter(.beginsWith, "title", .string("x"))], [sort("due")]))
    #expect(planner.mainCount == 1)
    #expect(planner.gatherCount == 1)
    #expect(planner.candidates[1].kind == .gather)
    #expect(planner.candidates[1].columns.map(\.text) == ["title"])
  }

  @Test func `the number of index ranges of a query plan never exceeds its limit`() throws {
    func list(_ count: Int) -> FieldValue {
      .list(.string, (0..<count).map { .string("v\($0)") })
    }
    for (tags, titles) in [(200, 200), (1_000, 1_000), (10, 100), (1, 1_000)] {
      let planner = QueryPlanner(
        try checked(
          [
            filter(.listContainsAny, "tags", list(tags)), filter(.in, "title", list(titles)),
            filter(.in, "status", list(30)),
          ], [sort("title")]))
      for candidate in planner.candidates {
        let plan = try #require(QueryPlan(candidate, ordinal: 0, index: index(candidate.columns)))
        #expect(plan.stretches.count <= Limits.queryRangesMax)
      }
      // Filters that do not select index ranges are checked on each record.
      let left = planner.candidates[0].remaining.map(\.text)
      #expect(left.contains("IN title") == (tags * titles > Limits.queryRangesMax))
    }
  }

  private func index(_ columns: [IndexColumn]) -> QueryIndex {
    QueryIndex(id: 1, recordType: "Note", columns: columns, isReady: true)
  }

  @Test
  func `an optional index is refused if the record type has nearly the maximum number of indexes`()
  {
    let known = (0..<24).map { [IndexColumn(.field("a\($0)")), IndexColumn(.field("b"))] }
    let wanted = [IndexColumn(.field("x")), IndexColumn(.field("y"))]
    #expect(IndexBuilder.hasRoom(for: wanted, among: known.dropLast(), isOptional: true))
    #expect(!IndexBuilder.hasRoom(for: wanted, among: known, isOptional: true))
    #expect(IndexBuilder.hasRoom(for: wanted, among: known))
    #expect(IndexBuilder.hasRoom(for: [wanted[0]], among: known + known, isOptional: true))
  }

  @Test
  func `an index can serve a query only if all its sort directions are equal or all are reversed`()
    throws
  {
    let query = try checked(
      [filter(.equals, "status", .string("x"))], [sort("due"), sort("title", false)])
    let candidate = QueryPlanner(query).candidates[0]
    func reversed(_ columns: [IndexColumn]) -> Bool? {
      candidate.isReversed(
        in: QueryIndex(
          id: 1, recordType: "Note", columns: columns, isReady: true))
    }
    let status = IndexColumn(.field("status"))
    let due = IndexColumn(.field("due"))
    let title = IndexColumn(.field("title"))
    #expect(reversed([status, due, title.opposite]) == false)
    #expect(reversed([status, due.opposite, title]) == true)
    #expect(reversed([status, due, title]) == nil)
    #expect(reversed([status, due]) == nil)
    #expect(reversed([due, title.opposite]) == nil)
  }

  @Test(arguments: [
    (
      Comparator.equals, "nothing", FieldValue.string("x"),
      "Did not find field: 'nothing' in type: 'Note'"
    ),
    (
      .equals, "secret", .string("x"),
      "Field 'secret' has a value type of ENCRYPTED_STRING and cannot be queried using filter "
        + "type EQUALS"
    ),
    (
      .equals, "tags", .list(.string, []),
      "Field 'tags' has a value type of STRING_LIST and cannot be queried using filter "
        + "type EQUALS"
    ),
    (
      .equals, "title", .list(.string, [.string("x")]),
      "Field 'title' in type 'Note': Invalid value, expected type STRING "
        + "but actual value was a list"
    ),
    (
      .equals, "title", .int64(1),
      "Field 'title' in type 'Note': Invalid value, expected type STRING."
    ),
    (
      .equals, "count", .string("x"),
      "Field 'count' in type 'Note': Invalid value, expected type INT64."
    ),

    (
      .near, "place", .location(Location(latitude: 0, longitude: 0)),
      "Field 'place': NEAR needs a 'distance' of 0 metres or more"
    ),
    (
      .endsWith, "title", .string("x"),
      "ENDS_WITH is an extension of queries, which this container does not allow; "
        + "'stratus container configure' with '--query-extensions on' allows it"
    ),
  ])
  func `the error names the reason for a refused query`(
    comparator: Comparator, field: String, value: FieldValue, reason: String
  ) {
    #expect(throws: ServerError.badRequest(reason)) {
      try checked([filter(comparator, field, value)])
    }
  }

  @Test func `in production, a query requires the index marks of the schema`() throws {
    var schema = Self.schema
    schema.add(
      SchemaAddition(
        fields: [.init(recordType: "Note", name: "bare", type: FieldType(.string))]))
    var check = try QueryCheck(
      recordType: "Note", schema: schema, environment: .production, caller: nil)
    let bare = FieldValue.string("x")
    for (query, reason, lacks) in [
      (
        Query(recordType: "Note"), "Field 'recordName' is not marked queryable",
        "___recordID QUERYABLE"
      ),
      (
        Query(recordType: "Note", filters: [filter(.equals, "bare", bare)]),
        "Field 'bare' is not marked queryable", "bare QUERYABLE"
      ),
      (
        Query(recordType: "Note", filters: [filter(.lessThan, "bare", bare)]),
        "Field 'bare' is not marked sortable", "bare SORTABLE"
      ),
      (
        Query(recordType: "Note", filters: [filter(.containsAnyTokens, "bare", bare)]),
        "Field 'bare' is not marked searchable", "bare SEARCHABLE"
      ),
      (
        Query(
          recordType: "Note", filters: [filter(.equals, "title", bare)],
          sorts: [sort("___createTime")]),
        "Field '___createTime' is not marked sortable", "___createTime SORTABLE"
      ),
    ] {
      let error = #expect(throws: ServerError.self) { try check.check(query) }
      #expect(error?.code == .badRequest)
      #expect(error?.reason == reason)
      #expect(
        error?.lack == ProductionLack(recordType: "Note", kind: .index, name: lacks))
    }
  }

  @Test func `a fractional filter value on a whole-number field compares numerically`() throws {
    func test(_ comparator: Comparator, _ number: Double) throws -> QueryCondition.Test {
      let query = try checked([filter(comparator, "count", .double(number))])
      guard case .condition(let condition) = query.filters[0] else { return .never }
      return condition.test
    }
    #expect(try test(.equals, 2) == .oneOf([.whole(2)]))
    #expect(try test(.equals, 2.5) == .never)
    let three = ScalarRange.Bound(value: .whole(3), isIncluded: true)
    #expect(try test(.greaterThan, 2.5) == .within(ScalarRange(lower: three)))
    let minusThree = ScalarRange.Bound(value: .whole(-3), isIncluded: true)
    #expect(try test(.lessThan, -2.5) == .within(ScalarRange(upper: minusThree)))
    #expect(try test(.lessThan, 0x1p63) == .present)
    #expect(try test(.greaterThan, 0x1p63) == .never)
    #expect(try test(.greaterThan, -1e300) == .present)
    let least = ScalarRange.Bound(value: .whole(.min), isIncluded: false)
    #expect(try test(.greaterThan, -0x1p63) == .within(ScalarRange(lower: least)))
  }

  @Test func `a fraction in an IN filter never matches a whole-number field`() throws {
    let query = try checked([
      filter(.in, "count", .list(.double, [.double(1), .double(1.5)]))
    ])
    guard case .condition(let condition) = query.filters[0] else { return }
    #expect(condition.test == .oneOf([.whole(1)]))
  }
}
