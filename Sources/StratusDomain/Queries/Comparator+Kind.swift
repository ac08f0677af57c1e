import StratusWire

/// The kind of comparison that a comparator makes.
enum ComparatorKind {
  case equality, range, beginning, member, memberBeginning, tokens, distance, part

  var mark: FieldIndexes {
    switch self {
    case .equality, .beginning, .member, .memberBeginning, .distance, .part: .queryable
    case .range: .sortable
    case .tokens: .searchable
    }
  }

  /// Whether fields of this type support this comparison.
  func accepts(_ type: FieldType) -> Bool {
    if type.isEncrypted { return false }
    let isComparable =
      switch type.element {
      case .string, .int64, .double, .timestamp, .reference: true
      case .bytes, .location, .asset: false
      }
    return switch self {
    case .equality: isComparable && !type.isList
    case .range: isComparable && !type.isList && type.element != .reference
    case .beginning, .part: type == FieldType(.string)
    case .member: isComparable && type.isList
    case .memberBeginning: type == FieldType(.string, isList: true)
    case .tokens: type.isText
    case .distance: type.element == .location
    }
  }
}

extension Comparator {
  var kind: ComparatorKind {
    switch self {
    case .equals, .notEquals, .in, .notIn: .equality
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: .range
    case .near: .distance
    case .containsAllTokens, .containsAnyTokens: .tokens
    case .listContains, .notListContains, .listContainsAny, .notListContainsAny,
      .listContainsAll, .notListContainsAll:
      .member
    case .beginsWith, .notBeginsWith: .beginning
    case .listMemberBeginsWith, .notListMemberBeginsWith: .memberBeginning
    case .endsWith, .containsText: .part
    }
  }

  var isNegated: Bool {
    switch self {
    case .notEquals, .notIn, .notListContains, .notListContainsAny, .notListContainsAll,
      .notBeginsWith, .notListMemberBeginsWith:
      true
    case .equals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .near,
      .containsAllTokens, .containsAnyTokens, .in, .listContains, .listContainsAny,
      .listContainsAll, .beginsWith, .listMemberBeginsWith, .endsWith, .containsText:
      false
    }
  }
}

extension FieldFilter {
  /// Returns the test of the comparator, without its negation. The tests of `NEAR` and of the token
  /// comparators are made by ``QueryCheck``.
  ///
  /// - Throws: `BAD_REQUEST`, which names the field, if the value does not fit the field.
  ///   `BAD_REQUEST` without the field if a list has too many values.
  func test(_ reader: ComparandReader) throws(ServerError) -> QueryCondition.Test {
    switch comparator {
    case .equals, .notEquals: try reader.one(value).equality
    case .in, .notIn: .oneOf(try reader.many(value).scalars)
    case .lessThan: try reader.one(value).range(isUpper: true, isIncluded: false)
    case .lessThanOrEquals: try reader.one(value).range(isUpper: true, isIncluded: true)
    case .greaterThan: try reader.one(value).range(isUpper: false, isIncluded: false)
    case .greaterThanOrEquals: try reader.one(value).range(isUpper: false, isIncluded: true)
    case .beginsWith, .notBeginsWith: .prefix(try reader.text(value))
    case .endsWith: .suffix(try reader.text(value))
    case .containsText: .infix(try reader.text(value))
    case .listContains, .notListContains: .anyMember([try reader.one(value)].scalars)
    case .listContainsAny, .notListContainsAny: .anyMember(try reader.many(value).scalars)
    case .listContainsAll, .notListContainsAll: try reader.many(value).all
    case .listMemberBeginsWith, .notListMemberBeginsWith: .memberPrefix(try reader.text(value))
    case .near, .containsAllTokens, .containsAnyTokens: .never
    }
  }
}

extension ComparandReader {
  fileprivate func text(_ input: FieldInput) throws(ServerError) -> [UInt8] {
    guard case .scalar(let scalar) = try one(input) else { return [] }
    return scalar.text ?? []
  }
}

extension Comparand {
  fileprivate var scalar: Scalar? { if case .scalar(let scalar) = self { scalar } else { nil } }

  fileprivate var equality: QueryCondition.Test { scalar.map { .oneOf([$0]) } ?? .never }

  fileprivate func range(isUpper: Bool, isIncluded: Bool) -> QueryCondition.Test {
    switch self {
    case .scalar(let value):
      let bound = ScalarRange.Bound(value: value, isIncluded: isIncluded)
      return .within(isUpper ? ScalarRange(upper: bound) : ScalarRange(lower: bound))
    case .fraction(let number):
      // The number is outside the range of Int64, or between two whole numbers.
      if number >= 0x1p63 { return isUpper ? .present : .never }
      if number < -0x1p63 { return isUpper ? .never : .present }
      let whole = Int64(number.rounded(isUpper ? .down : .up))
      let bound = ScalarRange.Bound(value: .whole(whole), isIncluded: true)
      return .within(isUpper ? ScalarRange(upper: bound) : ScalarRange(lower: bound))
    }
  }
}

extension Array where Element == Comparand {
  /// The distinct scalars, sorted, without numbers that no value can equal.
  fileprivate var scalars: [Scalar] { Set(compactMap(\.scalar)).sorted() }

  fileprivate var all: QueryCondition.Test {
    allSatisfy { $0.scalar != nil } ? .allMembers(scalars) : .never
  }
}
