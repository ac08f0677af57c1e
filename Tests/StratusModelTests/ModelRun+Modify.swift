import CloudKit

extension ModelRun {
  /// A record that a device is about to save.
  private struct Draft {
    let record: CKRecord
    let save: ModelServer.Save
    /// The version from which the record was edited.
    let ancestor: Int?
  }

  private typealias Answer = (
    saves: [CKRecord.ID: Result<CKRecord, any Error>],
    deletions: [CKRecord.ID: Result<Void, any Error>]
  )

  mutating func modify(_ modification: Modification, on device: Int) async throws {
    let drafts = modification.edits.map { draft($0, on: device) }
    let items =
      drafts.map { ModelServer.Item.save($0.save) }
      + modification.deletions.map(ModelServer.Item.delete)
    let isSingle = modification.form == .single && items.count == 1
    let policy: CKModifyRecordsOperation.RecordSavePolicy =
      isSingle ? .ifServerRecordUnchanged : modification.policy
    let database = devices[device].database
    let result = await outcome {
      try await send(
        drafts.map(\.record), modification, policy, isSingle: isSingle, to: database)
    }
    // An operation that names a record twice fails as a whole.
    guard Set(items.map(\.key)).count == items.count else {
      try Mismatch.require(
        result.code == .invalidArguments, "an operation that names a record twice: \(result.text)")
      sightings.insert(.recordGivenTwice)
      return
    }
    guard case .success(let answer) = result else {
      throw Mismatch("the operation failed as a whole: \(result.text)")
    }
    let outcomes = model.modify(
      items, policy: policy, isAtomic: isSingle || modification.isAtomic)
    try Mismatch.require(
      answer.saves.count == drafts.count
        && answer.deletions.count == modification.deletions.count,
      "\(answer.saves.count) + \(answer.deletions.count) results of \(items.count)")
    if model.hasCascaded { sightings.insert(.cascade) }
    for case .failed(let code, _) in outcomes {
      if let sighting = Sighting(code) { sightings.insert(sighting) }
    }
    for (draft, outcome) in zip(drafts, outcomes) {
      guard let found = answer.saves[draft.record.recordID] else {
        throw Mismatch("no result for \(draft.save.key)")
      }
      try compare(
        found, with: outcome, of: draft, adopts: modification.adoptsConflicts, on: device)
    }
    for (key, outcome) in zip(modification.deletions, outcomes.dropFirst(drafts.count)) {
      guard let found = answer.deletions[place.recordID(key)] else {
        throw Mismatch("no result for \(key)")
      }
      try compare(found, with: outcome, of: key)
    }
  }

  private func draft(_ edit: Edit, on device: Int) -> Draft {
    let copy: ModelDevice.Copy? =
      switch edit.origin {
      case .held: devices[device].copies[edit.key]
      case .older: devices[device].olderCopies[edit.key]
      case .fresh: nil
      }
    let type = copy?.type ?? edit.type
    let record =
      (copy?.record.copy() as? CKRecord)
      ?? CKRecord(recordType: place.recordType(type), recordID: place.recordID(edit.key))
    var fields = copy?.fields ?? [:]
    var changed: Set<Int> = []
    for (field, value) in edit.sets {
      record.set(value, field: field)
      fields[field] = value
      // Clearing a field in a record that was never saved is not a change.
      if value != nil || copy != nil { changed.insert(field) }
    }
    var parent = copy?.parent
    switch edit.parent {
    case .unchanged: break
    case .removed:
      record.parent = nil
      parent = nil
    case .set(let name):
      record.setParent(record.neighbour(name))
      parent = name
    }
    let save = ModelServer.Save(
      key: edit.key, type: type, version: copy?.version, fields: fields, changed: changed,
      parent: parent, hasChangedParent: edit.parent != .unchanged)
    return Draft(record: record, save: save, ancestor: copy?.version)
  }

  private func send(
    _ records: [CKRecord], _ modification: Modification,
    _ policy: CKModifyRecordsOperation.RecordSavePolicy, isSingle: Bool, to database: CKDatabase
  ) async throws -> Answer {
    let deletions = modification.deletions.map(place.recordID)
    if isSingle, let record = records.first {
      return ([record.recordID: await outcome { try await database.save(record) }], [:])
    }
    if isSingle, let recordID = deletions.first {
      let result = await outcome { try await database.deleteRecord(withID: recordID) }
      return ([:], [recordID: result.map { _ in }])
    }
    switch modification.form {
    case .single, .convenience:
      let results = try await database.modifyRecords(
        saving: records, deleting: deletions, savePolicy: policy,
        atomically: modification.isAtomic)
      return (results.saveResults, results.deleteResults)
    case .operation:
      return try await withCheckedThrowingContinuation { continuation in
        let operation = CKModifyRecordsOperation(
          recordsToSave: records, recordIDsToDelete: deletions)
        operation.savePolicy = policy
        operation.isAtomic = modification.isAtomic
        var answer: Answer = ([:], [:])
        operation.perRecordSaveBlock = { answer.saves[$0] = $1 }
        operation.perRecordDeleteBlock = { answer.deletions[$0] = $1 }
        operation.modifyRecordsResultBlock = { result in
          continuation.resume(with: result.map { answer })
        }
        database.add(operation)
      }
    }
  }

  private mutating func compare(
    _ found: Result<CKRecord, any Error>, with outcome: ModelServer.Outcome, of draft: Draft,
    adopts: Bool, on device: Int
  ) throws {
    let key = draft.save.key
    switch (found, outcome) {
    case (.success(let record), .saved(let version)):
      // The saved record has the change tag of the server's current version.
      try check(
        record, key,
        is: ModelServer.Record(
          type: draft.save.type, fields: draft.save.fields, parent: draft.save.parent,
          version: version),
        "saved \(key)")
      devices[device].hold(
        ModelDevice.Copy(
          record: record, type: draft.save.type, fields: draft.save.fields,
          parent: draft.save.parent, version: version),
        key)
    case (.failure(let error as CKError), .failed(let code, let serverRecord))
    where error.code == code:
      guard code == .serverRecordChanged, let serverRecord else { return }
      try checkConflict(error, with: serverRecord, of: draft)
      guard adopts, let record = error.serverRecord else { return }
      devices[device].hold(
        ModelDevice.Copy(
          record: record, type: serverRecord.type, fields: serverRecord.fields,
          parent: serverRecord.parent, version: serverRecord.version), key)
    case (_, _): throw Mismatch("saving \(key): \(found.text), expected \(outcome)")
    }
  }

  /// A conflict contains the server's record, the client's record and their common ancestor.
  private mutating func checkConflict(
    _ error: CKError, with serverRecord: ModelServer.Record, of draft: Draft
  ) throws {
    let key = draft.save.key
    guard let found = error.serverRecord else {
      throw Mismatch("the conflict of \(key) has no server record")
    }
    try check(found, key, is: serverRecord, "the server record in the conflict of \(key)")
    try Mismatch.require(
      error.clientRecord === draft.record, "the conflict of \(key) has another client record")
    guard let version = draft.ancestor else { return }
    try Mismatch.require(
      error.ancestorRecord?.recordChangeTag == tags.tag(key, version: version),
      "the conflict of \(key) has another ancestor record")
  }

  private func compare(
    _ found: Result<Void, any Error>, with outcome: ModelServer.Outcome, of key: RecordKey
  ) throws {
    switch (found, outcome) {
    case (.success, .deleted): return
    case (.failure(let error as CKError), .failed(let code, _)) where error.code == code: return
    case (_, _): throw Mismatch("deleting \(key): \(found.text), expected \(outcome)")
    }
  }
}
