/// The field that a filter or a sort refers to.
public struct QueryKey: Sendable, Hashable {
  /// The name as the client sent it.
  public var name: String
  /// Whether the client sent the name as `systemFieldName`.
  public var isSystem: Bool

  public init(field name: String) {
    self.name = name
    isSystem = false
  }

  public init(system: SystemField) {
    name = system.wireName
    isSystem = true
  }

  /// The system field with this name. Both spellings of the name and both JSON keys are accepted.
  ///
  /// NB: an app's own field may have the plain name of a system field. With the JSON key
  /// `fieldName`, this plain name means the app's field. So the caller must first check whether the
  /// record type has such a field. A name with underscores always means a system field.
  public var systemField: SystemField? { SystemField(named: name) }

  func writeMember(to writer: inout JSONWriter) {
    if isSystem {
      writer.member("systemFieldName", name)
    } else {
      writer.member("fieldName", name)
    }
  }

  /// Reads the key from a filter or a sort. Returns nil if neither JSON key is present.
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

/// The system fields that every record has.
public enum SystemField: String, Sendable, Hashable, CaseIterable {
  case recordName = "___recordID"
  case creationDate = "___createTime"
  case creator = "___createdBy"
  case modificationDate = "___modTime"
  case modifier = "___modifiedBy"
  case parent = "___parent"
  case share = "___share"

  /// The name in the JSON key `systemFieldName` and in error reasons.
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

  /// Finds the system field with this name, in either spelling.
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
