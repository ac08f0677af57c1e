import StratusWire

/// The rules for one operation on one record.
struct RecordRules: Sendable {
  typealias Refusal = RecordDecision.Refusal

  /// The change number, the record number and the revision of a written record.
  struct Numbers {
    var change: Int64
    var record: Int64
    var revision: Int64
  }

  /// The result of an operation: the record to write (none if there was nothing to delete), and the
  /// answer to the client.
  struct Outcome {
    let written: StoredRecord?
    let answer: RecordDecision.Outcome
    /// The references that the operation itself contains.
    var references = SentReferences()
    /// All fields of the written record, or nil if not all of them are decoded.
    var values: RecordDecision.Values?
  }

  let writer: RecordWriter
  let access: ZoneAccess
  let schema: Schema
  let assets: AssetRules

  /// Decides one operation.
  ///
  /// - Parameters:
  ///   - stored: the live record with that name, or nil if there is none or the caller may not read
  ///     it.
  ///   - isHidden: whether there is a record with that name that the caller may not read.
  ///   - share: the participants and permissions of a share that is saved, or nil for another
  ///     record.
  ///   - numbers: the numbers of the change and of the record, and its next revision.
  func decide(
    _ sent: SentOperation, stored: StoredRecord?, isHidden: Bool = false,
    share: ShareState? = nil, numbers: Numbers, fields: inout FieldDecision
  ) throws(Refusal) -> Outcome {
    if isHidden { return try decideHidden(sent, numbers, &fields) }
    return try decideReadable(sent, stored: stored, numbers, &fields, share: share)
  }

  /// Decides an operation on a record that the caller may not read, as if the record were missing.
  ///
  /// There is one exception: an operation that would create the record is refused, because names
  /// are unique in a zone.
  private func decideHidden(
    _ sent: SentOperation, _ numbers: Numbers, _ fields: inout FieldDecision
  ) throws(Refusal) -> Outcome {
    let outcome = try decideReadable(sent, stored: nil, numbers, &fields)
    if outcome.written == nil { return outcome }
    if sent.operation.kind == .create {
      throw Refusal(ServerError(.conflict, Reason.recordExists))
    }
    throw Refusal(ServerError(.notFound, Reason.recordNotFound))
  }

  private func decideReadable(
    _ sent: SentOperation, stored: StoredRecord?, _ numbers: Numbers, _ fields: inout FieldDecision,
    share: ShareState? = nil
  ) throws(Refusal) -> Outcome {
    let operation = sent.operation
    guard let name = operation.recordName else {
      throw Refusal(.badRequest("missing required field 'recordName'"))
    }
    // A create never changes a stored record, so its answer may reveal that the name is taken.
    if let stored, operation.kind != .create { try checkPermission(toWrite: stored) }
    if stored == nil, operation.kind.canCreate { try checkPermission(toCreate: operation) }
    switch operation.kind {
    case .create:
      if let stored {
        throw Refusal(
          ServerError(.conflict, Reason.recordExists), serverRecord: stored)
      }
      return try save(sent, name, over: nil, keepsOthers: false, numbers, &fields, share)
    case .update, .replace:
      guard let stored else { throw Refusal(ServerError(.notFound, Reason.recordNotFound)) }
      guard let tag = operation.recordChangeTag else {
        throw Refusal(.badRequest("missing required field 'recordChangeTag'"))
      }
      try check(tag, against: stored)
      let keepsOthers = operation.kind == .update
      return try save(sent, name, over: stored, keepsOthers: keepsOthers, numbers, &fields, share)
    case .forceUpdate, .forceReplace:
      let keepsOthers = operation.kind == .forceUpdate
      return try save(sent, name, over: stored, keepsOthers: keepsOthers, numbers, &fields, share)
    case .delete:
      guard let stored else { throw Refusal(ServerError(.notFound, Reason.recordNotFound)) }
      if let tag = operation.recordChangeTag { try check(tag, against: stored) }
      return try delete(name, stored, numbers.change)
    case .forceDelete:
      return try delete(name, stored, numbers.change)
    }
  }

  /// - Throws: `ACCESS_DENIED` if the caller may not change the record.
  private func checkPermission(toWrite stored: StoredRecord) throws(Refusal) {
    if access.allows(.write, stored, schema: schema) { return }
    throw Refusal(ServerError(.accessDenied, Reason.accessDenied))
  }

  /// - Throws: `ACCESS_DENIED` if the caller may not create records of the type. Operations without
  ///   a type, and operations that create a user record, pass this check and are refused later.
  private func checkPermission(toCreate operation: RecordOperation) throws(Refusal) {
    guard let type = operation.recordType, type != UserRecords.recordType,
      !access.allowsCreation(of: type, schema: schema)
    else { return }
    throw Refusal(ServerError(.accessDenied, Reason.accessDenied))
  }

  private func check(_ tag: String, against stored: StoredRecord) throws(Refusal) {
    if tag != stored.tag {
      throw Refusal(ServerError(.conflict, Reason.conflict), serverRecord: stored)
    }
  }

  private func save(
    _ sent: SentOperation, _ name: String, over stored: StoredRecord?, keepsOthers: Bool,
    _ numbers: Numbers, _ fields: inout FieldDecision, _ share: ShareState?
  ) throws(Refusal) -> Outcome {
    let operation = sent.operation
    // The parent of a share record is always the shared root, even if the request has no data of
    // the share. The parent of the root itself does not belong to the share, so participants
    // neither see nor change it.
    let keepsParent =
      share != nil
      || (stored.map { $0.type == ShareRecord.recordType || access.isSharedRoot($0) } ?? false)
    let parent: ParentChange = keepsParent ? .unchanged : operation.parent
    do throws(ServerError) {
      let type = try recordType(of: operation, name, stored: stored)
      if type == UserRecords.recordType { try UserRoles.requireUnchanged(by: operation, stored) }
      if case .set(let parent) = parent { try Naming.checkRecordName(parent) }
      let written = try contents(
        of: sent, type: type, over: stored, keepsOthers: keepsOthers, parent: parent, &fields)
      try checkSize(written.text)
      var record = StoredRecord(
        name: name, type: type, change: numbers.change, isDeleted: false,
        created: stored?.created ?? sent.restored?.created ?? writer.stamp,
        modified: writer.stamp(of: sent),
        parentRecordName: parent.applied(
          to: keepsOthers || keepsParent ? stored?.parentRecordName : nil), fields: written.text,
        hasAssets: written.hasAssets, number: numbers.record, revision: numbers.revision)
      if let stored { try record.keepSharing(of: stored) }
      if let share { try record.set(share) }
      if let state = try record.shareState() { record.parentRecordName = state.rootRecordName }
      return Outcome(
        written: record, answer: .saved(record), references: written.references,
        values: written.values)
    } catch {
      throw Refusal(error)
    }
  }

  /// The contents of a saved record.
  private struct Contents {
    let text: FieldsJSON
    let values: RecordDecision.Values?
    let references: SentReferences
    var hasAssets = false
  }

  private func contents(
    of sent: SentOperation, type: String, over stored: StoredRecord?, keepsOthers: Bool,
    parent: ParentChange, _ fields: inout FieldDecision
  ) throws(ServerError) -> Contents {
    let operation = sent.operation
    if sent.exceedsBounds { throw .badRequest(Reason.recordTooManyEntries) }
    let isUser = type == UserRecords.recordType
    if let plain = sent.plain, !isUser, fields.knows(plain.values, in: type) {
      return Contents(
        text: plain.text, values: plain.values,
        references: SentReferences([], parent: parent))
    }
    let changes = try assets.settle(
      fields.decide(operation.fields, recordType: type, zoneID: access.id), over: stored,
      trustsFiles: sent.restored != nil)
    if sent.plain == nil { try RecordBounds.check(changes) }
    let base =
      keepsOthers ? stored?.fields ?? .empty : isUser ? try UserRoles.fields(of: stored) : .empty
    let values = base == .empty ? Self.values(of: changes) : nil
    let text = if let values { FieldsJSON(values) } else { try merge(changes, into: base) }
    return Contents(
      text: text, values: values, references: SentReferences(changes, parent: parent),
      hasAssets: try AssetRules.holdsAssets(changes, over: keepsOthers ? stored : nil))
  }

  /// NB: base64 makes bytes a third longer in JSON. A text over the limit may therefore belong to a
  /// record under the limit.
  private func checkSize(_ fields: FieldsJSON) throws(ServerError) {
    if fields.text.count <= Limits.recordSizeBytesMax { return }
    guard fields.text.count <= Limits.recordTextBytesMax else {
      throw .badRequest(Reason.recordTooLarge)
    }
    let size: Int
    do { size = try fields.payloadSizeBytes() } catch { throw ServerError(error) }
    guard size <= Limits.recordSizeBytesMax else { throw .badRequest(Reason.recordTooLarge) }
  }

  /// NB: a lazy `compactMap` would create every value twice.
  private static func values(
    of changes: [(key: String, value: FieldValue?)]
  ) -> RecordDecision.Values {
    var values: RecordDecision.Values = []
    values.reserveCapacity(changes.count)
    for change in changes {
      if let value = change.value { values.append((change.key, value)) }
    }
    return values
  }

  private func merge(
    _ changes: [(key: String, value: FieldValue?)], into base: FieldsJSON
  ) throws(ServerError) -> FieldsJSON {
    do { return try base.merging(changes) } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }

  /// Returns the type of the record, which never changes. For a new record, the operation must name
  /// the type.
  private func recordType(
    of operation: RecordOperation, _ name: String, stored: StoredRecord?
  ) throws(ServerError) -> String {
    if let stored {
      if let type = operation.recordType, type != stored.type {
        throw .badRequest("record '\(name)' is of type '\(stored.type)', not '\(type)'")
      }
      return stored.type
    }
    try Naming.checkRecordName(name)
    guard let type = operation.recordType else {
      throw .badRequest("missing required field 'recordType'")
    }
    if type == UserRecords.recordType { throw .badRequest(Reason.userRecordsAreFixed) }
    if type != ShareRecord.recordType { try Naming.checkRecordType(type) }
    return type
  }

  private func delete(
    _ name: String, _ stored: StoredRecord?, _ change: Int64
  ) throws(Refusal) -> Outcome {
    guard let stored else {
      do { try Naming.checkRecordName(name) } catch { throw Refusal(error) }
      return Outcome(written: nil, answer: .deleted(name: name))
    }
    if stored.type == UserRecords.recordType {
      throw Refusal(.badRequest(Reason.userRecordsAreFixed))
    }
    if access.isSharedRoot(stored) {
      throw Refusal(ServerError(.accessDenied, Reason.accessDenied))
    }
    let tombstone = stored.tombstone(change: change, modified: writer.stamp)
    return Outcome(written: tombstone, answer: .deleted(name: name))
  }
}

extension RecordOperation.Kind {
  /// Whether the operation creates a missing record.
  fileprivate var canCreate: Bool {
    switch self {
    case .create, .forceUpdate, .forceReplace: true
    case .update, .replace, .delete, .forceDelete: false
    }
  }
}

extension ParentChange {
  fileprivate func applied(to parent: String?) -> String? {
    switch self {
    case .unchanged: parent
    case .removed: nil
    case .set(let recordName): recordName
    }
  }
}
