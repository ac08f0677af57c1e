import Foundation
import StratusFoundation
import StratusWire

/// Converts one comparison into filters.
struct ComparisonTranslation {
  private let original: PredicateComparison
  private let isNegated: Bool
  private let values: PredicateValueTranslation

  init(_ comparison: PredicateComparison, isNegated: Bool, of translation: PredicateTranslation) {
    original = comparison
    self.isNegated = isNegated
    values = PredicateValueTranslation(
      now: translation.now, naming: translation.naming,
      clause: isNegated ? .not(.comparison(comparison)) : .comparison(comparison))
  }

  private func refusal(_ reason: String) -> CKError { values.refusal(reason) }

  func filters() throws(CKError) -> [QueryFilter] {
    let comparison = try normalized()
    let right = comparison.right
    switch try side(comparison.left) {
    case .tokens(let key): return try tokens(key, comparison)
    case .distance(let key, let location): return try near(key, location, comparison)
    case .tokenized(let text): return try tokens(text, in: right, comparison)
    case .field(let key):
      if comparison.relation == .tokenMatches { return try tokens(key, comparison) }
      guard comparison.options.isEmpty else {
        throw refusal("fields are compared without \(comparison.options.text)")
      }
      return try field(key, comparison)
    case .constant:
      if comparison.relation == .in, comparison.quantity == .any,
        case .field(let key) = try side(right)
      {
        return try anyConstant(comparison, in: key)
      }
      throw refusal("the clause compares no field")
    }
  }

  /// Returns the comparison with the field on the left side.
  ///
  /// NB: ANY and similar quantifiers apply to the left side. With a quantifier, only the left side
  /// may be the field, except in `ANY values IN field`.
  private func normalized() throws(CKError) -> PredicateComparison {
    guard case .constant = try side(original.left) else { return original }
    guard original.quantity == .direct else { return original }
    if case .constant = try side(original.right) { return original }
    guard let relation = original.relation.mirrored else {
      throw refusal("the field must be on the left side of \(original.relation.rawValue)")
    }
    return PredicateComparison(
      original.right, relation, original.left, options: original.options)
  }

  private func field(
    _ key: QueryKey, _ comparison: PredicateComparison
  ) throws(CKError) -> [QueryFilter] {
    switch comparison.quantity {
    case .direct: break
    case .any: return try anyElement(of: key, comparison)
    case .all, .none: throw refusal("CloudKit has no \(comparison.quantity.rawValue)")
    }
    let right = comparison.right
    switch comparison.relation {
    case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan,
      .greaterThanOrEqualTo:
      let comparator = order(comparison.relation)
      return [.field(FieldFilter(comparator, key, try values.value(right, for: key)))]
    case .between: return try between(key, right)
    case .in:
      guard let list = try values.list(right, for: key) else {
        return isNegated ? [] : [PredicateTranslation.nothing]
      }
      return [.field(FieldFilter(isNegated ? .notIn : .in, key, list))]
    case .contains:
      let element = try values.single(right, for: key)
      return [.field(FieldFilter(isNegated ? .notListContains : .listContains, key, element))]
    case .beginsWith:
      let prefix = try values.text(right, for: key)
      return [.field(FieldFilter(isNegated ? .notBeginsWith : .beginsWith, key, prefix))]
    case .endsWith:
      guard !isNegated else { throw refusal("NOT cannot stand before ENDSWITH") }
      return [.field(FieldFilter(.endsWith, key, try values.text(right, for: key)))]
    case .like, .matches, .tokenMatches:
      throw refusal("CloudKit has no \(comparison.relation.rawValue)")
    }
  }

  private func order(_ relation: PredicateRelation) -> StratusWire.Comparator {
    switch relation {
    case .notEqualTo: isNegated ? .equals : .notEquals
    case .lessThan: isNegated ? .greaterThanOrEquals : .lessThan
    case .lessThanOrEqualTo: isNegated ? .greaterThan : .lessThanOrEquals
    case .greaterThan: isNegated ? .lessThanOrEquals : .greaterThan
    case .greaterThanOrEqualTo: isNegated ? .lessThan : .greaterThanOrEquals
    case .equalTo, .matches, .like, .beginsWith, .endsWith, .in, .contains, .between,
      .tokenMatches:
      isNegated ? .notEquals : .equals
    }
  }

  private func between(_ key: QueryKey, _ right: PredicateTerm) throws(CKError) -> [QueryFilter] {
    guard !isNegated else { throw refusal("NOT cannot stand before BETWEEN") }
    guard let bounds = try values.elements(right), bounds.count == 2 else {
      throw refusal("BETWEEN needs two bounds, as in {1, 5}")
    }
    return [
      .field(FieldFilter(.greaterThanOrEquals, key, try values.value(bounds[0], for: key))),
      .field(FieldFilter(.lessThanOrEquals, key, try values.value(bounds[1], for: key))),
    ]
  }

  /// Converts `ANY field …`, where the field is a list.
  private func anyElement(
    of key: QueryKey, _ comparison: PredicateComparison
  ) throws(CKError) -> [QueryFilter] {
    let right = comparison.right
    switch comparison.relation {
    case .equalTo:
      let element = try values.single(right, for: key)
      return [.field(FieldFilter(isNegated ? .notListContains : .listContains, key, element))]
    case .in:
      guard let list = try values.list(right, for: key) else {
        return isNegated ? [] : [PredicateTranslation.nothing]
      }
      return [.field(FieldFilter(isNegated ? .notListContainsAny : .listContainsAny, key, list))]
    case .beginsWith:
      let prefix = try values.text(right, for: key)
      return [
        .field(
          FieldFilter(isNegated ? .notListMemberBeginsWith : .listMemberBeginsWith, key, prefix))
      ]
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .notEqualTo,
      .matches, .like, .endsWith, .contains, .between, .tokenMatches:
      throw refusal("after ANY, CloudKit supports only =, IN and BEGINSWITH")
    }
  }

  /// Converts `ANY values IN field`, where the field is a list.
  private func anyConstant(
    _ comparison: PredicateComparison, in key: QueryKey
  ) throws(CKError) -> [QueryFilter] {
    guard comparison.options.isEmpty else {
      throw refusal("fields are compared without \(comparison.options.text)")
    }
    guard try values.elements(comparison.left) != nil else {
      let element = try values.single(comparison.left, for: key)
      return [.field(FieldFilter(isNegated ? .notListContains : .listContains, key, element))]
    }
    guard let list = try values.list(comparison.left, for: key) else {
      return isNegated ? [] : [PredicateTranslation.nothing]
    }
    return [.field(FieldFilter(isNegated ? .notListContainsAny : .listContainsAny, key, list))]
  }
}

/// Conversions of text searches and distances.
extension ComparisonTranslation {
  /// Converts `self CONTAINS 'a b'` and `allTokens TOKENMATCHES[cdl] 'a b'`.
  ///
  /// NB: words are always compared without regard to case and diacritics, so the options in
  /// brackets have no effect.
  private func tokens(
    _ key: QueryKey?, _ comparison: PredicateComparison
  ) throws(CKError) -> [QueryFilter] {
    guard comparison.relation == .contains || comparison.relation == .tokenMatches else {
      throw refusal("a search for words needs CONTAINS or TOKENMATCHES")
    }
    guard comparison.quantity == .direct else {
      throw refusal("CloudKit has no \(comparison.quantity.rawValue) here")
    }
    guard !isNegated else { throw refusal("NOT cannot stand before a search for words") }
    let words = try values.words(comparison.right)
    return [.field(FieldFilter(.containsAllTokens, key, .string(words)))]
  }

  /// Converts `ALL tokenize:using:('a b', 'cdl') IN allTokens`.
  private func tokens(
    _ words: String, in whole: PredicateTerm, _ comparison: PredicateComparison
  ) throws(CKError) -> [QueryFilter] {
    guard comparison.relation == .in, case .tokens(let key) = try side(whole) else {
      throw refusal("the words of tokenize:using: can be searched only IN allTokens")
    }
    guard !isNegated else { throw refusal("NOT cannot stand before a search for words") }
    switch comparison.quantity {
    case .direct, .all: return [.field(FieldFilter(.containsAllTokens, key, .string(words)))]
    case .any: return [.field(FieldFilter(.containsAnyTokens, key, .string(words)))]
    case .none: throw refusal("CloudKit has no NONE")
    }
  }

  /// Converts `distanceToLocation:fromLocation:(field, place) < metres`.
  private func near(
    _ key: QueryKey, _ location: FieldValue, _ comparison: PredicateComparison
  ) throws(CKError) -> [QueryFilter] {
    guard !isNegated else { throw refusal("NOT cannot stand before distanceToLocation") }
    guard comparison.relation == .lessThan || comparison.relation == .lessThanOrEqualTo,
      comparison.quantity == .direct
    else { throw refusal("a query can find only the records within a distance, with < or <=") }
    let metres = try values.metres(comparison.right)
    return [.field(FieldFilter(.near, key, location, distance: metres))]
  }

  /// The meaning of one side of a comparison.
  private enum Side {
    case field(QueryKey)
    /// The words of a field; nil means the words of all searchable fields.
    case tokens(QueryKey?)
    case distance(QueryKey, FieldValue)
    case tokenized(String)
    case constant
  }

  private func side(_ term: PredicateTerm) throws(CKError) -> Side {
    switch term {
    case .evaluatedObject, .keyPath("allTokens"): return .tokens(nil)
    case .keyPath(let path): return .field(try values.key(path))
    case .constant, .aggregate: return .constant
    case .variable(let name): throw refusal("the variable $\(name) has no value")
    case .member, .subquery: throw refusal("a query can compare only a record's own fields")
    case .function(let name, let arguments):
      switch (name.lowercased(), arguments.count) {
      case ("distancetolocation:fromlocation:", 2): return try distance(arguments)
      case ("tokenize:using:", 2), ("tokenize", 2):
        return .tokenized(try values.words(arguments[0]))
      case _:
        if values.isConstant(function: name, arguments) { return .constant }
        throw refusal("CloudKit has no \(values.named(function: name))")
      }
    }
  }

  private func distance(_ arguments: [PredicateTerm]) throws(CKError) -> Side {
    let isFieldFirst = if case .keyPath = arguments[0] { true } else { false }
    let (field, location) =
      isFieldFirst ? (arguments[0], arguments[1]) : (arguments[1], arguments[0])
    guard case .keyPath(let path) = field else {
      throw refusal("distanceToLocation:fromLocation: needs a field and a CLLocation")
    }
    let key = try values.key(path)
    let value = try values.value(location, for: key)
    guard case .location = value else {
      throw refusal("distanceToLocation:fromLocation: needs a field and a CLLocation")
    }
    return .distance(key, value)
  }
}
