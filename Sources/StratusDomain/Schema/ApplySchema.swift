import StratusWire

extension StoreWriting {
  /// Applies the steps of a change, in order.
  ///
  /// - Parameter now: milliseconds since 1970 UTC.
  func apply(_ steps: [SchemaStep], now: Int64) throws(ServerError) {
    for step in steps {
      switch step {
      case .addRole(let role):
        try set(customRoles: try self.schema().customRoles.union([role]))
      case .removeRole(let role):
        try set(customRoles: try self.schema().customRoles.subtracting([role]))
      case .addRecordType(let name): try add(SchemaAddition(recordTypes: [name]))
      case .addField(let field): try add(SchemaAddition(fields: [field]))
      case .setIndexes(let recordType, let key, let indexes):
        try set(indexes, of: key, in: recordType)
      case .setGrants(let recordType, let grants): try set(grants, of: recordType)
      case .removeRecordType(let name): try beginRemoval(of: SchemaPlace(name), now: now)
      case .removeField(let recordType, let name):
        try beginRemoval(of: SchemaPlace(recordType, name), now: now)
      }
    }
  }

  /// Begins the removal of a record type or field. ``ContinueRetirements`` removes its values in
  /// steps. Until the last step, the record type or field stays in the schema, so that its records
  /// keep their grants.
  func beginRemoval(of place: SchemaPlace, now: Int64) throws(ServerError) {
    let schema = try self.schema()
    guard let type = schema.recordTypes[place.recordType] else { return }
    // If another field is being renamed to the removed one, the renaming ends: saves of the other
    // field must not write the removed one.
    for other in schema.retirements.values where other.names(place) {
      try endRetirement(of: other.place)
    }
    try set(
      Retirement(
        place, phase: .removing, since: schema.retirements[place]?.since ?? now))
    // The fields lose their index marks, so that queries that use the fields are refused from now
    // on.
    let fields = place.field.map { [$0] } ?? Array(type.fields.keys)
    for field in fields.sorted() where type.fields[field]?.indexes.isEmpty == false {
      try set([], of: .field(field), in: place.recordType)
    }
    // NB: a new field may get the same name and another type. It must not find an index of the
    // removed field.
    for index in schema.indexes[place.recordType] ?? [] {
      let usesField = index.columns.contains { column in
        place.field.map { column.source == .field($0) } ?? true
      }
      if !usesField { continue }
      if index.isReady {
        try dropIndex(index.id)
      } else {
        try cancelIndexBuild(index.id)
      }
    }
  }
}
