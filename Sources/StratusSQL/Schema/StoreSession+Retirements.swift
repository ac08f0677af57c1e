public import StratusDomain
import StratusWire

extension SchemaPlace {
  /// The values of the columns `record_type` and `field`.
  fileprivate var values: [SQLValue] { [.text(recordType), .text(field ?? "")] }
}

extension StoreSession {
  public func set(
    _ indexes: FieldIndexes, of key: SchemaAddition.Marking.Key, in recordType: String
  ) throws(ServerError) {
    let bits = SQLValue.integer(indexes.rawValue)
    switch key {
    case .field(let name):
      try connection.queue(
        RetirementStatements.setFieldIndexes, [bits, .text(recordType), .text(name)],
        expecting: .one(otherwise: "a field to mark is not there"))
    case .system(let field):
      let place: [SQLValue] = [.text(recordType), .text(field.rawValue)]
      if indexes.isEmpty {
        try connection.queue(RetirementStatements.deleteSystemField, place)
      } else {
        try connection.queue(RetirementStatements.setSystemIndexes, place + [bits])
      }
    }
    try advanceSchema()
  }

  public func set(_ retirement: Retirement) throws(ServerError) {
    var values = retirement.place.values
    values.append(.integer(retirement.phase.rawValue))
    values.append(retirement.successor.map { SQLValue.text($0) } ?? .null)
    values.append(.flag(retirement.isCopied))
    values.append(.integer(retirement.since))
    if let cursor = retirement.cursor {
      values += [.integer(cursor.database), .integer(cursor.zone), .text(cursor.recordName)]
    } else {
      values += [.null, .null, .null]
    }
    try connection.queue(RetirementStatements.set, values)
    try advanceSchema()
  }

  public func endRetirement(of place: SchemaPlace) throws(ServerError) {
    try connection.queue(RetirementStatements.end, place.values)
    try connection.queue(RetirementStatements.forgetWrites, place.values)
    try advanceSchema()
  }

  public func remove(_ place: SchemaPlace) throws(ServerError) {
    let type = SQLValue.text(place.recordType)
    if let field = place.field {
      try connection.queue(RetirementStatements.deleteField, [type, .text(field)])
      return try endRetirement(of: place)
    }
    for statement in [
      RetirementStatements.deleteFields, RetirementStatements.deleteSystemFields,
      RetirementStatements.deleteType, RetirementStatements.dropIndexes,
      RetirementStatements.endOfType, RetirementStatements.forgetWritesOfType,
      GrantStatements.deleteOfType,
    ] {
      try connection.queue(statement, [type])
    }
    try advanceSchema()
  }

  public func noteWrite(
    to place: SchemaPlace, device: String, user: String, at time: Int64
  ) throws(ServerError) {
    try connection.queue(
      RetirementStatements.note,
      place.values + [.text(device), .text(user), .integer(time)])
    try connection.queue(
      RetirementStatements.prune,
      place.values + place.values + [.integer(Int64(Limits.retiredWritersMax - 1))])
  }

  public func retiredWrites(
    of place: SchemaPlace, limit: Int
  ) throws(ServerError) -> [RetiredWrite] {
    try connection.all(
      RetirementStatements.writes, place.values + [.integer(Int64(limit))]
    ) { row in
      RetiredWrite(
        deviceID: row.text(0), userRecordName: row.text(1), time: row.integer(2),
        count: row.integer(3))
    }
  }

  /// Reads all retirements of fields and record types.
  func readRetirements() throws(ServerError) -> [Retirement] {
    var retirements: [Retirement] = []
    try connection.run(RetirementStatements.list, []) { (row) throws(ServerError) in
      guard let phase = Retirement.Phase(rawValue: row.integer(2)) else {
        throw .fault("a retirement has an unknown phase")
      }
      let field = row.text(1)
      retirements.append(
        Retirement(
          SchemaPlace(row.text(0), field.isEmpty ? nil : field), phase: phase,
          successor: row.optionalText(3), isCopied: row.integer(4) != 0, since: row.integer(5),
          cursor: row.isNull(6)
            ? nil
            : IndexBuildCursor(
              database: row.integer(6), zone: row.integer(7), recordName: row.text(8))))
      return true
    }
    return retirements
  }
}
