public import StratusDomain
import StratusWire

extension StoreSession {
  public func schema() throws(ServerError) -> Schema {
    let version = try currentSchemaVersion()
    if let knownSchema, knownSchema.version == version { return knownSchema.schema }
    let schema = try readSchema()
    knownSchema = (version, schema)
    return schema
  }

  /// Returns the version of the schema, which a transaction reads once.
  ///
  /// NB: within a transaction, only the session's own writes change the version (`advanceSchema`).
  private func currentSchemaVersion() throws(ServerError) -> Int64 {
    if let schemaVersion { return schemaVersion }
    guard let version = try connection.first(SchemaStatements.version, [], { $0.integer(0) })
    else { throw .fault("the store has no schema version") }
    schemaVersion = version
    return version
  }

  public func add(_ addition: SchemaAddition) throws(ServerError) {
    if addition.isEmpty { return }
    for recordType in addition.recordTypes {
      try connection.queue(SchemaStatements.insertRecordType, [.text(recordType)])
      try insert(.initial(forType: recordType), of: recordType)
    }
    for field in addition.fields {
      try connection.queue(
        SchemaStatements.insertField,
        [
          .text(field.recordType), .text(field.name), .text(field.type.schemaName),
          .integer(field.indexes.rawValue),
        ])
    }
    for marking in addition.markings { try mark(marking) }
    try advanceSchema()
  }

  public func set(_ settings: ContainerSettings) throws(ServerError) {
    for setting in StoredSetting.allCases {
      try connection.queue(
        SchemaStatements.setSetting,
        [.text(setting.rawValue), .flag(settings[keyPath: setting.path])])
    }
    for setting in StoredNumber.allCases {
      let name = SQLValue.text(setting.rawValue)
      if let number = settings[keyPath: setting.path] {
        try connection.queue(SchemaStatements.setSetting, [name, .integer(number)])
      } else {
        try connection.queue(SchemaStatements.deleteSetting, [name])
      }
    }
    try writeTexts(of: settings)
    try advanceSchema()
  }

  /// Makes every session read the schema again.
  func advanceSchema() throws(ServerError) {
    note(\.hasSchema)
    try connection.queue(SchemaStatements.advance, [])
    schemaVersion = nil
    knownSchema = nil
  }

  private func mark(_ marking: SchemaAddition.Marking) throws(ServerError) {
    let indexes = SQLValue.integer(marking.indexes.rawValue)
    switch marking.key {
    case .field(let name):
      try connection.queue(
        SchemaStatements.markField, [indexes, .text(marking.recordType), .text(name)],
        expecting: .one(otherwise: "a field to mark is not there"))
    case .system(let field):
      try connection.queue(
        SchemaStatements.markSystemField,
        [.text(marking.recordType), .text(field.rawValue), indexes])
    }
  }

  private func readSchema() throws(ServerError) -> Schema {
    var addition = SchemaAddition()
    addition.recordTypes = try connection.all(GrantStatements.recordTypes, []) { $0.text(0) }
    try connection.run(SchemaStatements.fields, []) { (row) throws(ServerError) in
      guard let type = FieldType(schemaName: row.text(2)) else {
        throw .fault("a field has an unknown type", facts: ["type": row.text(2)])
      }
      addition.fields.append(
        .init(
          recordType: row.text(0), name: row.text(1), type: type,
          indexes: FieldIndexes(rawValue: row.integer(3))))
      return true
    }
    try connection.run(SchemaStatements.systemFields, []) { (row) throws(ServerError) in
      guard let field = SystemField(rawValue: row.text(1)) else {
        throw .fault("an unknown system field is marked", facts: ["field": row.text(1)])
      }
      addition.markings.append(
        .init(
          recordType: row.text(0), key: .system(field),
          indexes: FieldIndexes(rawValue: row.integer(2))))
      return true
    }
    var schema = Schema(
      indexes: try readIndexes(), settings: try readSettings(),
      retirements: try readRetirements())
    schema.add(addition)
    try readRoles(into: &schema, storedTypes: addition.recordTypes)
    return schema
  }

  private func readSettings() throws(ServerError) -> ContainerSettings {
    var settings = ContainerSettings()
    try connection.run(SchemaStatements.settings, []) { (row) throws(ServerError) in
      if let setting = StoredSetting(rawValue: row.text(0)) {
        settings[keyPath: setting.path] = row.integer(1) != 0
      } else if let setting = StoredNumber(rawValue: row.text(0)) {
        settings[keyPath: setting.path] = row.integer(1)
      } else {
        throw .fault("a setting is unknown", facts: ["setting": row.text(0)])
      }
      return true
    }
    settings.hasUserQuotas = try hasUserQuotas()
    try readTexts(into: &settings)
    return settings
  }
}

/// The names of the container settings in the table `settings` that are true or false. A setting
/// without a row has its default value.
private enum StoredSetting: String, CaseIterable {
  case queryExtensions = "query_extensions"
  case referenceTargets = "reference_targets"

  var path: WritableKeyPath<ContainerSettings, Bool> {
    switch self {
    case .queryExtensions: \.allowsQueryExtensions
    case .referenceTargets: \.requiresReferenceTargets
    }
  }
}

/// The names of the container settings in the table `settings` that are numbers. A setting without
/// a row is nil.
private enum StoredNumber: String, CaseIterable {
  case publicQuota = "public_quota_bytes"
  case userQuota = "user_quota_bytes"
  case versionDays = "version_days"

  var path: WritableKeyPath<ContainerSettings, Int64?> {
    switch self {
    case .publicQuota: \.publicQuotaBytes
    case .userQuota: \.userQuotaBytes
    case .versionDays: \.versionDays
    }
  }
}

private enum SchemaStatements {
  static let version = SQLStatement("SELECT schema_version FROM store")
  static let fields = SQLStatement(
    "SELECT record_type, name, type, indexes FROM fields ORDER BY record_type, name")
  static let systemFields = SQLStatement(
    "SELECT record_type, name, indexes FROM system_fields ORDER BY record_type, name")
  static let settings = SQLStatement("SELECT name, value FROM settings ORDER BY name")
  static let insertRecordType = SQLStatement("INSERT INTO record_types (name) VALUES (?)")
  static let insertField = SQLStatement(
    "INSERT INTO fields (record_type, name, type, indexes) VALUES (?, ?, ?, ?)")
  static let markField = SQLStatement(
    "UPDATE fields SET indexes = indexes | ? WHERE record_type = ? AND name = ?")
  static let markSystemField = SQLStatement(
    """
    INSERT INTO system_fields (record_type, name, indexes) VALUES (?, ?, ?)
    ON CONFLICT (record_type, name) DO UPDATE SET
      indexes = system_fields.indexes | excluded.indexes
    """)
  static let setSetting = SQLStatement(
    """
    INSERT INTO settings (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    """)
  static let deleteSetting = SQLStatement("DELETE FROM settings WHERE name = ?")
  static let advance = SQLStatement("UPDATE store SET schema_version = schema_version + 1")
}
