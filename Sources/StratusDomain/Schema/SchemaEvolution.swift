public import StratusWire

/// Decides whether a schema may change into another one, and by which steps. The decision depends
/// only on the arguments of the initializer.
///
/// If one part of a change is refused, the whole change is refused. A warning names something that
/// the change removes: an index mark that queries may need, a role, a permission, or values.
public struct SchemaEvolution: Sendable {
  /// A refusal or a warning.
  public struct Finding: Sendable, Hashable {
    public var place: SchemaPlace?
    public var reason: String

    public init(_ place: SchemaPlace?, _ reason: String) {
      self.place = place
      self.reason = reason
    }
  }

  /// The source of the new schema.
  public enum Source: Sendable, Hashable {
    /// A file describes the whole schema. Parts that the file does not contain are removed.
    case file
    /// The development schema is deployed. Types, fields and indexes that only production has stay
    /// there.
    case development
  }

  public private(set) var steps: [SchemaStep] = []
  public private(set) var refusals: [Finding] = []
  public private(set) var warnings: [Finding] = []

  private let old: Schema
  private let new: Schema
  private let environment: ContainerEnvironment
  private let production: Schema
  private let source: Source

  /// - Parameters:
  ///   - old: the present schema of the environment.
  ///   - production: the schema of production. Development must contain all its types and fields.
  public init(
    from old: Schema, to new: Schema, in environment: ContainerEnvironment, production: Schema,
    source: Source = .file
  ) {
    self.old = old
    self.new = new
    self.environment = environment
    self.production = production
    self.source = source
    compareRoles()
    for name in Set(old.recordTypes.keys).union(new.recordTypes.keys).sorted() {
      compare(old.recordTypes[name], new.recordTypes[name], named: name)
    }
    compareWithProduction()
    // Roles are removed after the grants that name them.
    for role in removedRoles { steps.append(.removeRole(role)) }
  }

  /// Whether there is nothing to change and nothing is refused.
  public var isEmpty: Bool { steps.isEmpty && refusals.isEmpty }

  private var removedRoles: [String] {
    source == .file ? old.customRoles.subtracting(new.customRoles).sorted() : []
  }

  private mutating func refuse(_ place: SchemaPlace?, _ reason: String) {
    refusals.append(Finding(place, reason))
  }

  private mutating func warn(_ place: SchemaPlace?, _ reason: String) {
    warnings.append(Finding(place, reason))
  }

  private mutating func compareRoles() {
    for role in new.customRoles.subtracting(old.customRoles).sorted() {
      steps.append(.addRole(role))
    }
    for role in removedRoles {
      warn(nil, "the role '\(role)' is removed, and with it the rights of the users that hold it")
    }
  }
}

// Record types and fields
extension SchemaEvolution {
  private mutating func compare(_ old: RecordType?, _ new: RecordType?, named name: String) {
    let place = SchemaPlace(name)
    if self.old.isBeingRemoved(place) {
      if new != nil { refuse(place, Self.isBeingRemoved(place)) }
      return
    }
    guard let new else {
      if old != nil, source == .file { remove(place) }
      return
    }
    // Every schema has the type of user records, even if nothing is stored about it.
    let isNew = old == nil && name != UserRecords.recordType
    if isNew { steps.append(.addRecordType(name)) }
    let stepsBefore = steps.count
    let known = old ?? RecordType(name: name)
    for field in Set(known.fields.keys).union(new.fields.keys).sorted() {
      compare(known.fields[field], new.fields[field], at: SchemaPlace(name, field))
    }
    for field in SystemField.allCases {
      compare(
        known.systemFields[field] ?? [], new.systemFields[field] ?? [], .system(field), in: name)
    }
    compare(known.grants, new.grants, of: name, isNew: isNew)
    if old == nil, !isNew, steps.count > stepsBefore {
      steps.insert(.addRecordType(name), at: stepsBefore)
    }
  }

  private mutating func compare(
    _ old: FieldDefinition?, _ new: FieldDefinition?, at place: SchemaPlace
  ) {
    let name = place.field ?? ""
    if old != nil, self.old.isBeingRemoved(place) {
      if new != nil { refuse(place, Self.isBeingRemoved(place)) }
      return
    }
    switch (old, new) {
    case (nil, let new?):
      steps.append(
        .addField(
          SchemaAddition.Field(
            recordType: place.recordType, name: name, type: new.type, indexes: new.indexes)))
    case (_?, nil):
      if source == .file { remove(place) }
    case (let old?, let new?):
      if old.type != new.type {
        refuse(place, Self.typeIsFixed(place, old.type, new.type))
        return
      }
      compare(old.indexes, new.indexes, .field(name), in: place.recordType)
    case (nil, nil): break
    }
  }

  private mutating func remove(_ place: SchemaPlace) {
    if place.recordType == UserRecords.recordType, place.field == nil { return }
    if environment == .production {
      refuse(
        place,
        "production has '\(place.text)', which the file lacks; add it to the file, or drop it in "
          + "two phases, beginning with 'stratus schema retire \(place.text)'")
      return
    }
    if let field = place.field {
      steps.append(.removeField(recordType: place.recordType, name: field))
      warn(place, "the field '\(place.text)' is removed with its values in all records")
    } else {
      steps.append(.removeRecordType(place.recordType))
      warn(place, "the record type '\(place.text)' is removed with all its records")
    }
  }

  private mutating func compare(
    _ old: FieldIndexes, _ new: FieldIndexes, _ key: SchemaAddition.Marking.Key,
    in recordType: String
  ) {
    let target = source == .file ? new : old.union(new)
    if target == old { return }
    steps.append(.setIndexes(recordType: recordType, key: key, to: target))
    let lost = old.subtracting(target)
    if lost.isEmpty { return }
    let place = SchemaPlace(recordType, key.schemaName)
    let words = lost.schemaWords.joined(separator: " ")
    warn(
      place,
      "the option \(words) of '\(place.text)' is removed: queries that need it are refused from "
        + "now on")
  }

  private mutating func compare(
    _ old: RecordGrants, _ new: RecordGrants, of recordType: String, isNew: Bool
  ) {
    if old == new { return }
    steps.append(.setGrants(recordType: recordType, to: new))
    if isNew { return }
    for (role, permissions) in old.roles.sorted(by: { $0.key < $1.key }) {
      let lost = permissions.subtracting(new[role])
      if lost.isEmpty { continue }
      warn(
        SchemaPlace(recordType),
        "the role \(role) loses \(lost.schemaWords.joined(separator: ", ")) on '\(recordType)'")
    }
  }

  /// Refuses a development schema that lacks parts of the production schema, because such a schema
  /// could not be deployed.
  private mutating func compareWithProduction() {
    guard environment == .development else { return }
    for type in production.recordTypes.values.sorted(by: { $0.name < $1.name }) {
      if type.name == UserRecords.recordType, new.recordTypes[type.name] == nil { continue }
      let place = SchemaPlace(type.name)
      if production.isBeingRemoved(place) { continue }
      guard let mine = new.recordTypes[type.name] else {
        refuse(place, Self.isInProduction(place))
        continue
      }
      for (name, field) in type.fields.sorted(by: { $0.key < $1.key }) {
        let place = SchemaPlace(type.name, name)
        if production.isBeingRemoved(place) { continue }
        guard let type = mine.fields[name]?.type else {
          refuse(place, Self.isInProduction(place))
          continue
        }
        // If development already has the field, `compare` has already refused a change of its type.
        if type != field.type, old.recordTypes[place.recordType]?.fields[name] == nil {
          refuse(
            place,
            "'\(place.text)' is \(field.type.schemaText) in production, where it never changes; "
              + "write this type")
        }
      }
    }
  }

  private static func isInProduction(_ place: SchemaPlace) -> String {
    "production has '\(place.text)', so development keeps it; add it to the file"
  }

  private static func isBeingRemoved(_ place: SchemaPlace) -> String {
    "'\(place.text)' is being removed; wait until 'stratus schema retiring' shows it no longer"
  }

  private static func typeIsFixed(
    _ place: SchemaPlace, _ old: FieldType, _ new: FieldType
  ) -> String {
    let fix =
      old.isEncrypted == new.isEncrypted
      ? "a field never changes its type: write \(old.schemaText), or add a field of another name"
      : "a field never becomes encrypted or plain: add a field of another name"
    return "'\(place.text)' is \(old.schemaText), and the change makes it \(new.schemaText); \(fix)"
  }
}
