import StratusSQLite
import StratusWire
import Testing

@testable import StratusDomain

/// The server's choice between the plans that the existing indexes allow for a query.
@Suite struct PlanChoices {
  private static func index(_ id: Int64, _ columns: [IndexColumn], isReady: Bool = true)
    -> QueryIndex
  {
    QueryIndex(id: id, recordType: "Note", columns: columns, isReady: isReady)
  }

  private static func field(_ name: String) -> IndexColumn { IndexColumn(.field(name)) }

  /// A query with the filters `a = 1` and `c > 5`, sorted by `b`.
  private static func query() throws -> CheckedQuery {
    var schema = Schema()
    schema.add(
      SchemaAddition(
        recordTypes: ["Note"],
        fields: ["a", "b", "c"].map {
          .init(
            recordType: "Note", name: $0, type: FieldType(.int64),
            indexes: .all(for: FieldType(.int64)))
        }))
    var check = try QueryCheck(
      recordType: "Note", schema: schema, environment: .development, caller: nil)
    return try check.check(
      Query(
        recordType: "Note",
        filters: [
          .field(FieldFilter(.equals, QueryKey(field: "a"), .int64(1))),
          .field(FieldFilter(.greaterThan, QueryKey(field: "c"), .int64(5))),
        ], sorts: [QuerySort(QueryKey(field: "b"))]))
  }

  private func outcome(
    _ indexes: [QueryIndex], waits: Bool, isOrdered: Bool = false
  ) async throws -> String {
    let query = try Self.query()
    return try await withStore { store in
      try await store.read { (body) throws(ServerError) in
        var choice = PlanChoice(
          query: query, planner: QueryPlanner(query), indexes: indexes, store: body,
          database: .public, zone: nil, waits: waits, pageSize: 50)
        switch isOrdered ? try choice.chooseOrdered() : try choice.choose() {
        case .plan(let plan, _): return "\(plan.word) \(plan.columnsText)"
        case .needs(let wanted, let building):
          let columns = wanted.map { $0.map(\.text).joined(separator: " ") }
          return "needs \(columns) \(building)"
        }
      }
    }
  }

  private func withStore<Value: Sendable>(
    _ body: (any Store) async throws -> Value
  ) async throws -> Value {
    var value: Value?
    try await withStores { stores in
      value = try await body(try await stores.store(at: development))
    }
    return try #require(value)
  }

  @Test
  func `a query that may no longer wait for a better index uses a complete index`() async throws {
    let ready = Self.index(1, [Self.field("a"), Self.field("b")])
    let building = Self.index(2, [Self.field("a"), Self.field("c")], isReady: false)
    #expect(try await outcome([ready, building], waits: true) == "needs [] [2]")
    #expect(try await outcome([ready, building], waits: false) == "scan a, b")
    #expect(try await outcome([building], waits: false) == #"needs ["a b"] [2]"#)
  }

  @Test
  func `after a page sorted in memory, a query uses no index with reversed columns`() async throws {
    let opposite = Self.index(1, [Self.field("a"), Self.field("b").opposite])
    let gathered = Self.index(2, [Self.field("a"), Self.field("c")])
    #expect(
      try await outcome([opposite, gathered], waits: true, isOrdered: true)
        == #"needs ["a b"] []"#)
    let same = Self.index(3, [Self.field("a"), Self.field("b")])
    #expect(
      try await outcome([opposite, gathered, same], waits: true, isOrdered: true) == "scan a, b")
  }

  @Test
  func `if a type has the maximum number of indexes, a query needs only its sort field's index`()
    async throws
  {
    let full = (0..<32).map { number in
      Self.index(Int64(number), [Self.field("x\(number)"), Self.field("y")])
    }
    #expect(try await outcome(full, waits: true, isOrdered: true) == #"needs ["b"] []"#)
  }
}
