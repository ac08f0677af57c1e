import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `The form of a query in logs` {
  private static func filter(
    _ comparator: Comparator, _ name: String?, _ value: String = "a secret value"
  ) -> QueryFilter {
    .field(FieldFilter(comparator, name.map { QueryKey(field: $0) }, .string(value)))
  }

  private static func query(
    _ recordType: String = "Note", _ filters: [QueryFilter] = [], _ sorts: [QuerySort] = []
  ) -> Query {
    Query(recordType: recordType, filters: filters, sorts: sorts)
  }

  private static let groups = QueryFilter.anyOf([
    [filter(.in, "a"), filter(.near, "b")], [.anyOf([[filter(.beginsWith, "c")]])],
  ])
  private static let sorts = [
    QuerySort(QueryKey(field: "age"), isAscending: false),
    QuerySort(QueryKey(system: .creationDate)),
  ]

  private static let forms: [(Query, String)] = [
    (query(), "Note"),
    (query("Note", [filter(.equals, "title")]), "Note where title EQUALS"),
    (
      query("Note", [filter(.equals, "title"), filter(.lessThan, "age")], sorts),
      "Note where title EQUALS and age LESS_THAN sort by age descending, createdTimestamp"
    ),
    (query("Note", [filter(.containsAllTokens, nil)]), "Note where (any) CONTAINS_ALL_TOKENS"),
    (query("Note", [groups]), "Note where (a IN and b NEAR or (c BEGINS_WITH))"),
  ]

  @Test(arguments: forms)
  func `the form of a query names its fields and comparators, and no values`(
    _ query: Query, _ form: String
  ) {
    #expect(QueryReport(query: query).form == form)
  }

  @Test(arguments: [
    "a b", "a'b", "_a", "1", "", "müde", "a\n", String(repeating: "a", count: 256),
  ])
  func `a text that cannot be a name is a question mark in the form of a query`(_ text: String) {
    let query = Self.query(text, [Self.filter(.equals, text)])
    #expect(QueryReport(query: query).form == "? where ? EQUALS")
  }

  @Test func `the names of system fields occur in the form of a query`() {
    let query = Self.query("Note", [Self.filter(.equals, "___modTime")])
    #expect(QueryReport(query: query).form == "Note where ___modTime EQUALS")
  }

  @Test func `a form of at most 500 bytes is complete, and a longer one is cut`() {
    func form(nameLength: Int) -> String {
      let name = String(repeating: "n", count: nameLength)
      let long = String(repeating: "m", count: 250)
      let query = Self.query("N", [Self.filter(.in, name), Self.filter(.in, long)])
      return QueryReport(query: query).form
    }
    let (name, long) = (String(repeating: "n", count: 231), String(repeating: "m", count: 250))
    let longest = "N where \(name) IN and \(long) IN"
    #expect(longest.utf8.count == 500)
    #expect(form(nameLength: 231) == longest)
    #expect(form(nameLength: 232) == "\(longest.prefix(125))…")
  }

  @Test func `the form of a query with very many conditions is short`() {
    let many = Array(repeating: Self.groups, count: 10_000)
    let form = QueryReport(query: Self.query("Note", many, Self.sorts)).form
    #expect(form.hasPrefix("Note where (a IN and b NEAR or (c BEGINS_WITH)) and (a IN"))
    #expect(form.hasSuffix("…") && form.count == 126)
  }
}
