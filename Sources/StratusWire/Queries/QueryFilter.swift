/// One condition of a query. A record must meet all conditions of the query.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*, filter dictionary.
public indirect enum QueryFilter: Sendable, Hashable {
  case field(FieldFilter)
  /// A record must meet all conditions of at least one group. This condition is an extension of
  /// Stratus, and works only in containers whose operator allows extensions.
  case anyOf([[QueryFilter]])
}

/// A condition on one field.
public struct FieldFilter: Sendable, Hashable {
  public var comparator: Comparator
  /// The field. nil means all searchable fields together. Only `CONTAINS_ALL_TOKENS` and
  /// `CONTAINS_ANY_TOKENS` allow nil.
  public var key: QueryKey?
  /// The value to compare the field with. It is a list for `IN` and the other comparators that take
  /// several values.
  public var value: FieldInput
  /// The distance in metres. Only `NEAR` has one.
  public var distance: Double?

  public init(
    _ comparator: Comparator, _ key: QueryKey?, _ value: FieldValue, distance: Double? = nil
  ) {
    self.comparator = comparator
    self.key = key
    self.value = FieldInput(value)
    self.distance = distance
  }
}

/// The comparison of a field with a value.
public enum Comparator: String, Sendable, Hashable, CaseIterable {
  case equals = "EQUALS"
  case notEquals = "NOT_EQUALS"
  case lessThan = "LESS_THAN"
  case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
  case greaterThan = "GREATER_THAN"
  case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
  case near = "NEAR"
  case containsAllTokens = "CONTAINS_ALL_TOKENS"
  case containsAnyTokens = "CONTAINS_ANY_TOKENS"
  case `in` = "IN"
  case notIn = "NOT_IN"
  case listContains = "LIST_CONTAINS"
  case notListContains = "NOT_LIST_CONTAINS"
  case listContainsAny = "LIST_CONTAINS_ANY"
  case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
  case listContainsAll = "LIST_CONTAINS_ALL"
  case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
  case beginsWith = "BEGINS_WITH"
  case notBeginsWith = "NOT_BEGINS_WITH"
  case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
  case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
  /// The extension that finds strings that end with the value.
  case endsWith = "ENDS_WITH"
  /// The extension that finds strings that contain the value.
  case containsText = "CONTAINS_TEXT"

  /// Whether the comparator is an extension of Stratus. Extensions work only in containers whose
  /// operator allows them.
  public var isExtension: Bool { self == .endsWith || self == .containsText }
}

extension QueryFilter: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .field(let filter): filter.write(to: &writer)
    case .anyOf(let groups):
      writer.object { writer in
        writer.key("anyOf")
        writer.array { writer in
          for group in groups {
            writer.array { writer in for filter in group { filter.write(to: &writer) } }
          }
        }
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("a filter")
    guard let groups = json["anyOf"] else {
      self = .field(try FieldFilter(json: json))
      return
    }
    guard groups.isArray else { throw .wrongType("anyOf", expected: "an array of arrays") }
    var read: [[QueryFilter]] = []
    for group in groups.elements {
      guard group.value.isArray else { throw .wrongType("anyOf", expected: "an array of arrays") }
      var filters: [QueryFilter] = []
      for filter in group.value.elements { filters.append(try QueryFilter(json: filter.value)) }
      read.append(filters)
    }
    self = .anyOf(read)
  }
}

extension FieldFilter: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("comparator", comparator.rawValue)
      key?.writeMember(to: &writer)
      writer.member("fieldValue", value)
      if let distance {
        writer.key("distance")
        writer.double(distance)
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    let word = try json.requiredString("comparator")
    guard let comparator = Comparator(rawValue: word) else {
      throw WireError("Unknown comparator '\(word)'")
    }
    self.comparator = comparator
    key = try QueryKey.optional(json)
    guard let value = json["fieldValue"] else { throw .missing("fieldValue") }
    self.value = try FieldInput(field: value, name: key?.name ?? "")
    guard let distance = json["distance"] else {
      self.distance = nil
      return
    }
    guard let metres = distance.double else { throw .wrongType("distance", expected: "a number") }
    self.distance = metres
  }
}
