import StratusWire

/// The saves and deletes of one request, all in one zone.
struct RecordBatch {
  enum Item: Sendable {
    /// Each record has its own policy.
    case save(CKRecord, CKModifyRecordsOperation.RecordSavePolicy)
    case delete(CKRecord.ID)

    var recordID: CKRecord.ID {
      switch self {
      case .save(let record, _): record.recordID
      case .delete(let recordID): recordID
      }
    }
  }

  let zoneID: CKRecordZone.ID
  var items: [Item]

  /// Groups the items of an operation into one batch for each zone, in the order in which zones
  /// first appear.
  ///
  /// - Throws: `CKError.limitExceeded` if there are more than 400 items, and
  ///   `CKError.invalidArguments` if a record appears twice.
  static func plan(_ items: [Item]) throws(CKError) -> [RecordBatch] {
    guard items.count <= Limits.operationsPerRequestMax else {
      throw CKError.tooLarge(
        "\(items.count) items; one operation accepts at most \(Limits.operationsPerRequestMax)")
    }
    var seen: Set<CKRecord.ID> = []
    var batches: [RecordBatch] = []
    var indices: [CKRecordZone.ID: Int] = [:]
    for item in items {
      let recordID = item.recordID
      guard seen.insert(recordID).inserted else {
        throw CKError.malformed(
          "the record \(recordID.recordName) appears twice in one operation")
      }
      if let position = indices[recordID.zoneID] {
        batches[position].items.append(item)
      } else {
        indices[recordID.zoneID] = batches.count
        batches.append(RecordBatch(zoneID: recordID.zoneID, items: [item]))
      }
    }
    return batches
  }
}

extension RecordBatch {
  /// The names of the records to save.
  fileprivate var savedNames: Set<String> {
    Set(
      items.compactMap { item in
        if case .save(let record, _) = item { record.recordID.recordName } else { nil }
      })
  }
}

extension RecordBatch.Item {
  /// The reason why a share cannot be sent in a batch; nil if the share can be sent, or if the item
  /// is not a share.
  fileprivate func shareError(scope: DatabaseScope, savedNames: Set<String>) -> CKError? {
    guard case .save(let record, _) = self else { return nil }
    let state = record.snapshot
    guard let sharing = state.sharing else { return nil }
    if scope == .public {
      return CKError(.badDatabase, description: "records of the public database cannot be shared")
    }
    guard let root = sharing.rootRecordID?.recordName, state.system.changeTag == nil,
      !savedNames.contains(root)
    else { return nil }
    return CKError.malformed("save the root record '\(root)' in the same operation as its share")
  }
}

/// A batch in its wire form. The items that cannot be sent are stored separately, with their
/// errors.
struct PreparedBatch {
  enum Item: Sendable {
    case save(CKRecord, RecordSave)
    case delete(CKRecord.ID)

    var requested: RecordBatch.Item {
      switch self {
      case .save(let record, let save): .save(record, save.policy)
      case .delete(let recordID): .delete(recordID)
      }
    }

    var operation: RecordOperation {
      switch self {
      case .save(_, let save): save.operation
      case .delete(let recordID): RecordOperation(.forceDelete, recordName: recordID.recordName)
      }
    }
  }

  let zoneID: CKRecordZone.ID
  var items: [Item] = []
  var refused: [(item: RecordBatch.Item, error: CKError)] = []
  /// The places that the server has named for records of the batch; see
  /// ``misplaced(in:isAtomic:)``.
  var namedPlaces: [ExactKey: ExactKey] = [:]
  /// Whether the server has refused items that are not sent again.
  var hasFailed = false

  /// The size of the fields in bytes, without files.
  private(set) var sizeBytes = 0

  /// Prepares a batch. In an atomic batch, one record that cannot be sent stops all others.
  ///
  /// - Parameter scope: the database that the batch is sent to.
  init(_ batch: RecordBatch, isAtomic: Bool, scope: DatabaseScope) {
    zoneID = batch.zoneID
    let prepared = batch.items.mappedOnAllCores(Self.prepare)
    let savedNames = batch.savedNames
    for (item, result) in zip(batch.items, prepared) {
      if let error = item.shareError(scope: scope, savedNames: savedNames) {
        refused.append((item, error))
        continue
      }
      switch result {
      case .success(let (item, size)):
        items.append(item)
        sizeBytes += size
      case .failure(let error): refused.append((item, error))
      }
    }
    refuseAllIfOne(isAtomic)
  }

  private static func prepare(
    _ item: RecordBatch.Item
  ) -> Result<(Item, sizeBytes: Int), CKError> {
    switch item {
    case .delete(let recordID): return .success((.delete(recordID), 0))
    case .save(let record, let policy):
      do throws(CKError) {
        let save = try record.prepareSave(policy: policy)
        return .success((.save(record, save), save.sizeBytes))
      } catch {
        return .failure(error)
      }
    }
  }

  mutating func refuseAllIfOne(_ isAtomic: Bool) {
    guard isAtomic && !refused.isEmpty else { return }
    refused += items.map { ($0.requested, CKError(.batchRequestFailed)) }
    items = []
    sizeBytes = 0
  }

  /// Uploads the files of the batch's records. A record whose files cannot be uploaded is rejected.
  ///
  /// - Throws: the error of the whole request.
  mutating func sendFiles(
    to database: DatabaseCalls, isAtomic: Bool,
    progress: @escaping @Sendable (CKRecord, Double) -> Void
  ) async throws(CKError) {
    var saves: [(position: Int, record: CKRecord, save: RecordSave)] = []
    for (position, item) in items.enumerated() {
      if case .save(let record, let save) = item, !save.assetFields.isEmpty {
        saves.append((position, record, save))
      }
    }
    if saves.isEmpty { return }
    var uploads = AssetUploads(
      of: saves.map { ($0.record, $0.save.assetFields) }, to: zoneID, in: database.live,
      isAtomic: isAtomic)
    let records = saves.map(\.record)
    try await uploads.run { progress(records[$0], $1) }
    let failedIndices = uploads.errors.keys.map { saves[$0].position }
    refused += uploads.errors.sorted { $0.key < $1.key }.map {
      (.save(saves[$0.key].record, saves[$0.key].save.policy), $0.value)
    }
    if !isAtomic || uploads.errors.isEmpty {
      for (index, entry) in saves.enumerated() where uploads.errors[index] == nil {
        var save = entry.save
        try save.attach(to: entry.record.recordID) { field, asset in
          uploads.shipped[AssetUploads.FileIndex(save: index, field: field, asset: asset)]
        }
        items[entry.position] = .save(entry.record, save)
      }
    }
    for position in failedIndices.sorted(by: >) { items.remove(at: position) }
    refuseAllIfOne(isAtomic)
  }
}
