import StratusWire

/// Copies the values of renamed fields and removes dropped fields and record types, in steps. Each
/// step is one transaction, so a crash loses nothing and repeats nothing.
///
/// A changed record gets a new change number, and a record of a dropped type becomes a tombstone.
/// Devices therefore see the change in their feeds. `Choice:` no notification is sent, and a
/// changed record keeps the time and user of its last modification.
public struct ContinueRetirements: Sendable {
  private let store: any Store
  private let ambient: Ambient

  public init(store: any Store, ambient: Ambient) {
    self.store = store
    self.ambient = ambient
  }

  /// The maximum number of rows that a step reads.
  public static let stepMax = Limits.retirementStepRows

  /// Runs one step.
  ///
  /// - Parameter limit: the maximum number of rows to read.
  /// - Returns: whether there may be more to do.
  public func step(limit: Int = Self.stepMax) async throws(ServerError) -> Bool {
    let hasWork = try await store.read { (store) throws(ServerError) in
      let schema = try store.schema()
      return Self.next(in: schema) != nil
    }
    if !hasWork { return false }
    let now = ambient.now()
    return try await store.write { (store) throws(ServerError) in
      let schema = try store.schema()
      guard var work = Self.next(in: schema) else { return false }
      let step = try store.recordsToIndex(
        ofType: work.place.recordType, after: work.cursor, limit: limit)
      // A step changes one zone, since transactions that lock several zones could deadlock.
      let first = step.items.first?.zone
      let items = step.items.prefix { $0.zone == first }
      var end = step.next
      if items.count < step.items.count { end = items.last?.cursor }
      if let first, let zone = try store.lockZone(number: first) {
        try Self.change(items, in: zone, for: work, schema: schema, of: store, now: now)
      }
      if let end {
        work.cursor = end
        try store.set(work)
      } else if work.phase == .removing {
        try store.remove(work.place)
      } else {
        work.cursor = nil
        work.isCopied = true
        try store.set(work)
      }
      return true
    }
  }

  private static func next(in schema: Schema) -> Retirement? {
    if schema.retirements.isEmpty { return nil }
    return schema.retirements.values.filter(\.hasWork).min { $0.place.text < $1.place.text }
  }

  private static func change(
    _ items: some Sequence<IndexBuildStep.Item>, in zone: StoredZone, for work: Retirement,
    schema: Schema, of store: any StoreWriting, now: Int64
  ) throws(ServerError) {
    var records: [StoredRecord] = []
    var rows = RowChanges()
    for item in items {
      let change = zone.change + Int64(records.count) + 1
      guard let new = try changed(item.record, for: work, change: change, now: now) else {
        continue
      }
      try rows.note(new, replacing: item.record, schema: schema)
      records.append(new)
    }
    if records.isEmpty { return }
    try store.touchAssets(releasedBy: rows, now: now)
    try store.apply(ChangeSet(zone: zone, records: records, rows: rows, time: now))
  }

  /// Returns the new state of a record, or nil if the record does not change.
  private static func changed(
    _ record: StoredRecord, for work: Retirement, change: Int64, now: Int64
  ) throws(ServerError) -> StoredRecord? {
    guard let field = work.place.field else {
      let stamp = Stamp(
        timestamp: now, userRecordName: record.modified.userRecordName, deviceID: "1")
      return record.tombstone(change: change, modified: stamp)
    }
    let stored = record
    var record = record
    record.follow(stored, change: change)
    if work.phase == .removing {
      if try record.fields.storedValues(of: [field]).isEmpty { return nil }
      record.fields = try merge([(field, nil)], into: record.fields)
      record.hasAssets = try record.fields.storedValues().contains { $0.value.holdsAsset }
    } else {
      guard let successor = work.successor else { return nil }
      let values = try record.fields.storedValues(of: [field, successor])
      guard let value = values.first(where: { $0.key == field })?.value,
        !values.contains(where: { $0.key == successor })
      else { return nil }
      record.fields = try merge([(successor, value)], into: record.fields)
    }
    return record
  }

  private static func merge(
    _ changes: [(key: String, value: FieldValue?)], into fields: FieldsJSON
  ) throws(ServerError) -> FieldsJSON {
    do { return try fields.merging(changes) } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }
}

extension IndexBuildStep.Item {
  fileprivate var cursor: IndexBuildCursor {
    IndexBuildCursor(database: database, zone: zone, recordName: record.name)
  }
}

extension FieldValue {
  fileprivate var holdsAsset: Bool {
    switch self {
    case .asset: true
    case .list(.asset, let values): !values.isEmpty
    case .list, .string, .int64, .double, .timestamp, .bytes, .location, .reference, .sealed:
      false
    }
  }
}
