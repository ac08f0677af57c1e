import Foundation
import StratusFoundation
import StratusWire

/// Converts the filters of a fetched subscription back into an equivalent predicate. Except for the
/// comparators below, the predicate converts to the same filters again.
///
/// Three comparators, which only other clients use, have no equivalent in Apple's predicate
/// language. `CONTAINS_ANY_TOKENS` of one field becomes a clause that cannot be saved again.
/// `LIST_CONTAINS_ALL` and its opposite become one clause for each value.
struct FilterPredicate {
  let naming: UserNaming

  /// The predicate that is equivalent to all the filters together.
  func predicate(of filters: [QueryFilter]) -> NSPredicate { parsed(all: filters).predicate }

  private func parsed(all filters: [QueryFilter]) -> ParsedPredicate {
    let parts = filters.map(parsed)
    if parts.isEmpty { return .truth(true) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private func parsed(_ filter: QueryFilter) -> ParsedPredicate {
    switch filter {
    case .field(let filter): parsed(filter)
    case .anyOf(let groups): .or(groups.map { parsed(all: $0) })
    }
  }

  private func parsed(_ filter: FieldFilter) -> ParsedPredicate {
    // The server has validated the value. If the value is unreadable nevertheless, the filter
    // matches nothing.
    guard let value = try? filter.value.decode(schemaType: nil) else { return .truth(false) }
    let field = PredicateTerm.keyPath(filter.key.map(property) ?? "allTokens")
    let term = term(value)
    switch filter.comparator {
    case .equals: return comparison(field, .equalTo, term)
    case .notEquals: return comparison(field, .notEqualTo, term)
    case .lessThan: return comparison(field, .lessThan, term)
    case .lessThanOrEquals: return comparison(field, .lessThanOrEqualTo, term)
    case .greaterThan: return comparison(field, .greaterThan, term)
    case .greaterThanOrEquals: return comparison(field, .greaterThanOrEqualTo, term)
    case .near: return near(field, term, metres: filter.distance)
    case .containsAllTokens:
      return comparison(
        field, .tokenMatches, term, options: [.caseInsensitive, .diacriticInsensitive])
    case .containsAnyTokens: return anyToken(of: term, in: field)
    case .in, .notIn, .listContainsAny, .notListContainsAny:
      return oneOf(filter.comparator, field, value, term)
    case .listContains, .containsText: return comparison(field, .contains, term)
    case .notListContains: return .not(comparison(field, .contains, term))
    case .listContainsAll: return .and(each(of: value) { comparison(field, .contains, $0) })
    case .notListContainsAll:
      return .or(each(of: value) { .not(comparison(field, .contains, $0)) })
    case .beginsWith: return comparison(field, .beginsWith, term)
    case .notBeginsWith: return .not(comparison(field, .beginsWith, term))
    case .listMemberBeginsWith: return comparison(field, .beginsWith, term, quantity: .any)
    case .notListMemberBeginsWith:
      return .not(comparison(field, .beginsWith, term, quantity: .any))
    case .endsWith: return comparison(field, .endsWith, term)
    }
  }

  private func comparison(
    _ left: PredicateTerm, _ relation: PredicateRelation, _ right: PredicateTerm,
    quantity: PredicateQuantity = .direct, options: PredicateOptions = []
  ) -> ParsedPredicate {
    .comparison(
      PredicateComparison(left, relation, right, quantity: quantity, options: options))
  }

  /// Returns `field IN {…}` or `ANY field IN {…}`, with a NOT before it if the comparator is
  /// negated. With an empty list, the result is FALSEPREDICATE, or TRUEPREDICATE if negated.
  private func oneOf(
    _ comparator: StratusWire.Comparator, _ field: PredicateTerm, _ value: FieldValue,
    _ term: PredicateTerm
  ) -> ParsedPredicate {
    let isNegated = comparator == .notIn || comparator == .notListContainsAny
    if case .list(_, let values) = value, values.isEmpty { return .truth(isNegated) }
    let isOfList = comparator == .listContainsAny || comparator == .notListContainsAny
    let found = comparison(field, .in, term, quantity: isOfList ? .any : .direct)
    return isNegated ? .not(found) : found
  }

  private func near(
    _ field: PredicateTerm, _ location: PredicateTerm, metres: Double?
  ) -> ParsedPredicate {
    let distance = PredicateTerm.function(
      name: "distanceToLocation:fromLocation:", arguments: [field, location])
    return comparison(distance, .lessThan, .constant(NSNumber(value: metres ?? 0)))
  }

  private func anyToken(of words: PredicateTerm, in field: PredicateTerm) -> ParsedPredicate {
    let tokens = PredicateTerm.function(
      name: "tokenize:using:", arguments: [words, .constant(NSString(string: "cdl"))])
    return comparison(tokens, .in, field, quantity: .any)
  }

  private func each(
    of value: FieldValue, _ part: (PredicateTerm) -> ParsedPredicate
  ) -> [ParsedPredicate] {
    guard case .list(_, let values) = value else { return [part(term(value))] }
    return values.map { part(term($0)) }
  }

  private func term(_ value: FieldValue) -> PredicateTerm {
    if case .list(_, let values) = value { return .aggregate(values.map(term)) }
    return .constant(value.stored(in: .default, naming: naming))
  }

  /// The name of a field or property in an app's predicates.
  private func property(_ key: QueryKey) -> String {
    guard key.isSystem, let field = key.systemField else { return key.name }
    return field.property
  }
}

extension SystemField {
  /// The name of the record's property. System fields without a property keep their own name.
  fileprivate var property: String {
    switch self {
    case .recordName: "recordID"
    case .creationDate: "creationDate"
    case .creator: "creatorUserRecordID"
    case .modificationDate: "modificationDate"
    case .modifier: "lastModifiedUserRecordID"
    case .parent, .share: rawValue
    }
  }
}
