import Foundation

/// Evaluates a predicate for one object in memory.
struct PredicateEvaluation {
  /// The evaluated object (`SELF`): a dictionary, a ``PredicateSubject``, or a plain value.
  let subject: Any?
  /// The values of the variables, by their names without the `$`.
  var bindings: [String: Any]

  func holds(_ predicate: ParsedPredicate) -> Bool {
    switch predicate {
    case .truth(let value): value
    case .comparison(let comparison): holds(comparison)
    case .and(let parts): parts.allSatisfy(holds)
    case .or(let parts): parts.contains(where: holds)
    case .not(let part): !holds(part)
    case .unreadable: false
    case .opaque(let predicate):
      predicate.evaluate(with: subject, substitutionVariables: bindings)
    }
  }

  func holds(_ comparison: PredicateComparison) -> Bool {
    let left = value(of: comparison.left)
    let right = value(of: comparison.right)
    func holds(_ element: Any?) -> Bool {
      PredicateEvaluation.compare(element, comparison.relation, right, comparison.options)
    }
    switch comparison.quantity {
    case .direct: return holds(left)
    case .any: return (PredicateValues.list(left) ?? []).contains(where: holds)
    case .all: return (PredicateValues.list(left) ?? []).allSatisfy(holds)
    case .none: return !(PredicateValues.list(left) ?? []).contains(where: holds)
    }
  }

  private static func compare(
    _ left: Any?, _ relation: PredicateRelation, _ right: Any?, _ options: PredicateOptions
  ) -> Bool {
    switch relation {
    case .equalTo: return PredicateValues.areEqual(left, right, options: options)
    case .notEqualTo: return !PredicateValues.areEqual(left, right, options: options)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      guard let order = PredicateValues.order(left, right, options: options) else { return false }
      return relation.holds(for: order)
    case .between:
      guard let bounds = PredicateValues.list(right), bounds.count == 2 else { return false }
      return compare(left, .greaterThanOrEqualTo, bounds[0], options)
        && compare(left, .lessThanOrEqualTo, bounds[1], options)
    case .in: return contains(right, left, options)
    case .contains: return contains(left, right, options)
    case .beginsWith, .endsWith, .like, .matches, .tokenMatches:
      guard let left = PredicateValues.text(left), let right = PredicateValues.text(right) else {
        return false
      }
      return compare(text: left, relation, right, options)
    }
  }

  private static func contains(
    _ whole: Any?, _ part: Any?, _ options: PredicateOptions
  ) -> Bool {
    if let elements = PredicateValues.list(whole) {
      return elements.contains { PredicateValues.areEqual($0, part, options: options) }
    }
    guard let whole = PredicateValues.text(whole), let part = PredicateValues.text(part) else {
      return false
    }
    return part.isEmpty
      || PredicateValues.folded(whole, options).contains(PredicateValues.folded(part, options))
  }

  private static func compare(
    text: String, _ relation: PredicateRelation, _ sample: String, _ options: PredicateOptions
  ) -> Bool {
    let folded = PredicateValues.folded(text, options)
    let wanted = PredicateValues.folded(sample, options)
    switch relation {
    case .beginsWith: return folded.hasPrefix(wanted)
    case .endsWith: return folded.hasSuffix(wanted)
    case .like: return fits(folded, pattern: pattern(wildcards: wanted))
    case .matches: return fits(folded, pattern: wanted)
    case .tokenMatches:
      let words = Set(folded.split(whereSeparator: { !$0.isLetter && !$0.isNumber }))
      return wanted.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
        .allSatisfy(words.contains)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo,
      .notEqualTo, .in, .contains, .between:
      return false
    }
  }

  private static func pattern(wildcards: String) -> String {
    var pattern = ""
    var isEscaped = false
    for character in wildcards {
      switch character {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "*" where !isEscaped: pattern += ".*"
      case "?" where !isEscaped: pattern += "."
      case _: pattern += NSRegularExpression.escapedPattern(for: String(character))
      }
      isEscaped = false
    }
    return "(?s)" + pattern
  }

  private static func fits(_ text: String, pattern: String) -> Bool {
    guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else {
      return false
    }
    let whole = NSRange(text.startIndex..., in: text)
    return expression.firstMatch(in: text, range: whole) != nil
  }
}

extension PredicateRelation {
  fileprivate func holds(for order: ComparisonResult) -> Bool {
    switch self {
    case .lessThan: order == .orderedAscending
    case .lessThanOrEqualTo: order != .orderedDescending
    case .greaterThan: order == .orderedDescending
    case .greaterThanOrEqualTo: order != .orderedAscending
    case .equalTo, .notEqualTo, .matches, .like, .beginsWith, .endsWith, .in, .contains,
      .between, .tokenMatches:
      false
    }
  }
}
