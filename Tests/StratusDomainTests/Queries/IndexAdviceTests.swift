import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `Advice about indexes` {
  private let address = StoreAddress(container: "c", environment: .production)
  private let query = Query(
    recordType: "Note",
    filters: [
      .field(FieldFilter(.equals, QueryKey(field: "title"), .string("a secret value")))
    ], sorts: [QuerySort(QueryKey(field: "count"), isAscending: false)])

  private func note(
    _ costly: CostlyQueries, read: Int, found: Int, isUnindexed: Bool = false
  ) {
    costly.note(
      query, isUnindexed: isUnindexed, recordsRead: read, found: found, at: address)
  }

  @Test func `the advice remembers only queries that read far more records than they find`() {
    let costly = CostlyQueries()
    note(costly, read: 199, found: 0)
    note(costly, read: 1_000, found: 101)
    note(costly, read: 5_000, found: 5_000)
    #expect(costly.list(at: address).isEmpty)
    note(costly, read: 200, found: 20)
    note(costly, read: 300, found: 1)
    let found = costly.list(at: address)
    #expect(found.map(\.cost) == [.init(count: 2, recordsRead: 500, recordsFound: 21)])
    #expect(costly.list(at: StoreAddress(container: "d", environment: .production)).isEmpty)
  }

  @Test func `the advice remembers a query that no index served, even if it read one record`() {
    let costly = CostlyQueries()
    note(costly, read: 1, found: 1, isUnindexed: true)
    #expect(costly.list(at: address).first?.cost.unindexedCount == 1)
  }

  @Test func `the remembered form of a query contains no values`() {
    let form = QueryForm(query)
    #expect(form.filters == ["EQUALS title"])
    #expect(form.sorts == ["count descending"])
  }

  @Test func `if there are too many forms of queries, the cheapest one is forgotten`() {
    let costly = CostlyQueries()
    for number in 0..<200 {
      let query = Query(recordType: "T\(number)", filters: [], sorts: [])
      costly.note(
        query, isUnindexed: false, recordsRead: 1_000 + number, found: 0, at: address)
    }
    let kept = costly.list(at: address)
    #expect(kept.count == CostlyQueries.formsMax)
    #expect(kept.first?.form.recordType == "T199")
    #expect(kept.last?.form.recordType == "T136")
  }

  private func index(
    _ id: Int64, state: ListIndexes.Item.State = .ready, uses: Int64 = 0, lastUsedDay: Int64?
  ) -> ListIndexes.Item {
    ListIndexes.Item(
      id: id, recordType: "Note", columns: ["a", "b"], state: state, lastUsedDay: lastUsedDay,
      uses: uses)
  }

  @Test func `an index counts as unused after seven days without a query`() {
    let advice = IndexAdvice(
      costly: [],
      indexes: [
        index(1, lastUsedDay: 93), index(2, lastUsedDay: 94), index(3, uses: 1, lastUsedDay: 80),
        index(4, lastUsedDay: nil), index(5, state: .building, lastUsedDay: 80),
      ], day: 100)
    #expect(advice.all.map(\.index) == [1])
    #expect(advice.all.first?.kind == .unusedIndex)
    #expect(advice.all.first?.sentence.contains("for 7 days") == true)
  }

  @Test func `the advice for a costly query depends on the number of indexes`() throws {
    let cost = CostlyQueries.Cost(count: 3, recordsRead: 900, recordsFound: 2)
    func sentence(_ indexCount: Int64) throws -> String {
      let indexes = (0..<indexCount).map { index($0, uses: 1, lastUsedDay: 100) }
      let advice = IndexAdvice(costly: [(QueryForm(query), cost)], indexes: indexes, day: 100)
      let first = try #require(advice.all.first)
      #expect(first.kind == .costlyQuery)
      #expect(first.queries == 3)
      return first.sentence
    }
    #expect(try sentence(31).contains("Use fewer of them"))
    #expect(try sentence(32).contains("Drop an index"))
  }
}
