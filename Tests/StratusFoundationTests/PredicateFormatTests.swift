import Foundation
import StratusFoundation
import Testing

@Suite struct PredicateFormats {
  /// The printed form of each predicate format. Apple's `predicateFormat` prints the same form.
  @Test(
    arguments: [
      ("title == 'x'", "title == \"x\""),
      ("title = \"x\"", "title == \"x\""),
      ("title = @\"x\"", "title == \"x\""),
      ("n => 3", "n >= 3"), ("n =< 3", "n <= 3"), ("n <> 3", "n != 3"), ("n<3", "n < 3"),
      ("n > -3", "n > -3"), ("n > 0x1F", "n > 31"), ("n > 1.5e2", "n > 150"), ("n > .5", "n > 0.5"),
      ("a == 1 and b == 2", "a == 1 AND b == 2"),
      ("a == 1 && b == 2 && c == 3", "a == 1 AND b == 2 AND c == 3"),
      ("a == 1 || b == 2", "a == 1 OR b == 2"),
      ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
      ("a == 1 AND (b == 2 OR c == 3)", "a == 1 AND (b == 2 OR c == 3)"),
      ("not a == 1", "NOT a == 1"), ("!(a == 1)", "NOT a == 1"),
      ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
      ("TRUEPREDICATE AND a == 1", "TRUEPREDICATE AND a == 1"),
      ("name beginswith[cd] 'x'", "name BEGINSWITH[cd] \"x\""),
      ("name LIKE 'x*'", "name LIKE \"x*\""), ("name MATCHES[c] 'x.*'", "name MATCHES[c] \"x.*\""),
      ("allTokens TOKENMATCHES[cdl] 'a b'", "allTokens TOKENMATCHES[cdl] \"a b\""),
      ("ANY tags == 'x'", "ANY tags == \"x\""), ("SOME tags == 'x'", "ANY tags == \"x\""),
      ("NONE tags IN {'a', 'b'}", "NONE tags IN {\"a\", \"b\"}"),
      ("n BETWEEN {1, 5}", "n BETWEEN {1, 5}"), ("self contains 'x'", "SELF CONTAINS \"x\""),
      ("SELF.name == 'x'", "name == \"x\""), ("a.b.c == nil", "a.b.c == nil"),
      ("#in == NULL", "#in == nil"), ("isDone == YES", "isDone == 1"), ("a == false", "a == 0"),
      ("a + 1 * 2 == 3", "a + (1 * 2) == 3"), ("(a + 1) * 2 == 3", "(a + 1) * 2 == 3"),
      ("((a)) == (1)", "a == 1"), ("(a == 1)", "a == 1"), ("tags.@count > 2", "tags.@count > 2"),
      ("a[0] == 1", "a[0] == 1"), ("$x == 1", "$x == 1"), ("$x.name == 1", "$x.name == 1"),
      (
        "distanceToLocation:fromLocation:(place, here) < 5.5",
        "distanceToLocation:fromLocation:(place, here) < 5.5"
      ),
      ("SUBQUERY(tags, $t, $t == 'x').@count > 0", "SUBQUERY(tags, $t, $t == \"x\").@count > 0"),
      ("d < now()", "d < now()"), ("CAST(1, 'NSDate') > d", "CAST(1, \"NSDate\") > d"),
      ("FUNCTION(a, 'length') > 1", "FUNCTION(a, \"length\") > 1"),
      ("s == 'it\\'s \\n \\u00e9'", "s == \"it's \\n é\""), ("s == '%@ %d'", "s == \"%@ %d\""),
      ("Ünïcode == 'ü'", "Ünïcode == \"ü\""),
    ])
  func `every predicate format is printed in its standard form`(format: String, printed: String) {
    let predicate = PredicateFormat.parse(format, arguments: [])
    #expect(predicate.text == printed)
    if case .unreadable(let problem) = predicate { Issue.record("\(problem.reason)") }
  }

  @Test(
    arguments: [
      "", " ", "a", "a ==", "== 1", "a == 1 AND", "AND a == 1", "a == 1 b == 2", "(a == 1",
      "a == 1)", "a == 'x", "a == \"x", "a == 'x\\", "a BETWEEN {1}", "a BETWEEN 3", "a IN {1, 2",
      "ANY a", "ANY (a == 1)", "a ==[q] 1", "a ==[c 1", "%", "a == %", "a == %y", "a == %@",
      "a == %1@", "%K == 1", "a == #", "a == $", "a ~ 1", "a == 1 == 2", "(a == 1) == 2",
      "(a == 1) + 2 == 3", "a AND b", "NOT a", "a NOT IN {1}", "like == 1", "a ? 1 : 2",
      "a LIKE", "SUBQUERY(a, b, c == 1) == 2", "f(1", "f:(1) ", "a == 0x", "a == 1e999",
      "TRUEPREDICATE == 1", "a == TRUEPREDICATE", "a[0 == 1", "a. == 1", "a === 1", "a == 'x' 'y'",
      "a == \u{0}", "a == '\\u00'", "a == '\\uD800'",
    ])
  func `a predicate with an invalid format is never true and reports its error`(format: String) {
    let predicate = NSPredicate(format: format)
    guard case .unreadable(let problem) = ParsedPredicate(predicate) else {
      Issue.record("read as \(ParsedPredicate(predicate).text)")
      return
    }
    #expect(problem.format == format)
    #expect(!problem.reason.isEmpty)
    #expect(!predicate.evaluate(with: ["a": 1]))
  }

  @Test func `arguments replace the placeholders of a predicate format`() {
    func text(_ format: String, _ arguments: Any?...) -> String {
      PredicateFormat.parse(format, arguments: arguments).text
    }
    #expect(text("%K == %@", "title", "x") == "title == \"x\"")
    #expect(text("%K > %d AND b < %f", "a", 3, 2.5) == "a > 3 AND b < 2.5")
    #expect(text("n == %ld", 7) == "n == 7")
    #expect(text("n == %lld", Int64.max) == "n == 9223372036854775807")
    #expect(text("n == %llu", UInt64.max) == "n == 18446744073709551615")
    #expect(text("n == %lu AND m == %u", UInt(3), UInt32(4)) == "n == 3 AND m == 4")
    #expect(text("n == %i", true) == "n == 1")
    #expect(text("n == %d", 2.9) == "n == 2")
    #expect(text("n == %lf AND m == %g", 2, Float(0.5)) == "n == 2 AND m == 0.5")
    #expect(text("s == %s", "x") == "s == \"x\"")
    #expect(text("a == %2$@ AND b == %1$@", "x", "y") == "a == \"y\" AND b == \"x\"")
    #expect(text("a IN %@", ["x", "y"]) == "a IN {\"x\", \"y\"}")
    #expect(text("a IN {%@, %@}", 1, 2) == "a IN {1, 2}")
    #expect(text("a BETWEEN %@", [1, 5]) == "a BETWEEN {1, 5}")
    #expect(text("a == %@", nil) == "a == nil")
    #expect(text("a == %@", NSNull()) == "a == nil")
    #expect(text("%K == 1", "in") == "#in == 1")
  }

  @Test func `an argument of the wrong kind makes a predicate format invalid`() {
    for (format, argument) in [("%K == 1", 3), ("n == %d", "x"), ("n == %f", "x"), ("n == %s", 1)]
      as [(String, Any)]
    {
      guard case .unreadable = PredicateFormat.parse(format, arguments: [argument]) else {
        Issue.record("\(format) took \(argument)")
        continue
      }
    }
  }

  @Test func `values in a predicate format keep their types`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    for argument in ["x", 3, 2.5, date, Data([1]), ["a"], UInt8(1)] as [Any] {
      guard
        case .comparison(let comparison) = PredicateFormat.parse("a == %@", arguments: [argument]),
        case .constant(let value) = comparison.right
      else {
        Issue.record("\(argument)")
        continue
      }
      #expect(type(of: try #require(value)) == type(of: argument))
    }
  }

  @Test func `a predicate format has a limited depth and an unlimited length`() {
    func isReadable(_ format: String) -> Bool {
      if case .unreadable = PredicateFormat.parse(format, arguments: []) { false } else { true }
    }
    func around(_ count: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: count) + "a == 1" + String(repeating: close, count: count)
    }
    #expect(isReadable(around(90, "(", ")")))
    #expect(!isReadable(around(200, "(", ")")))
    #expect(!isReadable(around(200_000, "(", "")))
    #expect(!isReadable(around(50_000, "NOT ", "")))
    #expect(!isReadable("a == " + String(repeating: "-", count: 50_000) + "b"))
    #expect(!isReadable("a == 1" + String(repeating: " + 1", count: 50_000)))
    #expect(isReadable("a == 1" + String(repeating: " AND a == 1", count: 5_000)))
    #expect(isReadable("a IN {1" + String(repeating: ", 1", count: 5_000) + "}"))
  }
}
