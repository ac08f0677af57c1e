import Foundation
import StratusFoundation
import StratusWire

/// Converts predicates into the filters of a query.
///
/// Filters that CloudKit does not have (OR, ENDSWITH, CONTAINS of a text) are extensions of
/// Stratus. They are always sent, because only the server knows which extensions the container
/// allows.
enum PredicateFilters {
  /// The filters that match the same records as a predicate. An empty list matches every record.
  ///
  /// - Parameters:
  ///   - now: the value of `now()`.
  ///   - naming: the user that `CKCurrentUserDefaultName` represents.
  /// - Throws: `CKError.invalidArguments` if CloudKit does not support a clause of the predicate.
  ///   The error's description contains the clause.
  static func filters(
    of predicate: NSPredicate, now: Date,
    naming: UserNaming = UserNaming(currentUserRecordName: nil)
  ) throws(CKError) -> [QueryFilter] {
    let translation = PredicateTranslation(now: now, naming: naming)
    return try translation.filters(of: ParsedPredicate(predicate))
  }
}

/// Converts one predicate into filters.
struct PredicateTranslation {
  let now: Date
  let naming: UserNaming

  /// A filter that matches no record: the record's name must be in an empty list.
  ///
  /// Choice: this filter stands for FALSEPREDICATE and for IN with an empty array. An empty array
  /// has no type in the wire format.
  static let nothing = QueryFilter.field(
    FieldFilter(.in, QueryKey(system: .recordName), .list(.reference, [])))

  func filters(of predicate: ParsedPredicate) throws(CKError) -> [QueryFilter] {
    switch predicate {
    case .truth(let value): return value ? [] : [Self.nothing]
    case .comparison(let comparison):
      return try ComparisonTranslation(comparison, isNegated: false, of: self).filters()
    case .and(let parts):
      var filters: [QueryFilter] = []
      for part in parts { filters += try self.filters(of: part) }
      return filters
    case .or(let parts): return try filters(ofAny: parts)
    case .not(let part): return try filters(ofNegated: part)
    case .unreadable(let problem):
      throw CKError(
        .invalidArguments,
        description: "Unable to parse the format string \"\(problem.format)\": \(problem.reason)")
    case .opaque:
      throw CKError(
        .invalidArguments,
        description: "a predicate that consists of code, such as NSPredicate(block:), cannot be "
          + "sent to a server; write the predicate as a format")
    }
  }

  /// NB: a group without conditions is always true. If there is such a group, the other groups do
  /// not matter.
  private func filters(ofAny parts: [ParsedPredicate]) throws(CKError) -> [QueryFilter] {
    var groups: [[QueryFilter]] = []
    for part in parts { groups.append(try filters(of: part)) }
    if groups.contains(where: \.isEmpty) { return [] }
    guard let first = groups.first else { return [Self.nothing] }
    return groups.count == 1 ? first : [.anyOf(groups)]
  }

  private func filters(ofNegated part: ParsedPredicate) throws(CKError) -> [QueryFilter] {
    switch part {
    case .truth(let value): return try filters(of: .truth(!value))
    case .comparison(let comparison):
      return try ComparisonTranslation(comparison, isNegated: true, of: self).filters()
    case .not(let inner): return try filters(of: inner)
    case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1:
      return try filters(ofNegated: parts[0])
    case .and:
      throw Self.refusal(of: .not(part), because: "NOT cannot stand before a compound of AND")
    case .or:
      throw Self.refusal(
        of: .not(part), because: "NOT cannot stand before a compound of OR; negate each part")
    case .unreadable, .opaque: return try filters(of: part)
    }
  }

  /// Returns an error that contains the unsupported clause and the reason.
  static func refusal(of clause: ParsedPredicate, because reason: String) -> CKError {
    let text = clause.text
    let shown = text.count > 200 ? text.prefix(200) + "…" : text[...]
    return CKError(
      .invalidArguments, description: "the clause '\(shown)' is not supported: \(reason)")
  }
}
