import StratusWire

/// The kinds of changes in a database that at least one subscription watches.
public struct Watch: Sendable, Hashable {
  public private(set) var watchesDatabase = false
  public private(set) var watchesZones = false
  /// Whether shared databases contain zones of this database. If so, changes may concern the users
  /// of those shared databases.
  public var hasParticipants = false
  /// The fields whose values query subscriptions require, by record type.
  public private(set) var fields: [String: Set<String>] = [:]
  /// The record types that have query subscriptions without a required field value.
  public private(set) var wholeTypes: Set<String> = []

  public init(_ subjects: some Sequence<WatchSubject> = EmptyCollection()) {
    for subject in subjects {
      switch subject {
      case .database: watchesDatabase = true
      case .zones: watchesZones = true
      case .records(let type, nil): wholeTypes.insert(type)
      case .records(let type, let field?): fields[type, default: []].insert(field)
      }
    }
  }

  public var isEmpty: Bool {
    !watchesDatabase && !watchesZones && !hasParticipants && fields.isEmpty && wholeTypes.isEmpty
  }

  /// Whether query subscriptions watch records of a type.
  func watches(_ recordType: String) -> Bool {
    wholeTypes.contains(recordType) || fields[recordType] != nil
  }

  /// Returns the change to add to the outbox for written records, or nil if no subscription can
  /// watch any of these records.
  ///
  /// - Parameters:
  ///   - records: new states and tombstones. Their change numbers are consecutive and start after
  ///     `zone.change`.
  ///   - old: returns the state of a record before the change.
  func change(
    of records: [StoredRecord], in zone: StoredZone, by origin: ChangeOrigin,
    passages: [Passage] = [], replacing old: (StoredRecord) -> StoredRecord?
  ) -> WatchedChange? {
    if isEmpty || records.isEmpty { return nil }
    let images = records.compactMap { record -> RecordImage? in
      guard watches(record.type) else { return nil }
      let image = RecordImage(before: old(record), after: record.isDeleted ? nil : record)
      return image.newest == nil ? nil : image
    }
    // As Apple documents, zone and database subscriptions do not report changes in the default
    // zone.
    let concernsZone = (concernsDatabases || watchesZones) && !zone.isDefault
    if !concernsZone, images.isEmpty { return nil }
    let range = ChangeRange(after: zone.change, through: zone.change + Int64(records.count))
    let types = concernsZone ? Set(records.map(\.type)).sorted() : []
    return WatchedChange(
      zone: zone,
      event: .recordsChanged(
        range, recordTypes: types, hierarchies: TouchedHierarchy.all(in: passages)), origin: origin,
      images: images)
  }

  /// Returns the keys of the zone and database subscriptions that a change may concern, sorted.
  func keys(of entry: OutboxEntry) -> [SubscriptionKey] {
    if entry.zoneName == ZoneID.defaultZoneName { return [] }
    return (concernsDatabases ? [.database] : []) + (watchesZones ? [.zone(entry.zone)] : [])
  }

  /// Whether a change may concern database subscriptions of the owner or of participants.
  var concernsDatabases: Bool { watchesDatabase || hasParticipants }

  /// Returns the keys of the query subscriptions that a record's change may concern, sorted and
  /// distinct. The keys come from the old and the new values.
  func keys(of states: [RecordValues]) -> [SubscriptionKey] {
    var keys: Set<SubscriptionKey> = []
    for state in states {
      let type = state.record.type
      if wholeTypes.contains(type) { keys.insert(.recordType(type)) }
      for field in fields[type] ?? [] {
        for value in state.values(ofFieldOrSystemField: field) {
          keys.insert(.value(value, of: field, in: type))
        }
      }
    }
    return keys.sorted { $0.precedes($1) }
  }
}

extension RecordValues {
  /// Returns the field's value, or the members of its list.
  fileprivate func values(ofFieldOrSystemField name: String) -> [Scalar] {
    if let system = SystemField(rawValue: name) { return record.scalar(system).map { [$0] } ?? [] }
    guard case .list(_, let members) = fields[name] else {
      return fields[name].flatMap { Scalar($0) }.map { [$0] } ?? []
    }
    return members.compactMap { Scalar($0) }
  }
}

extension StoreWriting {
  /// If database subscriptions may watch a zone, adds the zone's creation or its imminent deletion
  /// to the outbox.
  ///
  /// - Returns: whether an entry was added.
  func saveWord(
    _ event: WatchedChange.Event, of zone: StoredZone, by origin: ChangeOrigin
  ) throws(ServerError) -> Bool {
    guard try watchForWriting(of: zone.database).concernsDatabases, !zone.isDefault else {
      return false
    }
    try add(WatchedChange(zone: zone, event: event, origin: origin))
    return true
  }
}
