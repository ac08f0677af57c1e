import CloudKit

/// A model of CloudKit's rules about records and zones, in memory.
///
/// The model implements the documented rules and shares no code with the server. If the model and
/// the server agree, both are right or have the same error.
struct ModelServer: Sendable {
  struct Record: Sendable, Hashable {
    let type: Int
    var fields: [Int: Value]
    var parent: Int?
    /// A number that changes with every change of the record. It takes the place of the change tag.
    var version: Int
  }

  struct Zone: Sendable {
    /// The moment of the zone's creation. It distinguishes the zone from earlier zones of the same
    /// name.
    let incarnation: Int
    var records: [Int: Record] = [:]
    /// For each record, the moment of its last change or deletion.
    var changes: [Int: Int] = [:]
    /// The types of deleted records.
    var deletedTypes: [Int: Int] = [:]
  }

  /// A counter that increases with every change.
  private(set) var moment = 0
  /// Whether the last modification also deleted records by a cascade.
  private(set) var hasCascaded = false
  private(set) var zones: [Int: Zone] = [0: Zone(incarnation: 0)]
  /// For each zone, the moment of its creation, deletion or last record change.
  private(set) var zoneChanges: [Int: Int] = [:]
  /// For each type and field, the kind of the first saved value.
  private var schema: [Int: [Int: Value.Kind]] = [:]

  var customZones: Set<Int> { Set(zones.keys).subtracting([0]) }

  func record(_ key: RecordKey) -> Record? { zones[key.zone]?.records[key.name] }

  // Zones.

  /// Saving a zone again changes nothing.
  mutating func saveZone(_ zone: Int) {
    guard zones[zone] == nil else { return }
    tick(zone)
    zones[zone] = Zone(incarnation: moment)
  }

  /// - Returns: the error, or nil for success.
  mutating func deleteZone(_ zone: Int) -> CKError.Code? {
    guard zones.removeValue(forKey: zone) != nil else { return .zoneNotFound }
    tick(zone)
    return nil
  }

  private mutating func tick(_ zone: Int) {
    moment += 1
    if zone != 0 { zoneChanges[zone] = moment }
  }

  // Records.

  /// A record that a device sends to the server.
  struct Save: Sendable {
    let key: RecordKey
    let type: Int
    /// The version that belongs to the change tag of the client's record, or nil if it has no tag.
    let version: Int?
    /// All fields of the client's record.
    let fields: [Int: Value]
    /// The fields that were set or cleared since the record was fetched.
    let changed: Set<Int>
    /// The parent of the client's record.
    let parent: Int?
    let hasChangedParent: Bool
  }

  enum Item: Sendable {
    case save(Save)
    case delete(RecordKey)

    var key: RecordKey {
      switch self {
      case .save(let save): save.key
      case .delete(let key): key
      }
    }
  }

  enum Outcome: Sendable, Equatable {
    /// The version of the record after the save.
    case saved(version: Int)
    case deleted
    /// `serverRecord` is nil if the error does not contain the server's record.
    case failed(CKError.Code, serverRecord: Record?)

    var isFailure: Bool {
      switch self {
      case .saved, .deleted: false
      case .failed: true
      }
    }
  }

  /// Carries out an operation. Each zone has its own batch. A batch is atomic if the operation
  /// requests it and the zone is not the default zone.
  mutating func modify(
    _ items: [Item], policy: CKModifyRecordsOperation.RecordSavePolicy, isAtomic: Bool
  ) -> [Outcome] {
    var outcomes = [Outcome](repeating: .deleted, count: items.count)
    var order: [Int] = []
    for item in items where !order.contains(item.key.zone) { order.append(item.key.zone) }
    hasCascaded = false
    for zone in order {
      let places = items.indices.filter { items[$0].key.zone == zone }
      let isWhole = isAtomic && zone != 0
      let before = self
      var violations: Set<Int> = []
      while true {
        self = before
        for place in places {
          outcomes[place] =
            violations.contains(place)
            ? .failed(.referenceViolation, serverRecord: nil) : apply(items[place], policy)
        }
        if isWhole, places.contains(where: { outcomes[$0].isFailure }) { break }
        let accepted = places.filter { !outcomes[$0].isFailure }
        let found = faults(of: accepted.map { ($0, items[$0]) }, policy, before: before)
        if found.isEmpty { break }
        violations.formUnion(found)
      }
      guard isWhole, places.contains(where: { outcomes[$0].isFailure }) else {
        let count = zones[zone]?.records.count
        cascade(from: places.map { items[$0] }, before: before)
        if zones[zone]?.records.count != count { hasCascaded = true }
        continue
      }
      self = before
      for place in places where zones[zone] != nil && !outcomes[place].isFailure {
        outcomes[place] = .failed(.batchRequestFailed, serverRecord: nil)
      }
    }
    return outcomes
  }

  private mutating func apply(
    _ item: Item, _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) -> Outcome {
    guard zones[item.key.zone] != nil else { return .failed(.zoneNotFound, serverRecord: nil) }
    switch item {
    case .delete(let key):
      // The deletion of a missing record succeeds and changes nothing.
      if let record = record(key) { remove(key, record) }
      return .deleted
    case .save(let save): return apply(save, policy)
    }
  }

  /// Removes a record.
  mutating func remove(_ key: RecordKey, _ record: Record) {
    tick(key.zone)
    zones[key.zone]?.records[key.name] = nil
    zones[key.zone]?.changes[key.name] = moment
    zones[key.zone]?.deletedTypes[key.name] = record.type
  }

  private mutating func apply(
    _ save: Save, _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) -> Outcome {
    let stored = record(save.key)
    if policy == .ifServerRecordUnchanged {
      switch (stored, save.version) {
      case (let stored?, let version) where version != stored.version:
        return .failed(.serverRecordChanged, serverRecord: stored)
      case (nil, _?): return .failed(.unknownItem, serverRecord: nil)
      case (_, _): break
      }
    }
    if let stored, stored.type != save.type {
      return .failed(.invalidArguments, serverRecord: nil)
    }
    let sent =
      policy == .allKeys || save.version == nil
      ? save.changed.union(save.fields.keys) : save.changed
    var kinds = schema[save.type] ?? [:]
    var fields = stored?.fields ?? [:]
    for field in sent {
      guard let value = save.fields[field] else {
        fields[field] = nil
        continue
      }
      guard let kept = value.kept(as: kinds[field, default: value.kind]) else {
        return .failed(.invalidArguments, serverRecord: nil)
      }
      fields[field] = kept
      kinds[field] = kept.kind
    }
    schema[save.type] = kinds
    tick(save.key.zone)
    let isRemoved = save.hasChangedParent && save.parent == nil
    let parent = isRemoved ? nil : save.sentParent(policy) ?? stored?.parent
    zones[save.key.zone]?.records[save.key.name] = Record(
      type: save.type, fields: fields, parent: parent, version: moment)
    zones[save.key.zone]?.changes[save.key.name] = moment
    return .saved(version: moment)
  }
}
