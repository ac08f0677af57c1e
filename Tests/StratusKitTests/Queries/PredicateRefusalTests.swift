import CloudKit
import Foundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct PredicateRefusals {
  private func refusal(_ predicate: NSPredicate) -> CKError? {
    do {
      _ = try PredicateFilters.filters(of: predicate, now: Date(timeIntervalSince1970: 0))
      return nil
    } catch {
      return error
    }
  }

  /// A predicate format that CloudKit refuses, and words that the error message must contain.
  @Test(
    arguments: [
      ("f LIKE 'x*'", "LIKE"), ("f MATCHES 'x'", "MATCHES"), ("f + 1 == 2", "arithmetic"),
      ("f == 1 + 2", "arithmetic"), ("f == g", "field"), ("1 == 1", "no field"),
      ("f ==[c] 'x'", "[c]"), ("f BEGINSWITH[cd] 'x'", "[cd]"), ("f CONTAINS[d] 'x'", "[d]"),
      ("f IN[c] {'x'}", "[c]"), ("ALL tags == 'x'", "ALL"), ("NONE tags == 'x'", "NONE"),
      ("ALL {'x'} IN tags", "ALL"), ("ANY tags < 3", "ANY"), ("ANY tags != 'x'", "ANY"),
      ("ANY tags CONTAINS 'x'", "ANY"), ("ANY tags ENDSWITH 'x'", "ANY"),
      ("SUBQUERY(tags, $t, $t == 'x').@count > 0", "SUBQUERY"), ("tags.@count > 1", "tags.@count"),
      ("a.b == 1", "a.b"), ("f == $x", "$x"), ("tags[0] == 'x'", "tags[0]"),
      ("uppercase:(f) == 'X'", "uppercase:"), ("FUNCTION(f, 'length') > 1", "FUNCTION"),
      ("CAST(f, 'NSDate') > 1", "CAST"), ("f == nil", "no value"), ("f != NULL", "no value"),
      ("f IN {'a', nil}", "no value"), ("f IN {'a', 1}", "one type"), ("f IN 'abc'", "IN"),
      ("f BETWEEN $x", "$x"), ("f BEGINSWITH 3", "text"), ("f ENDSWITH 3", "text"),
      ("'abc' BEGINSWITH f", "BEGINSWITH"), ("f == {}", "empty"), ("{1} IN tags", "single"),
      ("tags CONTAINS {'a'}", "single"), ("___etag == 'x'", "___etag"), ("_f == 1", "_f"),
      ("NOT (a == 1 AND b == 2)", "NOT"), ("NOT (a == 1 OR b == 2)", "NOT"),
      ("NOT (self CONTAINS 'x')", "NOT"), ("NOT (n BETWEEN {1, 2})", "NOT"),
      ("NOT (f ENDSWITH 'x')", "NOT"), ("NOT (allTokens TOKENMATCHES 'x')", "NOT"),
      ("self == 'x'", "self"), ("self CONTAINS 3", "text"), ("ANY self CONTAINS 'x'", "ANY"),
      ("NONE tokenize('x', 'cdl') IN allTokens", "NONE"),
      ("tokenize('x', 'cdl') == 'x'", "tokenize"),
      ("f == ", "Unable to parse the format string"), ("f", "Unable to parse the format string"),
    ])
  func `the error names the part of a predicate that CloudKit does not support`(
    format: String, named: String
  ) throws {
    let error = try #require(refusal(NSPredicate(format: format)))
    #expect(error.code == .invalidArguments)
    #expect(
      error.localizedDescription.lowercased().contains(named.lowercased()),
      "\(error.localizedDescription)")
  }

  @Test(
    arguments: [
      ("distanceToLocation:fromLocation:(place, %@) > 5", "within"),
      ("distanceToLocation:fromLocation:(place, %@) == 5", "within"),
      ("5 < distanceToLocation:fromLocation:(place, %@)", "within"),
      ("NOT (distanceToLocation:fromLocation:(place, %@) < 5)", "NOT"),
      ("distanceToLocation:fromLocation:(place, %@) < -5", "metres"),
      ("distanceToLocation:fromLocation:(place, %@) < 'x'", "metres"),
      ("distanceToLocation:fromLocation:(a.b, %@) < 5", "a.b"),
      ("distanceToLocation:fromLocation:(place, 3) < 5 AND f == %@", "CLLocation"),
    ])
  func `a location predicate must be a circle around a location`(format: String, named: String)
    throws
  {
    let here = CLLocation(latitude: 1, longitude: 2)
    let error = try #require(refusal(NSPredicate(format: format, here)))
    #expect(error.code == .invalidArguments)
    #expect(error.localizedDescription.contains(named), "\(error.localizedDescription)")
  }

  @Test func `the error names the class of a value that CloudKit does not support`() throws {
    let others: [(Any, String)] = [
      (UUID(), "UUID"), (URL(filePath: "/"), "URL"), (["a": 1], "Dictionary"),
      (CKRecordZone(zoneName: "z"), "CKRecordZone"), (Double.nan, "finite"),
      (UInt64.max, "too large"), (Date(timeIntervalSince1970: .infinity), "finite"),
    ]
    for (value, named) in others {
      let error = try #require(refusal(NSPredicate(format: "f == %@", argumentArray: [value])))
      #expect(error.code == .invalidArguments)
      #expect(error.localizedDescription.contains(named), "\(error.localizedDescription)")
    }
  }

  @Test func `predicates made of blocks are refused`() throws {
    let block = NSPredicate { _, _ in true }
    #expect(try #require(refusal(block)).localizedDescription.contains("block"))
    let inside = NSCompoundPredicate(
      andPredicateWithSubpredicates: [NSPredicate(format: "a == 1"), block])
    #expect(refusal(inside)?.code == .invalidArguments)
  }

  @Test func `the error message quotes the refused clause and no other`() throws {
    let error = try #require(refusal(NSPredicate(format: "a == 1 AND b LIKE 'x*'")))
    #expect(error.localizedDescription.contains("'b LIKE \"x*\"'"))
    #expect(!error.localizedDescription.contains("a == 1"))
  }
}
