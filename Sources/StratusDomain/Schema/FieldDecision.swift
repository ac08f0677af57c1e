import StratusWire

/// Checks fields against the schema, and extends a development schema.
///
/// In development, a type or field is created with the first value saved. In production the schema
/// is fixed.
struct FieldDecision: Sendable {
  private var schema: Schema
  private let environment: ContainerEnvironment
  /// Whether the database accepts encrypted values.
  private let allowsEncryption: Bool
  /// The types, fields and index marks that are new to the schema.
  private(set) var addition = SchemaAddition()
  /// The IDs of the keys that sealed the values since the last ``takeZoneKeyIDs()``.
  private(set) var zoneKeyIDs: Set<[UInt8]> = []
  /// The retiring record types and fields that the saves write.
  private(set) var retiredWrites: Set<SchemaPlace> = []

  init(schema: Schema, environment: ContainerEnvironment, allowsEncryption: Bool = true) {
    self.allowsEncryption = allowsEncryption
    self.schema = schema
    self.environment = environment
  }

  /// Returns the changes in a record's `fields`. A value of nil clears the field.
  ///
  /// - Parameter zoneID: the zone of the record. References without a zone refer to this zone.
  /// - Throws: `BAD_REQUEST` if a field's name or value is not legal, if a new record type or field
  ///   cannot be added to the schema, or if the type or a field no longer accepts writes.
  mutating func decide(
    _ fields: JSONView?, recordType: String, zoneID: ZoneID
  ) throws(ServerError) -> [(key: String, value: FieldValue?)] {
    try require(recordType)
    let inputs: [FieldInput]
    do { inputs = try FieldInput.all(in: fields) } catch { throw ServerError(error) }
    var changes: [(key: String, value: FieldValue?)] = []
    changes.reserveCapacity(inputs.count)
    let retirements = schema.retirements(in: recordType)
    if !retirements.isEmpty { try note(inputs.map(\.name), retirements) }
    // Field names are unique in a request, so the fields that this loop adds need not be known
    // here.
    let knownFields = schema.recordTypes[recordType]?.fields ?? [:]
    for input in inputs {
      let known = knownFields[input.name]?.type ?? systemType(of: input.name, in: recordType)
      if known == nil { try Naming.checkFieldName(input.name) }
      let value: FieldValue?
      do { value = try input.decode(schemaType: known) } catch {
        throw .badRequest("Field '\(input.name)' in type '\(recordType)': \(error.reason)")
      }
      if case .sealed(_, let bytes) = value {
        guard allowsEncryption else { throw .badRequest(Reason.encryptedInPublic) }
        if let keyID = SealedEnvelope.keyID(of: bytes) { zoneKeyIDs.insert(keyID) }
      }
      // Choice: the schema does not describe shares. Apps may add fields to them, even in
      // production.
      if known == nil, let value, recordType != ShareRecord.recordType {
        try add(input.name, value.type, to: recordType)
      }
      changes.append((input.name, try value?.completed(with: zoneID, field: input.name)))
    }
    return retirements.isEmpty ? changes : Self.underBothNames(changes, retirements)
  }

  /// Returns ``zoneKeyIDs``, and begins with an empty set for the next record.
  mutating func takeZoneKeyIDs() -> Set<[UInt8]> {
    defer { zoneKeyIDs = [] }
    return zoneKeyIDs
  }

  /// If only one of the two names of a renamed field is written, writes the value to the other
  /// name, too.
  private static func underBothNames(
    _ changes: [(key: String, value: FieldValue?)], _ retirements: [Retirement]
  ) -> [(key: String, value: FieldValue?)] {
    var changes = changes
    for retirement in retirements {
      guard let old = retirement.place.field, let new = retirement.successor else { continue }
      let (first, second) = (
        changes.first { $0.key == old }, changes.first { $0.key == new }
      )
      switch (first, second) {
      case (let change?, nil): changes.append((new, change.value))
      case (nil, let change?): changes.append((old, change.value))
      case (nil, nil), (_?, _?): break
      }
    }
    return changes
  }

  /// Adds to ``retiredWrites`` the retiring record types and fields that the request writes.
  ///
  /// - Throws: `BAD_REQUEST`, which names a record type or field that no longer accepts writes.
  private mutating func note(
    _ fields: [String], _ retirements: [Retirement]
  ) throws(ServerError) {
    for retirement in retirements {
      if let field = retirement.place.field, !fields.contains(field) { continue }
      let place = retirement.place
      retiredWrites.insert(place)
      switch retirement.phase {
      case .reported: break
      case .refused:
        throw .badRequest("'\(place.text)' is being retired and takes no more writes")
      case .removing: throw .badRequest("'\(place.text)' is being removed")
      }
    }
  }

  /// Adds to ``retiredWrites`` the retiring record types and fields that a refused operation would
  /// have written, because the attempt shows that an app still uses them.
  mutating func note(retiredWrites places: Set<SchemaPlace>) {
    if !places.isEmpty { retiredWrites.formUnion(places) }
  }

  /// Whether a record type has fields with the names and types of these values, so that nothing has
  /// to be decided.
  func knows(_ values: [(key: String, value: FieldValue)], in recordType: String) -> Bool {
    guard let fields = schema.recordTypes[recordType]?.fields,
      schema.retirements(in: recordType).isEmpty
    else { return false }
    return values.allSatisfy { fields[$0.key]?.type == $0.value.type }
  }

  /// Returns the type of a field that the system owns, or nil for another field. The schema does
  /// not contain the system's fields.
  private func systemType(of field: String, in recordType: String) -> FieldType? {
    switch (recordType, field) {
    case (UserRecords.recordType, UserRecords.rolesField): UserRecords.rolesType
    case (ShareRecord.recordType, ShareRecord.titleField),
      (ShareRecord.recordType, ShareRecord.typeField):
      FieldType(.string)
    case (ShareRecord.recordType, ShareRecord.thumbnailField): FieldType(.bytes)
    default: nil
    }
  }

  private static let systemTypes: Set<String> = [UserRecords.recordType, ShareRecord.recordType]

  private mutating func require(_ recordType: String) throws(ServerError) {
    // NB: apps can add fields to user records from the start. The system owns the type itself.
    if schema.recordTypes[recordType] != nil || Self.systemTypes.contains(recordType) {
      return
    }
    guard environment == .development else {
      throw .lacking(
        ProductionLack(recordType: recordType, kind: .recordType), in: environment,
        "Cannot create new type '\(recordType)' in production schema")
    }
    guard schema.recordTypes.count < Limits.recordTypesMax else {
      throw .badRequest("the schema has \(Limits.recordTypesMax) record types, the most allowed")
    }
    extend(SchemaAddition(recordTypes: [recordType]))
  }

  private mutating func add(
    _ name: String, _ type: FieldType, to recordType: String
  ) throws(ServerError) {
    guard environment == .development else {
      throw .lacking(
        ProductionLack(recordType: recordType, kind: .field, name: name), in: environment,
        "Cannot create new field '\(name)' in type '\(recordType)' in production schema")
    }
    let count = schema.recordTypes[recordType]?.fields.count ?? 0
    guard count < Limits.fieldsPerRecordTypeMax else {
      throw .badRequest(
        "type '\(recordType)' has \(Limits.fieldsPerRecordTypeMax) fields, the most allowed")
    }
    let field = SchemaAddition.Field(
      recordType: recordType, name: name, type: type, indexes: .all(for: type))
    extend(SchemaAddition(fields: [field]))
  }

  private mutating func extend(_ more: SchemaAddition) {
    schema.add(more)
    addition.recordTypes += more.recordTypes
    addition.fields += more.fields
    addition.markings += more.markings
  }
}

extension FieldValue {
  /// Adds the zone to references without one.
  ///
  /// - Throws: `BAD_REQUEST` if a reference has a target in another zone.
  fileprivate func completed(
    with zoneID: ZoneID, field: String
  ) throws(ServerError) -> FieldValue {
    switch self {
    case .reference(var reference):
      if let target = reference.zoneID {
        let isOwn =
          target.ownerRecordName == nil || target.ownerRecordName == zoneID.ownerRecordName
        guard isOwn, ExactName(target.zoneName) == ExactName(zoneID.zoneName) else {
          throw .badRequest("Field '\(field)': a reference leads to a record of the same zone")
        }
      }
      reference.zoneID = zoneID
      return .reference(reference)
    case .list(.reference, let values):
      var completed: [FieldValue] = []
      for value in values { completed.append(try value.completed(with: zoneID, field: field)) }
      return .list(.reference, completed)
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset, .sealed, .list:
      return self
    }
  }
}
