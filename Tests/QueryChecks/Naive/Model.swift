import StratusDomain
import StratusWire

/// A record in the state after the previous steps.
struct ModelRecord: Sendable {
  var name: String
  var zone: String
  var type: String
  var fields: [String: FieldValue]
  /// The time in milliseconds since 1970 UTC.
  var creationDate: Int64
  var modificationDate: Int64
  var creator: String
  var modifier: String
  var parent: String?
}

/// The names of a zone and of a record, which are compared byte for byte.
struct RecordPlace: Hashable, Sendable, CustomStringConvertible {
  var zone: ExactName
  var name: ExactName

  init(zone: String, name: String) {
    self.zone = ExactName(zone)
    self.name = ExactName(name)
  }

  var description: String { "\(zone.text)/\(name.text.debugDescription)" }
}

/// A field of the schema, with its type and index marks.
struct ModelField: Sendable, Hashable {
  var type: FieldType
  var marks: FieldIndexes
}

/// A record type of the schema.
struct ModelType: Sendable {
  var fields: [String: ModelField] = [:]
  var systemMarks: [SystemField: FieldIndexes] = [:]
}

/// The content of a store after some steps. The naive evaluator uses only this content.
struct Model: Sendable {
  typealias Zone = [ExactName: ModelRecord]

  static let rootsCount = 2
  static let defaultZone = ZoneID.defaultZoneName

  let isProduction: Bool
  let users: [String]
  var types: [String: ModelType]
  var allowsExtensions = false
  /// The time in milliseconds since 1970 UTC.
  var now: Int64
  private(set) var databases: [DatabaseChoice: [String: Zone]]

  init(isProduction: Bool, users: [String], types: [String: ModelType], now: Int64) {
    self.isProduction = isProduction
    self.users = users
    self.types = types
    self.now = now
    databases = [:]
    for database in DatabaseChoice.allCases { databases[database] = [Self.defaultZone: [:]] }
  }

  static func rootName(_ number: Int) -> String { "root\(number)" }

  func hasZone(_ zone: String, in database: DatabaseChoice) -> Bool {
    databases[database]?[zone] != nil
  }

  func record(_ name: String, in zone: String, of database: DatabaseChoice) -> ModelRecord? {
    databases[database]?[zone]?[ExactName(name)]
  }

  /// All records of a database, or of one of its zones.
  func records(in database: DatabaseChoice, zone: String?) -> [ModelRecord] {
    let zones = databases[database] ?? [:]
    if let zone { return Array((zones[zone] ?? [:]).values) }
    return zones.values.flatMap(\.values)
  }

  /// The user who sends requests: the owner of a private database, or any user in the public one.
  func caller(_ user: Int, of database: DatabaseChoice) -> String {
    switch database {
    case .publicDatabase: users[user]
    case .first: users[0]
    case .second: users[1]
    }
  }

  mutating func makeZone(_ zone: String, in database: DatabaseChoice) {
    if hasZone(zone, in: database) { return }
    databases[database]?[zone] = [:]
  }

  mutating func deleteZone(_ zone: String, in database: DatabaseChoice) {
    databases[database]?[zone] = nil
  }

  /// The legal edits of a request. The zone must exist, and a caller may change only the caller's
  /// own records. A parent that does not exist is left out of its edit.
  func legalEdits(
    _ edits: [Edit], in zone: String, of database: DatabaseChoice, by caller: String
  ) -> [Edit] {
    guard hasZone(zone, in: database) else { return [] }
    return edits.compactMap { edit in
      let record = record(edit.recordName, in: zone, of: database)
      if let record, record.creator != caller { return nil }
      guard case .save(let type, let replaces, let fields, let parent?) = edit.kind else {
        return edit
      }
      if self.record(Self.rootName(parent), in: zone, of: database) != nil { return edit }
      var edit = edit
      edit.kind = .save(recordType: type, replaces: replaces, fields: fields, parent: nil)
      return edit
    }
  }

  /// Applies a legal edit.
  mutating func apply(
    _ edit: Edit, in zone: String, of database: DatabaseChoice, by caller: String
  ) {
    let name = ExactName(edit.recordName)
    switch edit.kind {
    case .delete: databases[database]?[zone]?[name] = nil
    case .save(let type, let replaces, let fields, let parent):
      var record =
        databases[database]?[zone]?[name]
        ?? ModelRecord(
          name: edit.recordName, zone: zone, type: type, fields: [:], creationDate: now,
          modificationDate: now, creator: caller, modifier: caller, parent: nil)
      if replaces {
        record.fields = [:]
        record.parent = nil
      }
      record.modificationDate = now
      record.modifier = caller
      if let parent { record.parent = Self.rootName(parent) }
      for (field, value) in fields {
        record.fields[field] = value
        guard let value, types[type]?.fields[field] == nil else { continue }
        types[type, default: ModelType()].fields[field] = ModelField(
          type: value.type, marks: .all(for: value.type))
      }
      if types[type] == nil { types[type] = ModelType() }
      databases[database]?[zone]?[name] = record
    }
  }
}
