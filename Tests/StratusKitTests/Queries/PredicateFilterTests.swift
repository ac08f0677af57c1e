import CloudKit
import Foundation
import StratusFoundation
import StratusWire
import Testing

@testable import StratusKit

/// The predicates that CloudKit supports, and the filters that they become.
@Suite struct PredicateFilterTable {
  private static let date = Date(timeIntervalSince1970: 1000)
  private static let now = Date(timeIntervalSince1970: 2000)
  private static let id = CKRecord.ID(recordName: "bob")

  private func filters(_ predicate: NSPredicate) throws -> [QueryFilter] {
    try PredicateFilters.filters(of: predicate, now: Self.now)
  }

  /// A predicate format, its arguments, and the expected filters.
  struct Row: @unchecked Sendable, CustomTestStringConvertible {
    let format: String
    let arguments: [Any]
    let filters: [QueryFilter]

    init(_ format: String, _ arguments: Any..., becomes filters: [QueryFilter]) {
      self.format = format
      self.arguments = arguments
      self.filters = filters
    }

    init(
      _ format: String, _ arguments: Any..., becomes comparator: StratusWire.Comparator,
      _ field: String, _ value: FieldValue
    ) {
      self.format = format
      self.arguments = arguments
      filters = [.field(FieldFilter(comparator, QueryKey(field: field), value))]
    }

    init(
      _ format: String, _ arguments: Any..., becomes comparator: StratusWire.Comparator,
      system: SystemField, _ value: FieldValue
    ) {
      self.format = format
      self.arguments = arguments
      filters = [.field(FieldFilter(comparator, QueryKey(system: system), value))]
    }

    var testDescription: String { format }
  }

  private static let comparisons: [Row] = [
    Row("f = %@", "x", becomes: .equals, "f", .string("x")),
    Row("f == %@", "x", becomes: .equals, "f", .string("x")),
    Row("%K == %@", "f", "x", becomes: .equals, "f", .string("x")),
    Row("f == 'x'", becomes: .equals, "f", .string("x")),
    Row("f != %@", "x", becomes: .notEquals, "f", .string("x")),
    Row("f <> %@", "x", becomes: .notEquals, "f", .string("x")),
    Row("f < %d", 3, becomes: .lessThan, "f", .int64(3)),
    Row("f <= 3", becomes: .lessThanOrEquals, "f", .int64(3)),
    Row("f =< 3", becomes: .lessThanOrEquals, "f", .int64(3)),
    Row("f > -3", becomes: .greaterThan, "f", .int64(-3)),
    Row("f >= %f", 2.5, becomes: .greaterThanOrEquals, "f", .double(2.5)),
    Row("f => %@", NSNumber(value: 2.5), becomes: .greaterThanOrEquals, "f", .double(2.5)),
    Row("f == %@", NSNumber(value: 7), becomes: .equals, "f", .int64(7)),
    Row("f == %@", true, becomes: .equals, "f", .int64(1)),
    Row("f == %@", NSNumber(value: false), becomes: .equals, "f", .int64(0)),
    Row("f == YES", becomes: .equals, "f", .int64(1)),
    Row("f == %@", date, becomes: .equals, "f", .timestamp(1_000_000)),
    Row(
      "f >= %@", NSDate(timeIntervalSince1970: 1.5), becomes: .greaterThanOrEquals, "f",
      .timestamp(1500)),
    Row("f == %@", Data([1, 2]), becomes: .equals, "f", .bytes([1, 2])),
    Row(
      "f == %@", ["a", "b"], becomes: .equals, "f", .list(.string, [.string("a"), .string("b")])),
    Row("f < now()", becomes: .lessThan, "f", .timestamp(2_000_000)),
    Row("f > CAST(0, 'NSDate')", becomes: .greaterThan, "f", .timestamp(978_307_200_000)),
    Row("3 < n", becomes: .greaterThan, "n", .int64(3)),
    Row("3 >= n", becomes: .lessThanOrEquals, "n", .int64(3)),
    Row("'x' == f", becomes: .equals, "f", .string("x")),
    Row("f BEGINSWITH %@", "ab", becomes: .beginsWith, "f", .string("ab")),
    Row("f IN %@", ["a", "b"], becomes: .in, "f", .list(.string, [.string("a"), .string("b")])),
    Row("f IN {1, 2}", becomes: .in, "f", .list(.int64, [.int64(1), .int64(2)])),
    Row("f IN {1, 2.5}", becomes: .in, "f", .list(.double, [.double(1), .double(2.5)])),
    Row(
      "f IN %@", NSSet(array: [date]), becomes: .in, "f",
      .list(.timestamp, [.timestamp(1_000_000)])),
    Row("tags CONTAINS %@", "x", becomes: .listContains, "tags", .string("x")),
    Row("%@ IN tags", "x", becomes: .listContains, "tags", .string("x")),
    Row("ANY tags == %@", "x", becomes: .listContains, "tags", .string("x")),
    Row("SOME tags = %@", "x", becomes: .listContains, "tags", .string("x")),
    Row("ANY tags IN %@", ["x"], becomes: .listContainsAny, "tags", .list(.string, [.string("x")])),
    Row("ANY %@ IN tags", ["x"], becomes: .listContainsAny, "tags", .list(.string, [.string("x")])),
    Row("ANY %@ IN tags", "x", becomes: .listContains, "tags", .string("x")),
    Row("ANY tags BEGINSWITH 'x'", becomes: .listMemberBeginsWith, "tags", .string("x")),
    Row("f ENDSWITH 'x'", becomes: .endsWith, "f", .string("x")),
  ]

  private static let negations: [Row] = [
    Row("NOT (f == 'x')", becomes: .notEquals, "f", .string("x")),
    Row("NOT f != 'x'", becomes: .equals, "f", .string("x")),
    Row("NOT f < 3", becomes: .greaterThanOrEquals, "f", .int64(3)),
    Row("NOT f <= 3", becomes: .greaterThan, "f", .int64(3)),
    Row("NOT f > 3", becomes: .lessThanOrEquals, "f", .int64(3)),
    Row("NOT f >= 3", becomes: .lessThan, "f", .int64(3)),
    Row("NOT (f IN {'a'})", becomes: .notIn, "f", .list(.string, [.string("a")])),
    Row("NOT (tags CONTAINS 'x')", becomes: .notListContains, "tags", .string("x")),
    Row("NOT ('x' IN tags)", becomes: .notListContains, "tags", .string("x")),
    Row("NOT (ANY tags == 'x')", becomes: .notListContains, "tags", .string("x")),
    Row(
      "NOT (ANY tags IN {'x'})", becomes: .notListContainsAny, "tags",
      .list(.string, [.string("x")])),
    Row("NOT (f BEGINSWITH 'x')", becomes: .notBeginsWith, "f", .string("x")),
    Row("NOT (ANY f BEGINSWITH 'x')", becomes: .notListMemberBeginsWith, "f", .string("x")),
    Row("NOT NOT f == 'x'", becomes: .equals, "f", .string("x")),
    Row("NOT TRUEPREDICATE", becomes: [nothing]),
    Row("NOT (f IN {})", becomes: []),
  ]

  private static let system: [Row] = [
    Row(
      "recordID == %@", CKRecord.Reference(recordID: id, action: .none),
      becomes: .equals, system: .recordName, .reference(Reference(recordName: "bob"))),
    Row("recordID = %@", id, becomes: .equals, system: .recordName, bob),
    Row(
      "recordID = %@", CKRecord(recordType: "A", recordID: id),
      becomes: .equals, system: .recordName, bob),
    Row("recordID = 'bob'", becomes: .equals, system: .recordName, bob),
    Row("___recordID = %@", id, becomes: .equals, system: .recordName, bob),
    Row("recordID IN %@", [id], becomes: .in, system: .recordName, .list(.reference, [bob])),
    Row(
      "NOT (recordID IN %@)", [id], becomes: .notIn, system: .recordName,
      .list(.reference, [bob])),
    Row("creatorUserRecordID == %@", id, becomes: .equals, system: .creator, bob),
    Row("lastModifiedUserRecordID == %@", id, becomes: .equals, system: .modifier, bob),
    Row("___createdBy == %@", id, becomes: .equals, system: .creator, bob),
    Row("___modifiedBy == %@", id, becomes: .equals, system: .modifier, bob),
    Row("___parent == %@", id, becomes: .equals, system: .parent, bob),
    Row(
      "creationDate > %@", date, becomes: .greaterThan, system: .creationDate,
      .timestamp(1_000_000)),
    Row(
      "___createTime > %@", date, becomes: .greaterThan, system: .creationDate,
      .timestamp(1_000_000)),
    Row(
      "modificationDate <= %@", date, becomes: .lessThanOrEquals, system: .modificationDate,
      .timestamp(1_000_000)),
    Row(
      "___modTime <= %@", date, becomes: .lessThanOrEquals, system: .modificationDate,
      .timestamp(1_000_000)),
    Row(
      "owner == %@", CKRecord.Reference(recordID: id, action: .deleteSelf),
      becomes: .equals, "owner", bob),
    Row("owner == %@", CKRecord(recordType: "A", recordID: id), becomes: .equals, "owner", bob),
    Row(
      "owners CONTAINS %@", CKRecord.Reference(recordID: id, action: .none),
      becomes: .listContains, "owners", bob),
  ]

  private static let bob = FieldValue.reference(Reference(recordName: "bob"))
  private static let nothing = QueryFilter.field(
    FieldFilter(.in, QueryKey(system: .recordName), .list(.reference, [])))

  private static func words(
    _ comparator: StratusWire.Comparator, _ text: String, _ key: QueryKey? = nil
  ) -> [QueryFilter] {
    [.field(FieldFilter(comparator, key, .string(text)))]
  }

  private static func equal(_ field: String, _ value: Int64) -> QueryFilter {
    .field(FieldFilter(.equals, QueryKey(field: field), .int64(value)))
  }

  private static let others: [Row] = [
    Row("TRUEPREDICATE", becomes: []),
    Row("FALSEPREDICATE", becomes: [nothing]),
    Row("f IN %@", NSArray(), becomes: [nothing]),
    Row("a == 1 AND b == 2", becomes: [equal("a", 1), equal("b", 2)]),
    Row("a == 1 && (b == 2 && c == 3)", becomes: [equal("a", 1), equal("b", 2), equal("c", 3)]),
    Row("TRUEPREDICATE AND a == 1", becomes: [equal("a", 1)]),
    Row("a == 1 OR b == 2", becomes: [.anyOf([[equal("a", 1)], [equal("b", 2)]])]),
    Row(
      "(a == 1 AND b == 2) OR c == 3",
      becomes: [.anyOf([[equal("a", 1), equal("b", 2)], [equal("c", 3)]])]),
    Row("a == 1 OR TRUEPREDICATE", becomes: []),
    Row(
      "n BETWEEN {1, 5}",
      becomes: [
        .field(FieldFilter(.greaterThanOrEquals, QueryKey(field: "n"), .int64(1))),
        .field(FieldFilter(.lessThanOrEquals, QueryKey(field: "n"), .int64(5))),
      ]),
    Row(
      "creationDate BETWEEN %@", [date, now],
      becomes: [
        .field(
          FieldFilter(
            .greaterThanOrEquals, QueryKey(system: .creationDate), .timestamp(1_000_000))),
        .field(
          FieldFilter(.lessThanOrEquals, QueryKey(system: .creationDate), .timestamp(2_000_000))),
      ]),
    Row("self CONTAINS 'blue'", becomes: words(.containsAllTokens, "blue")),
    Row("SELF contains[cd] %@", "blue sky", becomes: words(.containsAllTokens, "blue sky")),
    Row(
      "self CONTAINS 'a' AND self CONTAINS 'b'",
      becomes: words(.containsAllTokens, "a") + words(.containsAllTokens, "b")),
    Row("allTokens TOKENMATCHES[cdl] %@", "a b", becomes: words(.containsAllTokens, "a b")),
    Row("self TOKENMATCHES[cdl] %@", "a b", becomes: words(.containsAllTokens, "a b")),
    Row(
      "title TOKENMATCHES[cdl] %@", "a b",
      becomes: words(.containsAllTokens, "a b", QueryKey(field: "title"))),
    Row(
      "ALL tokenize:using:(%@, 'Cdl') IN allTokens", "after bob",
      becomes: words(.containsAllTokens, "after bob")),
    Row(
      "ANY tokenize(%@, 'Cdl') IN allTokens", "after bob",
      becomes: words(.containsAnyTokens, "after bob")),
  ]

  @Test(arguments: comparisons + negations + system + others)
  func `each predicate that CloudKit supports becomes the expected filters`(row: Row) throws {
    let predicate = NSPredicate(format: row.format, argumentArray: row.arguments)
    #expect(try filters(predicate) == row.filters)
  }

  @Test(
    arguments: [
      "distanceToLocation:fromLocation:(place, %@) < 1000",
      "distanceToLocation:fromLocation:(place, %@) <= 1000.0",
      "distanceToLocation:fromLocation:(%@, place) < 1000",
      "1000 > distanceToLocation:fromLocation:(place, %@)",
    ])
  func `a predicate for a circle becomes a filter with a distance`(format: String) throws {
    let here = CLLocation(latitude: 52.5, longitude: 13.4)
    let filters = try filters(NSPredicate(format: format, here))
    guard case .field(let filter)? = filters.first, filters.count == 1 else {
      Issue.record("\(filters)")
      return
    }
    let place = try #require(FieldValue(here, zoneID: ZoneID(zoneName: "z")))
    #expect(filter == FieldFilter(.near, QueryKey(field: "place"), place, distance: 1000))
  }

  @Test func `an NSPredicate with a constant value matches all records or none`() throws {
    #expect(try filters(NSPredicate(value: true)) == [])
    #expect(try filters(NSPredicate(value: false)) == [Self.nothing])
  }

  @Test func `predicates built in code become the same filters as predicates from formats`() throws
  {
    let compound = NSCompoundPredicate(
      andPredicateWithSubpredicates: [
        NSPredicate(format: "a == 1"),
        NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "b == 2")),
      ])
    #expect(
      try filters(compound) == [
        Self.equal("a", 1),
        .field(FieldFilter(.notEquals, QueryKey(field: "b"), .int64(2))),
      ])
    let built = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "a"),
      rightExpression: NSExpression(forConstantValue: 1), modifier: .direct, type: .equalTo,
      options: [])
    #expect(try filters(built) == [Self.equal("a", 1)])
  }

  @Test
  func `the current user's default name in a predicate is replaced by the user's record name`()
    throws
  {
    let me = CKRecord.ID(recordName: CKCurrentUserDefaultName)
    let filters = try PredicateFilters.filters(
      of: NSPredicate(format: "creatorUserRecordID == %@", me), now: Self.now,
      naming: UserNaming(currentUserRecordName: "_me"))
    let value = FieldValue.reference(Reference(recordName: "_me"))
    #expect(filters == [.field(FieldFilter(.equals, QueryKey(system: .creator), value))])
  }

  @Test func `a predicate with values of CloudKit's classes survives archiving`() throws {
    let reference = CKRecord.Reference(recordID: Self.id, action: .none)
    let predicate = NSPredicate(
      format: "a == %@ AND b IN %@ AND c == %@", reference, [Self.id],
      CLLocation(latitude: 1, longitude: 2))
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: predicate, requiringSecureCoding: true)
    let back = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data))
    #expect(try filters(back) == filters(predicate))
  }

  @Test func `a predicate can be evaluated on a record in memory`() {
    let record = CKRecord(recordType: "Note", recordID: Self.id)
    record["title"] = "x"
    record["tags"] = ["a", "b"]
    #expect(NSPredicate(format: "title == 'x' AND ANY tags == 'b'").evaluate(with: record))
    #expect(NSPredicate(format: "recordID == %@", Self.id).evaluate(with: record))
    #expect(!NSPredicate(format: "title == 'y'").evaluate(with: record))
  }
}
