/// What a filter or a sort looks at.
public struct QueryKey: Sendable, Hashable {
  /// The name as it was sent.
  public var name: String
  /// Whether it was sent as `systemFieldName`.
  public var isSystem: Bool

  public init(field name: String) {
    self.name = name
    isSystem = false
  }

  public init(system: SystemField) {
    name = system.wireName
    isSystem = true
  }

  /// The system field this names, in any spelling, under either key (web-services §3.8).
  ///
  /// NB: a field of the app's own can have a system field's plain name, and then it is meant where
  /// `fieldName` was sent; names with underscores are always the system's.
  public var systemField: SystemField? { SystemField(named: name) }

  func writeMember(to writer: inout JSONWriter) {
    if isSystem {
      writer.member("systemFieldName", name)
    } else {
      writer.member("fieldName", name)
    }
  }

  /// nil: neither key is there.
  static func optional(_ json: JSONView) throws(WireError) -> QueryKey? {
    if let name = try json.optionalString("systemFieldName") {
      guard let system = SystemField(named: name) else {
        throw WireError("Unknown systemFieldName '\(name)'")
      }
      return QueryKey(system: system)
    }
    return try json.optionalString("fieldName").map { QueryKey(field: $0) }
  }
}

/// What the system keeps about every record (web-services §3.8).
public enum SystemField: String, Sendable, Hashable, CaseIterable {
  case recordName = "___recordID"
  case creationDate = "___createTime"
  case creator = "___createdBy"
  case modificationDate = "___modTime"
  case modifier = "___modifiedBy"
  case parent = "___parent"
  case share = "___share"

  /// The name as `systemFieldName` and in reasons.
  public var wireName: String {
    switch self {
    case .recordName: "recordName"
    case .creationDate: "createdTimestamp"
    case .creator: "createdUserRecordName"
    case .modificationDate: "modifiedTimestamp"
    case .modifier: "modifiedUserRecordName"
    case .parent: "parent"
    case .share: "share"
    }
  }

  /// Reads either spelling.
  public init?(named name: String) {
    if let field = SystemField(rawValue: name) {
      self = field
      return
    }
    guard let field = Self.allCases.first(where: { $0.wireName == name }) else { return nil }
    self = field
  }

  public var type: FieldType {
    switch self {
    case .recordName, .creator, .modifier, .parent, .share: FieldType(.reference)
    case .creationDate, .modificationDate: FieldType(.timestamp)
    }
  }
}
