import CloudKit
import Foundation
import StratusFoundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct FilterPredicates {
  private static let naming = UserNaming(currentUserRecordName: nil)

  private func filters(_ predicate: NSPredicate) throws -> [QueryFilter] {
    try PredicateFilters.filters(of: predicate, now: Date(timeIntervalSince1970: 2_000))
  }

  private func predicate(_ filters: [QueryFilter]) -> NSPredicate {
    FilterPredicate(naming: Self.naming).predicate(of: filters)
  }

  /// A predicate format, and the printed form of the predicate that is made from the format's
  /// filters.
  private static let formats: [(String, String)] = [
    ("TRUEPREDICATE", "TRUEPREDICATE"),
    ("FALSEPREDICATE", "FALSEPREDICATE"),
    ("f = 'x'", "f == \"x\""),
    ("f != 2", "f != 2"),
    ("NOT f == 2.5", "f != 2.5"),
    ("a < 1 AND b <= 2 AND c > 3 AND d >= 4", "a < 1 AND b <= 2 AND c > 3 AND d >= 4"),
    ("f BETWEEN {1, 5}", "f >= 1 AND f <= 5"),
    ("f IN {'a', 'b'}", "f IN {\"a\", \"b\"}"),
    ("NOT f IN {1, 2}", "NOT f IN {1, 2}"),
    ("NOT (f IN {})", "TRUEPREDICATE"),
    ("tags CONTAINS 'x'", "tags CONTAINS \"x\""),
    ("NOT tags CONTAINS 'x'", "NOT tags CONTAINS \"x\""),
    ("ANY tags IN {'x', 'y'}", "ANY tags IN {\"x\", \"y\"}"),
    ("NOT (ANY tags IN {'x'})", "NOT ANY tags IN {\"x\"}"),
    ("f BEGINSWITH 'x'", "f BEGINSWITH \"x\""),
    ("NOT f BEGINSWITH 'x'", "NOT f BEGINSWITH \"x\""),
    ("ANY tags BEGINSWITH 'x'", "ANY tags BEGINSWITH \"x\""),
    ("NOT (ANY tags BEGINSWITH 'x')", "NOT ANY tags BEGINSWITH \"x\""),
    ("f ENDSWITH 'x'", "f ENDSWITH \"x\""),
    ("self CONTAINS 'two words'", "allTokens TOKENMATCHES[cd] \"two words\""),
    ("f TOKENMATCHES 'word'", "f TOKENMATCHES[cd] \"word\""),
    ("a == 1 OR (b == 2 AND c == 3)", "a == 1 OR (b == 2 AND c == 3)"),
    ("#in == 1", "#in == 1"),
    (
      "ANY tokenize:using:('a b', 'cdl') IN allTokens",
      "ANY tokenize:using:(\"a b\", \"cdl\") IN allTokens"
    ),
  ]

  @Test(arguments: formats) func `a predicate made from filters has the same filters`(
    format: String, text: String
  ) throws {
    let sent = try filters(NSPredicate(format: format))
    let fetched = predicate(sent)
    let printed = ParsedPredicate(fetched).text
    #expect(printed == text)
    #expect(try filters(fetched) == sent)
    // The framework's own parser can read the printed form.
    #expect(try filters(NSPredicate(format: printed)) == sent)
  }

  @Test func `the values of a predicate made from filters keep their types`() throws {
    let id = CKRecord.ID(recordName: "bob")
    let reference = CKRecord.Reference(recordID: id, action: .none)
    let place = CLLocation(latitude: 1.5, longitude: -2)
    let predicates = [
      NSPredicate(format: "due > %@", Date(timeIntervalSince1970: 1_000) as NSDate),
      NSPredicate(format: "blob == %@", NSData(data: Data([1, 2]))),
      NSPredicate(format: "owner == %@", reference),
      NSPredicate(format: "owners CONTAINS %@", reference),
      NSPredicate(format: "recordID == %@", reference),
      NSPredicate(format: "recordID IN %@", [id]),
      NSPredicate(format: "creatorUserRecordID == %@", id),
      NSPredicate(format: "modificationDate <= %@", Date(timeIntervalSince1970: 7) as NSDate),
      NSPredicate(format: "___parent == %@", id),
      NSPredicate(format: "price == %@", 2.0 as NSNumber),
      NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < 500", place),
    ]
    for predicate in predicates {
      let sent = try filters(predicate)
      #expect(try filters(self.predicate(sent)) == sent)
    }
  }

  @Test func `a filter that Apple's syntax cannot express prints an equivalent predicate`() throws {
    let key = QueryKey(field: "tags")
    let values = FieldValue.list(.string, [.string("x"), .string("y")])
    #expect(
      predicate([.field(FieldFilter(.listContainsAll, key, values))]).description
        == "tags CONTAINS \"x\" AND tags CONTAINS \"y\"")
    #expect(
      predicate([.field(FieldFilter(.notListContainsAll, key, values))]).description
        == "NOT tags CONTAINS \"x\" OR NOT tags CONTAINS \"y\"")
    #expect(
      predicate([.field(FieldFilter(.containsText, key, .string("x")))]).description
        == "tags CONTAINS \"x\"")
    let anyToken = predicate([.field(FieldFilter(.containsAnyTokens, key, .string("a b")))])
    #expect(anyToken.description == "ANY tokenize:using:(\"a b\", \"cdl\") IN tags")
    #expect(throws: CKError.self) { try filters(anyToken) }
  }
}
