import Foundation
import StratusFoundation
import Testing

@Suite struct PredicateFuzz {
  private static let pieces = [
    "a", "b.c", "SELF", "==", "!=", "<", ">=", "AND", "OR", "NOT", "!", "(", ")", "{", "}", "[",
    "]", ",", ".", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH[cd]", "LIKE", "ANY", "ALL", "NONE",
    "'x'", "\"", "'", "\\", "1", "-2.5", "0x", "1e9", "%@", "%K", "%d", "%2$@", "%", "$x", "#in",
    "@", "nil", "YES", "SUBQUERY(", "distanceToLocation:fromLocation:(", "now()", "CAST(", "+",
    "**", "TRUEPREDICATE", "TOKENMATCHES", "é", "\u{0}", "\u{1F600}", "&&", "||", "=",
  ]
  private static let seeds = [
    "title == %@ AND n > %d", "NOT (a IN {1, 2, 3}) OR b BETWEEN %@",
    "distanceToLocation:fromLocation:(place, %@) < 5.5", "SUBQUERY(t, $x, $x.n == 1).@count > 0",
    "self CONTAINS 'a \\u00e9 b' AND (c + 1) * -d[0] == 3",
  ]

  /// A pseudo-random number generator with a seed (xorshift). A failure can be repeated with the
  /// seed.
  private struct Chance {
    var state: UInt64
    mutating func below(_ limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(limit))
    }
  }

  @Test
  func `random predicate formats cause no crash, and valid formats keep their printed form`() {
    var chance = Chance(state: 0x9E37_79B9_7F4A_7C15)
    var readable = 0
    for _ in 0..<100_000 {
      let format = chance.below(2) == 0 ? Self.assembled(&chance) : Self.mutated(&chance)
      let predicate = PredicateFormat.parse(format, arguments: ["x", 3, [1, 2]])
      if case .unreadable = predicate { continue }
      readable += 1
      let printed = predicate.text
      let again = PredicateFormat.parse(printed, arguments: [])
      if again.text != printed { Issue.record("'\(format)' → '\(printed)' → '\(again.text)'") }
      _ = predicate.predicate.evaluate(with: ["a": 1, "t": [["n": 1]]] as [String: Any])
    }
    #expect(readable > 1000)
  }

  private static func assembled(_ chance: inout Chance) -> String {
    (0..<(1 + chance.below(12))).map { _ in pieces[chance.below(pieces.count)] }
      .joined(separator: chance.below(3) == 0 ? "" : " ")
  }

  private static func mutated(_ chance: inout Chance) -> String {
    var scalars = Array(seeds[chance.below(seeds.count)].unicodeScalars)
    for _ in 0..<(1 + chance.below(3)) where !scalars.isEmpty {
      let place = chance.below(scalars.count)
      switch chance.below(3) {
      case 0: scalars.remove(at: place)
      case 1:
        scalars.insert(contentsOf: pieces[chance.below(pieces.count)].unicodeScalars, at: place)
      case _: scalars[place] = scalars[chance.below(scalars.count)]
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
