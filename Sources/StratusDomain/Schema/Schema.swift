public import StratusWire

/// The record types of one container in one environment, its roles, and its settings.
public struct Schema: Sendable, Hashable {
  public private(set) var recordTypes: [String: RecordType]
  /// The indexes in the store, by record type, in the order of their numbers.
  public private(set) var indexes: [String: [QueryIndex]]
  /// The names of the roles besides `_world`, `_icloud` and `_creator`.
  public var customRoles: Set<String>
  /// The record types and fields that are being retired or removed.
  public private(set) var retirements: [SchemaPlace: Retirement]
  /// The custom roles of each user that has any, by user record name.
  public private(set) var rolesOfUsers: [String: Set<String>] = [:]
  public var settings: ContainerSettings

  public init(
    recordTypes: [String: RecordType] = [:], customRoles: Set<String> = [],
    indexes: [QueryIndex] = [], settings: ContainerSettings = ContainerSettings(),
    retirements: [Retirement] = []
  ) {
    self.recordTypes = recordTypes
    self.customRoles = customRoles
    self.indexes = Dictionary(grouping: indexes, by: \.recordType)
    self.settings = settings
    self.retirements = Dictionary(uniqueKeysWithValues: retirements.map { ($0.place, $0) })
  }

  /// Returns the grants of a record type in the public database. If the schema does not have the
  /// type, returns the grants of a new type.
  func grants(of recordType: String) -> RecordGrants {
    recordTypes[recordType]?.grants ?? .initial(forType: recordType)
  }

  /// Returns the custom roles of a user.
  func customRoles(of user: String) -> Set<String> { rolesOfUsers[user] ?? [] }

  /// Replaces the custom roles of a user.
  public mutating func set(roles: Set<String>, ofUser user: String) {
    rolesOfUsers[user] = roles.isEmpty ? nil : roles
  }

  /// Replaces the grants of a record type. Does nothing if the schema does not have the type.
  public mutating func set(_ grants: RecordGrants, of recordType: String) {
    recordTypes[recordType]?.grants = grants
  }

  /// Adds record types, fields and index marks.
  public mutating func add(_ addition: SchemaAddition) {
    for name in addition.recordTypes where recordTypes[name] == nil {
      recordTypes[name] = RecordType(name: name)
    }
    for field in addition.fields {
      recordTypes[field.recordType, default: RecordType(name: field.recordType)]
        .add(FieldDefinition(type: field.type, indexes: field.indexes), named: field.name)
    }
    for marking in addition.markings {
      recordTypes[marking.recordType, default: RecordType(name: marking.recordType)]
        .mark(marking.key, marking.indexes)
    }
  }
}

/// A kind of record: its fields, and its grants in the public database.
public struct RecordType: Sendable, Hashable {
  public var name: String
  public private(set) var fields: [String: FieldDefinition]
  /// Whether records of this type can have references or files. The value is stored, because every
  /// save needs it.
  private(set) var holdsLinksOrAssets: Bool
  /// The index marks of the system fields.
  public var systemFields: [SystemField: FieldIndexes]
  public var grants: RecordGrants

  /// - Parameter grants: the grants, or nil for the grants of a new record type.
  public init(
    name: String, fields: [String: FieldDefinition] = [:],
    systemFields: [SystemField: FieldIndexes] = [:], grants: RecordGrants? = nil
  ) {
    self.grants = grants ?? .initial(forType: name)
    self.name = name
    self.fields = fields
    self.systemFields = systemFields
    holdsLinksOrAssets = fields.values.contains { $0.type.holdsLinksOrAssets }
  }

  mutating func add(_ field: FieldDefinition, named name: String) {
    fields[name] = field
    if field.type.holdsLinksOrAssets { holdsLinksOrAssets = true }
  }

  mutating func mark(_ key: SchemaAddition.Marking.Key, _ indexes: FieldIndexes) {
    switch key {
    case .field(let name): fields[name]?.indexes.formUnion(indexes)
    case .system(let field): systemFields[field, default: []].formUnion(indexes)
    }
  }
}

extension FieldType {
  /// Whether a value can be a reference or a file, or a list of references or files.
  var holdsLinksOrAssets: Bool {
    !isEncrypted && (element == .reference || element == .asset)
  }
}

/// A field of a record type.
public struct FieldDefinition: Sendable, Hashable {
  public var type: FieldType
  /// The kinds of queries that may use the field.
  public var indexes: FieldIndexes

  public init(type: FieldType, indexes: FieldIndexes = []) {
    self.type = type
    self.indexes = indexes
  }
}

/// The index marks of a field.
public struct FieldIndexes: OptionSet, Sendable, Hashable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Allows filters for equality, list members, prefixes and locations.
  public static let queryable = FieldIndexes(rawValue: 1)
  /// Allows filters for ranges, and sorting.
  public static let sortable = FieldIndexes(rawValue: 2)
  /// Allows searches for words.
  public static let searchable = FieldIndexes(rawValue: 4)

  /// All index marks that fields of a type can have. A development schema gives them to every new
  /// field.
  public static func all(for type: FieldType) -> FieldIndexes {
    if type.isEncrypted { return [] }
    return switch (type.element, type.isList) {
    case (.asset, _), (.bytes, _): []
    case (.string, false): [.queryable, .sortable, .searchable]
    case (.string, true): [.queryable, .searchable]
    case (.int64, false), (.double, false), (.timestamp, false): [.queryable, .sortable]
    case (.location, false): [.queryable, .sortable]
    case (.reference, _), (.int64, true), (.double, true), (.timestamp, true),
      (.location, true):
      .queryable
    }
  }
}

/// The settings that a container's operator can change.
public struct ContainerSettings: Sendable, Hashable {
  /// Whether queries may use extensions that CloudKit does not have: `anyOf`, `ENDS_WITH`,
  /// `CONTAINS_TEXT`, `LIST_CONTAINS` on a text field, and counts.
  public var allowsQueryExtensions: Bool
  /// Whether the target of a `deleteSelf` reference must exist when the reference is saved.
  public var requiresReferenceTargets: Bool
  /// The URL with which the page of a share opens the app. The page appends the share's URL. nil
  /// means that the page offers no app.
  public var shareAppURL: String?
  /// The web page for people who cannot open the app, or nil if there is none.
  public var shareFallbackURL: String?

  /// Whether the server mails invitations to the addresses that a share invites.
  public var mailsInvitations: Bool

  /// The quota of the public database in bytes, or nil if there is no limit.
  public var publicQuotaBytes: Int64?
  /// The quota of each private database in bytes, or nil if there is no limit. It does not apply to
  /// users that have a quota of their own.
  public var userQuotaBytes: Int64?
  /// The number of days for which the earlier states of records are kept, or nil if they are not
  /// kept.
  public var versionDays: Int64?
  /// Whether a quota was set for any single user. The store finds this out when it reads the
  /// settings, and ignores the value when it writes them.
  public var hasUserQuotas = false

  public init(
    allowsQueryExtensions: Bool = false, requiresReferenceTargets: Bool = false,
    publicQuotaBytes: Int64? = nil, userQuotaBytes: Int64? = nil, shareAppURL: String? = nil,
    shareFallbackURL: String? = nil, mailsInvitations: Bool = false
  ) {
    self.mailsInvitations = mailsInvitations
    self.allowsQueryExtensions = allowsQueryExtensions
    self.requiresReferenceTargets = requiresReferenceTargets
    self.publicQuotaBytes = publicQuotaBytes
    self.userQuotaBytes = userQuotaBytes
    self.shareAppURL = shareAppURL
    self.shareFallbackURL = shareFallbackURL
  }

  /// Whether a save may have to check a quota.
  var hasQuotas: Bool {
    publicQuotaBytes != nil || userQuotaBytes != nil || hasUserQuotas
  }
}

/// Additions to a schema. Saves and queries extend the development schema. Deployments extend the
/// production schema.
public struct SchemaAddition: Sendable, Hashable {
  /// A new field of a record type.
  public struct Field: Sendable, Hashable {
    public var recordType: String
    public var name: String
    public var type: FieldType
    public var indexes: FieldIndexes

    public init(
      recordType: String, name: String, type: FieldType, indexes: FieldIndexes = []
    ) {
      self.recordType = recordType
      self.name = name
      self.type = type
      self.indexes = indexes
    }
  }

  /// Index marks (queryable, sortable, searchable) to add to a field that exists already.
  public struct Marking: Sendable, Hashable {
    public enum Key: Sendable, Hashable {
      case field(String)
      case system(SystemField)
    }

    public var recordType: String
    public var key: Key
    public var indexes: FieldIndexes

    public init(recordType: String, key: Key, indexes: FieldIndexes) {
      self.recordType = recordType
      self.key = key
      self.indexes = indexes
    }
  }

  public var recordTypes: [String]
  public var fields: [Field]
  public var markings: [Marking]

  public init(
    recordTypes: [String] = [], fields: [Field] = [], markings: [Marking] = []
  ) {
    self.recordTypes = recordTypes
    self.fields = fields
    self.markings = markings
  }

  public var isEmpty: Bool { recordTypes.isEmpty && fields.isEmpty && markings.isEmpty }
}
