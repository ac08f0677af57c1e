import StratusWire

/// A filter that passed the check, in the form in which it is tested on index entries and records.
indirect enum CheckedFilter: Sendable, Hashable {
  case condition(QueryCondition)
  case anyOf([[CheckedFilter]])

  /// Whether a condition is about a source.
  func concerns(_ source: IndexColumn.Source) -> Bool {
    switch self {
    case .condition(let condition): condition.source == source
    case .anyOf(let alternatives): alternatives.joined().contains { $0.concerns(source) }
    }
  }
}

/// The condition that a field must meet for a record to match.
struct QueryCondition: Sendable, Hashable {
  enum Test: Sendable, Hashable {
    case never
    /// The field has any value.
    case present
    /// The field equals one of these distinct values, which are sorted.
    case oneOf([Scalar])
    case within(ScalarRange)
    case prefix([UInt8])
    case suffix([UInt8])
    case infix([UInt8])
    /// The list has at least one of these members.
    case anyMember([Scalar])
    case allMembers([Scalar])
    case memberPrefix([UInt8])
    /// The text has all tokens of at least one of these words. A word is one token, or, in a script
    /// without spaces, several pairs of neighbouring letters.
    case anyWord([[[UInt8]]])
    case allTokens([[UInt8]])
    case near(Circle)
  }

  var source: IndexColumn.Source
  var test: Test
  /// Whether the record matches if the test fails. If so, a field without a value matches, too.
  var isNegated = false
  /// The filter's comparator and field, for explanations.
  var text: String
}

/// All values between two bounds. Either bound may be absent.
struct ScalarRange: Sendable, Hashable {
  struct Bound: Sendable, Hashable {
    var value: Scalar
    var isIncluded: Bool
  }

  var lower: Bound?
  var upper: Bound?

  func contains(_ value: Scalar) -> Bool {
    if let lower, value < lower.value || (value == lower.value && !lower.isIncluded) {
      return false
    }
    if let upper, upper.value < value || (value == upper.value && !upper.isIncluded) {
      return false
    }
    return true
  }
}

/// All locations whose distance to the centre is below the radius. The radius is in metres.
struct Circle: Sendable, Hashable {
  var centre: Location
  var radius: Double

  func contains(_ location: Location) -> Bool { location.distance(to: centre) < radius }
}

extension CheckedFilter {
  /// Returns the circle that the field's locations must be in, or nil if there is no such
  /// condition.
  func circle(of source: IndexColumn.Source) -> Circle? {
    guard case .condition(let condition) = self, !condition.isNegated,
      condition.source == source, case .near(let circle) = condition.test
    else { return nil }
    return circle
  }
}

/// The values of a record that a query tests.
struct RecordValues {
  let record: StoredRecord
  let fields: [String: FieldValue]
  private let words = KnownWords()

  /// The tokens found so far, by source. They are kept, because many filters may search one text.
  private final class KnownWords {
    var bySource: [IndexColumn.Source: Set<[UInt8]>] = [:]
  }

  init(record: StoredRecord, fields: [String: FieldValue]) {
    self.record = record
    self.fields = fields
  }

  func value(_ source: IndexColumn.Source) -> FieldValue? {
    guard case .field(let name) = source else { return nil }
    return fields[name]
  }

  func scalar(_ source: IndexColumn.Source) -> Scalar? {
    switch source {
    case .field(let name): fields[name].flatMap { Scalar($0) }
    case .system(let field): record.scalar(field)
    case .searchableFields: nil
    }
  }

  /// Returns the tokens of a source. ``searchableFields`` has the tokens of all searchable fields.
  func tokens(_ source: IndexColumn.Source, of searchable: Set<String>) -> Set<[UInt8]> {
    if let known = words.bySource[source] { return known }
    var tokens: Set<[UInt8]> = []
    switch source {
    case .field(let name): fields[name]?.collectTokens(into: &tokens)
    case .searchableFields:
      for name in searchable { fields[name]?.collectTokens(into: &tokens) }
    case .system: break
    }
    words.bySource[source] = tokens
    return tokens
  }
}

extension CheckedFilter {
  func holds(for values: RecordValues, searchable: Set<String>) -> Bool {
    switch self {
    case .condition(let condition): condition.holds(for: values, searchable: searchable)
    case .anyOf(let groups):
      groups.contains { group in
        group.allSatisfy { $0.holds(for: values, searchable: searchable) }
      }
    }
  }

  /// Adds the fields that the filter tests.
  func collectFields(into names: inout Set<String>, searchable: Set<String>) {
    switch self {
    case .condition(let condition):
      switch condition.source {
      case .field(let name): names.insert(name)
      case .searchableFields: names.formUnion(searchable)
      case .system: break
      }
    case .anyOf(let groups):
      for filter in groups.joined() {
        filter.collectFields(into: &names, searchable: searchable)
      }
    }
  }

  var text: String {
    switch self {
    case .condition(let condition): condition.text
    case .anyOf(let groups):
      "anyOf(" + groups.map { $0.map(\.text).joined(separator: ", ") }.joined(separator: " | ")
        + ")"
    }
  }
}

extension QueryCondition {
  func holds(for values: RecordValues, searchable: Set<String>) -> Bool {
    passes(values, searchable: searchable) != isNegated
  }

  private func passes(_ values: RecordValues, searchable: Set<String>) -> Bool {
    switch test {
    case .never: return false
    case .present: return values.scalar(source) != nil
    case .oneOf(let wanted): return values.scalar(source).map(wanted.holds) ?? false
    case .within(let range): return values.scalar(source).map(range.contains) ?? false
    case .prefix(let text): return values.text(source)?.starts(with: text) ?? false
    case .suffix(let text):
      return values.text(source).map { $0.suffix(text.count).elementsEqual(text) } ?? false
    case .infix(let text): return values.text(source)?.contains(text) ?? false
    case .anyMember(let wanted):
      return values.members(source)?.contains(where: wanted.holds) ?? false
    case .allMembers(let wanted):
      guard let members = values.members(source) else { return false }
      let all = Set(members)
      return wanted.allSatisfy(all.contains)
    case .memberPrefix(let text):
      return values.members(source)?.contains { $0.text?.starts(with: text) ?? false } ?? false
    case .anyWord(let wanted):
      let tokens = values.tokens(source, of: searchable)
      return wanted.contains { $0.allSatisfy(tokens.contains) }
    case .allTokens(let wanted):
      let tokens = values.tokens(source, of: searchable)
      return wanted.allSatisfy(tokens.contains)
    case .near(let circle):
      return values.locations(source).contains(where: circle.contains)
    }
  }

  /// Returns the column bytes of the first member or cell of a record that passes the test. If a
  /// record has several such entries, only this entry represents it.
  func firstPart(of values: RecordValues) -> [UInt8]? {
    var first: [UInt8]?
    func offer(_ bytes: [UInt8]) {
      if let found = first, !bytes.precedes(found) { return }
      first = bytes
    }
    switch test {
    case .memberPrefix(let text):
      for member in values.members(source) ?? [] where member.text?.starts(with: text) ?? false {
        offer(ColumnBytes.of(member))
      }
    case .near(let circle):
      for location in values.locations(source) where circle.contains(location) {
        offer(ColumnBytes.of(cell: Cell.code(of: location)))
      }
    case .never, .present, .oneOf, .within, .prefix, .suffix, .infix, .anyMember, .allMembers,
      .anyWord, .allTokens:
      break
    }
    return first
  }
}

extension RecordValues {
  fileprivate func text(_ source: IndexColumn.Source) -> [UInt8]? { scalar(source)?.text }

  fileprivate func members(_ source: IndexColumn.Source) -> [Scalar]? {
    guard case .list(_, let members) = value(source) else { return nil }
    return members.compactMap { Scalar($0) }
  }

  fileprivate func locations(_ source: IndexColumn.Source) -> [Location] {
    switch value(source) {
    case .location(let location): [location]
    case .list(_, let members): members.compactMap(\.location)
    case .string, .int64, .double, .timestamp, .bytes, .reference, .asset, .sealed, nil: []
    }
  }
}

extension Scalar {
  var text: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }
}

extension Array where Element == Scalar {
  /// Whether the sorted array contains a value, by binary search.
  fileprivate func holds(_ value: Scalar) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == value
  }
}

extension Array where Element == UInt8 {
  /// Whether this text contains another one. The search reads both texts once (Knuth, Morris,
  /// Pratt), because a text that almost matches at every offset must not cost the product of both
  /// lengths.
  fileprivate func contains(_ text: [UInt8]) -> Bool {
    if text.isEmpty { return true }
    if text.count > count { return false }
    var fallbacks = [0]
    fallbacks.reserveCapacity(text.count)
    var length = 0
    for location in 1..<text.count {
      while length > 0, text[location] != text[length] { length = fallbacks[length - 1] }
      if text[location] == text[length] { length += 1 }
      fallbacks.append(length)
    }
    var matched = 0
    for byte in self {
      while matched > 0, byte != text[matched] { matched = fallbacks[matched - 1] }
      if byte == text[matched] { matched += 1 }
      if matched == text.count { return true }
    }
    return false
  }
}
