import StratusWire

/// Decides a request to retire, rename or drop a record type or field. The decision depends only on
/// the arguments of the initializer.
struct RetirementDecision: Sendable {
  enum Effect: Sendable, Hashable {
    /// Stores the retirement. If a field is renamed, the field with the new name is added first.
    case set(Retirement, adding: SchemaAddition.Field?)
    /// Ends the retirement. The record type or field stays.
    case end
    /// Begins the removal.
    case remove
  }

  let effect: Effect

  /// - Parameter lastWrite: the latest write to the record type or field since its retirement
  ///   began.
  /// - Throws: `BAD_REQUEST` if the action is not possible. The reason says why.
  init(
    _ action: RetireSchema.Action, at place: SchemaPlace, newName: String?, isForced: Bool,
    schema: Schema, lastWrite: RetiredWrite?, now: Int64
  ) throws(ServerError) {
    let type = try Self.check(place, in: schema)
    let present = schema.retirements[place]
    if schema.isBeingRemoved(place) {
      throw .badRequest("'\(place.text)' is being removed already; this cannot be undone")
    }
    if let old = schema.retirements(in: type.name).first(where: { $0.names(place) }) {
      throw .badRequest(
        "'\(place.text)' is the new name of '\(old.place.text)'; end that with 'stratus schema "
          + "retire --cancel \(old.place.text)' first")
    }
    switch action {
    case .report, .refuse:
      var next = present ?? Retirement(place, phase: .reported, since: now)
      next.phase = action == .refuse ? .refused : .reported
      if next.phase == .refused, !next.isCopied {
        throw .badRequest(
          "the values of '\(place.text)' are still being copied; try again when 'stratus schema "
            + "retiring' says that they are")
      }
      effect = .set(next, adding: nil)
    case .rename:
      effect = try Self.rename(place, to: newName, type: type, present: present, now: now)
    case .cancel:
      guard present != nil else {
        throw .badRequest(
          "'\(place.text)' is not retiring; 'stratus schema retiring' lists what is")
      }
      effect = .end
    case .drop:
      try Self.checkDrop(place, present, lastWrite: lastWrite, isForced: isForced, now: now)
      effect = .remove
    }
  }

  private static func check(
    _ place: SchemaPlace, in schema: Schema
  ) throws(ServerError) -> RecordType {
    guard let type = schema.recordTypes[place.recordType] else {
      throw .badRequest(
        "there is no record type '\(place.recordType)'; 'stratus schema export' shows the schema")
    }
    guard let field = place.field else {
      if type.name == UserRecords.recordType {
        throw .badRequest("the record type 'Users' belongs to the system and cannot be retired")
      }
      return type
    }
    guard type.fields[field] != nil else {
      throw .badRequest(
        "the record type '\(type.name)' has no field '\(field)'; 'stratus schema export' shows "
          + "its fields")
    }
    return type
  }

  private static func rename(
    _ place: SchemaPlace, to newName: String?, type: RecordType, present: Retirement?, now: Int64
  ) throws(ServerError) -> Effect {
    guard let field = place.field, let definition = type.fields[field] else {
      throw .badRequest(
        "a record type cannot be renamed; add a type of the new name, and retire the old one when "
          + "apps have moved their records")
    }
    guard let newName else { throw .badRequest("the new name is missing; give it with --to") }
    try Naming.checkFieldName(newName)
    if let present {
      throw .badRequest(
        "'\(place.text)' is retiring already"
          + (present.successor.map { ", as '\($0)'" } ?? "")
          + "; end that with 'stratus schema retire --cancel'")
    }
    if definition.type.isEncrypted {
      throw .badRequest(
        "'\(place.text)' is encrypted, so only apps can copy its values; add a field of the new "
          + "name, and retire the old one later")
    }
    guard type.fields[newName] == nil else {
      throw .badRequest(
        "the record type '\(type.name)' already has a field '\(newName)'; choose another name")
    }
    guard type.fields.count < Limits.fieldsPerRecordTypeMax else {
      throw .badRequest(
        "type '\(type.name)' has \(Limits.fieldsPerRecordTypeMax) fields, the most allowed")
    }
    return .set(
      Retirement(place, phase: .reported, successor: newName, isCopied: false, since: now),
      adding: SchemaAddition.Field(
        recordType: type.name, name: newName, type: definition.type,
        indexes: definition.indexes))
  }

  private static func checkDrop(
    _ place: SchemaPlace, _ present: Retirement?, lastWrite: RetiredWrite?, isForced: Bool,
    now: Int64
  ) throws(ServerError) {
    guard let present else {
      throw .badRequest(
        "'\(place.text)' is not retiring; begin with 'stratus schema retire \(place.text)', so "
          + "that the server notes which devices still write it")
    }
    guard present.isCopied else {
      throw .badRequest(
        "the values of '\(place.text)' are still being copied; try again when 'stratus schema "
          + "retiring' says that they are")
    }
    if isForced { return }
    let quiet = Limits.retirementQuietDays * 86_400_000
    if let lastWrite, now - lastWrite.time < quiet {
      throw .badRequest(
        "the device \(lastWrite.deviceID) wrote '\(place.text)' within the last "
          + "\(Limits.retirementQuietDays) days; update its app, or drop with --force")
    }
    if now - present.since < quiet {
      throw .badRequest(
        "'\(place.text)' has been retiring for fewer than \(Limits.retirementQuietDays) days; "
          + "wait for devices that are seldom on, or drop with --force")
    }
  }
}
