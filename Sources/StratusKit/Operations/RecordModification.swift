import StratusTransport
import StratusWire

/// Saves and deletes records: a request for each zone.
struct RecordModification: Sendable {
  let database: DatabaseCalls
  let isAtomic: Bool
  let clientChangeToken: String?
  /// How far the files of a record are, below 1.
  let progress: @Sendable (CKRecord, Double) -> Void
  /// Takes what became of an item; a record that was saved has its new change tag.
  let deliver: @Sendable (RecordBatch.Item, CKError?) -> Void

  /// Saves all records by one policy; see ``run(_:)``.
  func run(
    saving records: [CKRecord], policy: CKModifyRecordsOperation.RecordSavePolicy,
    deleting recordIDs: [CKRecord.ID]
  ) async throws(CKError) {
    try await run(
      records.map { .save($0, policy) } + recordIDs.map(RecordBatch.Item.delete))
  }

  /// Does it; what concerns an item, or its zone, is delivered.
  ///
  /// - Throws: what the whole failed with; then not every item is delivered.
  func run(_ items: [RecordBatch.Item]) async throws(CKError) {
    let batches = try RecordBatch.plan(items)
    if batches.isEmpty { return }
    let prepared = batches.map { PreparedBatch($0, isAtomic: isAtomic) }
    let size = prepared.reduce(0) { $0 + $1.sizeBytes }
    guard size <= Limits.operationSizeBytesMax else {
      throw CKError.tooLarge(
        "\(size) bytes; one operation takes \(Limits.operationSizeBytesMax)")
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

  /// - Parameter step: names the batch in what is written down of a long-lived operation: its
  ///   values may be sealed anew, and then the request differs.
  private func send(
    _ batch: PreparedBatch, _ step: String, naming: UserNaming, isSealedAnew: Bool = false
  ) async throws(CKError) {
    let operations = batch.items.map(\.operation)
    // The fields are known: only what the server adds to them is asked for.
    let request = ModifyRecords.Request(
      zoneID: batch.zoneID.wire, operations: operations, isAtomic: isAtomic,
      selection: FieldSelection(desiredKeys: []), clientChangeToken: clientChangeToken)
    let isIdempotent = operations.allSatisfy(\.kind.isForced)
    let response: RecordsResponse
    do throws(CKError) {
      response = try await database.send(
        ModifyRecords.self, request, isIdempotent: isIdempotent, step: step)
    } catch {
      if error.isUnknownZoneKey, batch.hasEncryptedFields, !isSealedAnew {
        return try await sealAnew(batch, step, naming: naming)
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
    for (item, result) in zip(items, response.records) {
      try await take(result, of: item, naming: naming)
    }
  }

  /// Leaves out the records of an answered request that had not been sent, since their files could
  /// not be.
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

  /// The zone was deleted and made again, or its keys were reset, since this device learnt its key.
  private func sealAnew(
    _ batch: PreparedBatch, _ step: String, naming: UserNaming
  ) async throws(CKError) {
    database.path.keyRing?.forget(batch.zoneID.wire)
    var batch = batch
    let refusedBefore = batch.refused.count
    try await batch.seal(for: database, isAtomic: isAtomic)
    for (item, error) in batch.refused.dropFirst(refusedBefore) { deliver(item, error) }
    if batch.items.isEmpty { return }
    try await send(batch, step, naming: naming, isSealedAnew: true)
  }

  private func take(
    _ result: RecordItem, of item: PreparedBatch.Item, naming: UserNaming
  ) async throws(CKError) {
    switch (item, result) {
    case (.save(let record, let save), .failure(let failure)):
      let error = CKError(failure, saving: record, naming: naming)
      if error.code == .invalidArguments {
        // It may be that the server knows nothing of the files any more: send them next time.
        for (asset, _) in save.assets { asset.receipt = nil }
      }
      if let serverRecord = error.serverRecord {
        // NB: other items are committed and wait for their results; the values stay unread.
        try? await database.openValues(of: [serverRecord])
      }
      deliver(item.requested, error)
    case (.delete, .failure(let failure)): deliver(item.requested, CKError(failure.error))
    case (.save(let record, let save), .record(let dictionary)):
      record.adoptSaved(dictionary, of: save, naming: naming)
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
  /// Whether the server compares no change tag, so that a second time is the same as the first.
  var isForced: Bool {
    switch self {
    case .forceUpdate, .forceReplace, .forceDelete: true
    case .create, .update, .replace, .delete: false
    }
  }
}
