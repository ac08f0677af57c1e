import StratusWire

/// A query in the form that a client sends.
struct AskedQuery: Sendable, Hashable {
  var recordType: String
  var filters: [AskedFilter] = []
  var sorts: [AskedSort] = []

  var literal: Literal {
    .object([
      "recordType": .string(recordType), "filterBy": .array(filters.map(\.literal)),
      "sortBy": .array(sorts.map(\.literal)),
    ])
  }
}

/// The field of a filter or sort. The client sends its name as `fieldName` or `systemFieldName`.
struct AskedKey: Sendable, Hashable {
  var name: String
  var isSystem = false

  fileprivate var member: Literal.Member {
    Literal.Member(key: isSystem ? "systemFieldName" : "fieldName", value: .string(name))
  }
}

/// A filter in the form that a client sends.
indirect enum AskedFilter: Sendable, Hashable {
  case field(AskedCondition)
  case anyOf([[AskedFilter]])

  var literal: Literal {
    switch self {
    case .field(let condition): condition.literal
    case .anyOf(let groups):
      .object(["anyOf": .array(groups.map { .array($0.map(\.literal)) })])
    }
  }
}

/// A condition on one field.
struct AskedCondition: Sendable, Hashable {
  var comparator: Comparator
  /// The field, or nil for all searchable fields together.
  var key: AskedKey?
  var value: Literal
  /// The type that the request contains, or nil for none.
  var declaredType: String?
  var distance: Double?

  var literal: Literal {
    var value = [Literal.Member(key: "value", value: self.value)]
    if let declaredType {
      value.append(Literal.Member(key: "type", value: .string(declaredType)))
    }
    var members = [Literal.Member(key: "comparator", value: .string(comparator.rawValue))]
    if let key { members.append(key.member) }
    members.append(Literal.Member(key: "fieldValue", value: .members(value)))
    if let distance {
      members.append(Literal.Member(key: "distance", value: .double(distance)))
    }
    return .members(members)
  }
}

/// One sort descriptor in the form that a client sends.
struct AskedSort: Sendable, Hashable {
  var key: AskedKey
  /// The direction, or nil if the request does not contain it.
  var isAscending: Bool?
  var place: Place?

  var literal: Literal {
    var members = [key.member]
    if let isAscending {
      members.append(Literal.Member(key: "ascending", value: .bool(isAscending)))
    }
    if let place {
      members.append(Literal.Member(key: "relativeLocation", value: place.literal))
    }
    return .members(members)
  }
}

/// A point on Earth, in degrees.
struct Place: Sendable, Hashable {
  var latitude: Double
  var longitude: Double

  var literal: Literal {
    .object(["latitude": .double(latitude), "longitude": .double(longitude)])
  }
}
