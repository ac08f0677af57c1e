import StratusTransport
import StratusWire

/// Saves and deletes records, with one request for each zone.
struct RecordModification: Sendable {
  let database: DatabaseCalls
  let isAtomic: Bool
  let clientChangeToken: String?
  /// Called with the upload progress of a record's files. The number is less than 1.
  let progress: @Sendable (CKRecord, Double) -> Void
  /// Called with the result of an item. A saved record has its new change tag.
  let deliver: @Sendable (RecordBatch.Item, CKError?) -> Void

  /// Saves all records under one policy; see ``run(_:)``.
  func run(
    saving records: [CKRecord], policy: CKModifyRecordsOperation.RecordSavePolicy,
    deleting recordIDs: [CKRecord.ID]
  ) async throws(CKError) {
    try await run(
      records.map { .save($0, policy) } + recordIDs.map(RecordBatch.Item.delete))
  }

  /// Runs the modification. Errors of single items or zones are passed to ``deliver``.
  ///
  /// - Throws: the error of the whole operation. In that case some items are not delivered.
  func run(_ items: [RecordBatch.Item]) async throws(CKError) {
    let batches = try RecordBatch.plan(items)
    if batches.isEmpty { return }
    let prepared = batches.map {
      PreparedBatch($0, isAtomic: isAtomic, scope: database.scope)
    }
    let size = prepared.reduce(0) { $0 + $1.sizeBytes }
    guard size <= Limits.operationSizeBytesMax else {
      throw CKError.tooLarge(
        "\(size) bytes; one operation accepts at most \(Limits.operationSizeBytesMax)")
    }
    let naming = try await database.naming()
    for (index, batch) in prepared.enumerated() {
      var batch = batch
      let step = "batch \(index)"
      do throws(CKError) {
        if !database.hasAnswer(ModifyRecords.self, name: step) {
          try await batch.sendFiles(to: database, isAtomic: isAtomic, progress: progress)
          try await batch.seal(for: database, isAtomic: isAtomic)
        }
      } catch {
        guard error.concernsZone else { throw error }
        for (item, error) in batch.refused { deliver(item, error) }
        for item in batch.items { deliver(item.requested, error) }
        continue
      }
      for (item, error) in batch.refused { deliver(item, error) }
      if !batch.items.isEmpty { try await send(batch, step, naming: naming) }
    }
  }

  /// The maximum number of times that the values of one batch are sealed, if the server refuses
  /// their keys.
  private static let attemptsMax = 3

  /// - Parameter step: identifies the batch among the saved steps of a long-lived operation. The
  ///   request itself cannot identify the batch, because the request changes if values are
  ///   encrypted again.
  private func send(
    _ batch: PreparedBatch, _ step: String, naming: UserNaming, attempt: Int = 1
  ) async throws(CKError) {
    let operations = batch.items.map(\.operation)
    // The client knows the fields, so it requests only the values that the server sets.
    let request = ModifyRecords.Request(
      zoneID: batch.zoneID.wire, operations: operations, isAtomic: isAtomic,
      selection: FieldSelection(desiredKeys: []),
      // NB: the server must not store the token after a request for the rest of a failed batch.
      clientChangeToken: batch.hasFailed ? nil : clientChangeToken)
    let isIdempotent = operations.allSatisfy(\.kind.isForced)
    let response: RecordsResponse
    do throws(CKError) {
      response = try await database.send(
        ModifyRecords.self, request, isIdempotent: isIdempotent, step: step)
    } catch {
      if error.isUnknownZoneKey, batch.hasEncryptedFields, attempt < Self.attemptsMax {
        // The zone was created again, or its keys were reset or retired, after this device fetched
        // the zone's keys.
        database.path.keyRing?.forget(batch.zoneID.wire)
        return try await sealAnew(batch, step, naming: naming, attempt: attempt + 1)
      }
      guard error.concernsZone else { throw error }
      for item in batch.items { deliver(item.requested, error) }
      return
    }
    var items = batch.items
    if response.records.count < items.count, database.steps?.isResumed == true {
      items = withoutUnsent(items, response)
    }
    guard response.records.count == items.count else { throw CKError.badAnswer }
    var again = batch
    let misplaced =
      attempt < Self.attemptsMax
      ? again.misplaced(in: response.records, isAtomic: isAtomic) : []
    for (position, result) in response.records.enumerated() where !misplaced.contains(position) {
      try await take(result, of: items[position], naming: naming)
    }
    if misplaced.isEmpty { return }
    again.items = misplaced.sorted().map { items[$0] }
    try await sealAnew(again, step + " again", naming: naming, attempt: attempt + 1)
  }

  /// Returns the items that the earlier process has sent. The other items, for example records
  /// whose files could not be uploaded, are delivered with `CKError.assetFileNotFound`.
  private func withoutUnsent(
    _ items: [PreparedBatch.Item], _ response: RecordsResponse
  ) -> [PreparedBatch.Item] {
    let names = Set(response.records.map { Array($0.recordName.utf8) })
    return items.filter { item in
      let isSent = names.contains(Array(item.requested.recordID.recordName.utf8))
      if !isSent { deliver(item.requested, CKError(.assetFileNotFound)) }
      return isSent
    }
  }

  /// Encrypts the values again, and sends the batch again.
  ///
  /// - Parameters:
  ///   - step: as for ``send(_:_:naming:attempt:)``. It is another step than that of the first
  ///     attempt if the server has answered the first attempt.
  ///   - attempt: the number of the new attempt. The first attempt of a batch has the number 1.
  private func sealAnew(
    _ batch: PreparedBatch, _ step: String, naming: UserNaming, attempt: Int
  ) async throws(CKError) {
    var batch = batch
    let refusedBefore = batch.refused.count
    do throws(CKError) {
      if !database.hasAnswer(ModifyRecords.self, name: step) {
        try await batch.seal(for: database, isAtomic: isAtomic)
      }
    } catch {
      guard error.concernsZone else { throw error }
      for item in batch.items { deliver(item.requested, error) }
      return
    }
    for (item, error) in batch.refused.dropFirst(refusedBefore) { deliver(item, error) }
    if batch.items.isEmpty { return }
    try await send(batch, step, naming: naming, attempt: attempt)
  }

  private func take(
    _ result: RecordItem, of item: PreparedBatch.Item, naming: UserNaming
  ) async throws(CKError) {
    switch (item, result) {
    case (.save(let record, let save), .failure(let failure)):
      let error = CKError(failure, saving: record, naming: naming)
      if error.code == .invalidArguments {
        // The server may have lost the uploaded files, so the next save uploads them again.
        for (asset, _) in save.assets { asset.receipt = nil }
      }
      if let serverRecord = error.serverRecord {
        // NB: a failed decryption must not throw here, because other items are committed and wait
        // for their results. The values then stay unreadable.
        try? await database.openValues(of: [serverRecord])
      }
      deliver(item.requested, error)
    case (.delete, .failure(let failure)): deliver(item.requested, CKError(failure.error))
    case (.save(let record, let save), .record(let dictionary)):
      record.adoptSaved(dictionary, of: save, naming: naming)
      if let share = record as? CKShare { await database.findSecret(of: share) }
      deliver(item.requested, nil)
    case (.delete, .deleted), (.delete, .record): deliver(item.requested, nil)
    case (.save, .deleted): throw CKError.badAnswer
    }
  }
}

extension RecordItem {
  fileprivate var recordName: String {
    switch self {
    case .record(let record): record.recordName
    case .deleted(let tombstone): tombstone.recordName
    case .failure(let failure): failure.recordName
    }
  }
}

extension RecordOperation.Kind {
  /// Whether the server compares no change tag, so that repeating the operation is safe.
  var isForced: Bool {
    switch self {
    case .forceUpdate, .forceReplace, .forceDelete: true
    case .create, .update, .replace, .delete: false
    }
  }
}
