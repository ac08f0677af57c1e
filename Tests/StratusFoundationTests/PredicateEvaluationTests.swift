import Foundation
import StratusFoundation
import Testing

@Suite struct PredicateEvaluations {
  private let note: [String: Any] = [
    "title": "Größe", "n": 5, "price": 2.5, "tags": ["red", "green"], "isDone": true,
    "due": Date(timeIntervalSinceReferenceDate: 100), "inner": ["name": "x"],
    "place": CLLocation(latitude: 0, longitude: 0),
  ]

  @Test(
    arguments: [
      "title == 'Größe'", "title ==[c] 'GRÖSSE' OR title ==[c] 'gröSSe' OR title ==[c] 'GRÖßE'",
      "title BEGINSWITH 'Gr'", "title BEGINSWITH[cd] 'gro'", "title ENDSWITH 'e'",
      "title CONTAINS 'öß'", "title LIKE 'Gr*e'", "title LIKE 'Gr???'", "title MATCHES 'G.+e'",
      "n == 5", "5 == n", "n == 5.0", "n > 4 AND n < 6", "n BETWEEN {5, 6}", "n IN {1, 5}",
      "n != 6", "n + 1 == 6", "n * 2 - 1 == 9", "2 ** 3 == 8", "price < n", "isDone == YES",
      "tags CONTAINS 'red'", "'red' IN tags", "ANY tags == 'red'", "SOME tags BEGINSWITH 'gr'",
      "ALL tags MATCHES '[a-z]+'", "NONE tags == 'blue'", "tags.@count == 2", "tags[1] == 'green'",
      "SUBQUERY(tags, $t, $t BEGINSWITH 'r').@count == 1", "absent == nil", "title != nil",
      "NOT (n == 6)", "n == 6 OR n == 5", "inner.name == 'x'", "TRUEPREDICATE",
      "due > CAST(99, 'NSDate')", "uppercase:('a') == 'A'",
    ])
  func `a predicate is true for a matching object`(format: String) {
    #expect(NSPredicate(format: format).evaluate(with: note))
  }

  @Test(
    arguments: [
      "title == 'größe'", "title BEGINSWITH 'gr'", "n == 6", "n > 5", "n IN {}", "n == '5'",
      "tags CONTAINS 're'", "title > 3", "absent == 3", "absent < 3", "ALL tags == 'red'",
      "NONE tags == 'red'", "FALSEPREDICATE", "n == $unknown", "title MATCHES '('",
      "n BETWEEN {6, 9}", "unknown(n) == 5", "title == \"Gro\u{308}ße\"",
    ])
  func `a predicate is false for an object that does not match`(format: String) {
    #expect(!NSPredicate(format: format).evaluate(with: note))
  }

  @Test func `a distance predicate compares locations`() {
    let near = CLLocation(latitude: 0, longitude: 0.01)
    let format = "distanceToLocation:fromLocation:(place, %@) < %f"
    #expect(NSPredicate(format: format, near, 1200.0).evaluate(with: note))
    #expect(!NSPredicate(format: format, near, 1000.0).evaluate(with: note))
  }

  @Test
  func `SELF may be a plain value, and variables get their values when a predicate is evaluated`() {
    #expect(NSPredicate(format: "SELF > 3").evaluate(with: 4))
    #expect(NSPredicate(format: "SELF BEGINSWITH 'a'").evaluate(with: "ab"))
    #expect(
      NSPredicate(format: "SELF == $x").evaluate(with: 4, substitutionVariables: ["x": 4]))
    let words = NSArray(array: ["ab", "cd"]).filtered(using: NSPredicate(format: "SELF == 'cd'"))
    #expect(words as? [String] == ["cd"])
  }

  @Test func `a compound predicate of an app's own class evaluates its subpredicates`() {
    let parts = [NSPredicate(format: "n == 5"), NSPredicate(format: "price > 2")]
    #expect(NSCompoundPredicate(andPredicateWithSubpredicates: parts).evaluate(with: note))
    let not = NSCompoundPredicate(notPredicateWithSubpredicate: parts[0])
    #expect(!not.evaluate(with: note))
    #expect(!not.independentCopy.evaluate(with: note))
  }
}
