public import StratusDomain
import StratusWire

extension StoreSession {
  public func outboxEntries(limit: Int) throws(ServerError) -> [OutboxEntry] {
    guard limit > 0 else { return [] }
    var entries: [OutboxEntry] = []
    try connection.run(OutboxStatements.list, [.integer(Int64(limit))]) {
      (row) throws(ServerError) in
      entries.append(try Self.entry(row))
      return true
    }
    return entries
  }

  public func recordImage(
    at position: Int, of entry: Int64
  ) throws(ServerError) -> RecordImage? {
    var image = RecordImage(before: nil, after: nil)
    var isThere = false
    var reader = RecordReader()
    try connection.run(
      OutboxStatements.records, [.integer(entry), .integer(Int64(position))]
    ) { (row) throws(ServerError) in
      isThere = true
      let record = reader.record(row)
      if row.integer(RecordColumns.count) == 0 {
        image.before = record
      } else {
        image.after = record
      }
      return true
    }
    return isThere ? image : nil
  }

  public func add(_ change: WatchedChange) throws(ServerError) {
    let zone = change.zone
    let number = try requiredNumber(of: zone)
    let event = StoredEvent(change.event)
    // See `holdOutbox`.
    if connection.dialect.sharedKeys != nil {
      try connection.queue(OutboxStatements.share, [])
    }
    let entry = try connection.insert(
      OutboxStatements.insert,
      [.integer(number), .integer(zone.id), .text(zone.name)] + event.values + [
        .integer(change.origin.time), .text(change.origin.user),
        .optional(change.origin.deviceID), .text(change.origin.notificationID),
        .integer(Int64(change.images.count)),
      ])
    for (position, image) in change.images.enumerated() {
      for (state, record) in [image.before, image.after].enumerated() {
        guard let record else { continue }
        // NB: `values` expects the record's zone and database. In their place, the table
        // `outbox_records` has the numbers of the state and of the image.
        try connection.queue(
          OutboxStatements.insertRecord,
          [.integer(entry)]
            + values(
              of: record, in: Int64(state), of: Int64(position), number: record.number))
      }
    }
  }

  public func setCursor(_ cursor: OutboxCursor, of entry: Int64) throws(ServerError) {
    try connection.queue(
      OutboxStatements.setCursor,
      [
        .integer(Int64(cursor.position)), .bytes(cursor.key.bytes), .integer(cursor.subscription),
        .integer(entry),
      ])
  }

  public func removeOutboxEntry(_ entry: Int64) throws(ServerError) {
    try connection.queue(OutboxStatements.removeRecords, [.integer(entry)])
    try connection.queue(OutboxStatements.remove, [.integer(entry)])
  }

  private static func entry(_ row: any SQLRow) throws(ServerError) -> OutboxEntry {
    var cursor: OutboxCursor?
    if !row.isNull(13) {
      cursor = OutboxCursor(
        position: Int(row.integer(13)), key: SubscriptionKey(bytes: row.bytes(14)),
        subscription: row.integer(15))
    }
    return OutboxEntry(
      number: row.integer(0),
      database: try database(scope: row.integer(1), owner: row.text(2)), zone: row.integer(3),
      zoneName: row.text(4),
      event: try StoredEvent(
        number: row.integer(5), after: row.integer(6), through: row.integer(7),
        recordTypes: row.text(8), hierarchies: row.text(17)
      ).event(),
      origin: ChangeOrigin(
        user: row.text(10), deviceID: row.optionalText(11), notificationID: row.text(12),
        time: row.integer(9)),
      imageCount: Int(row.integer(16)), cursor: cursor)
  }
}

/// The stored form of a ``WatchedChange/Event``. The number 1 means that records changed, 2 that
/// the zone was created, 3 that the zone was deleted, and 4 that the participation of a user
/// changed.
private struct StoredEvent {
  var number: Int64
  var after: Int64 = 0
  var through: Int64 = 0
  /// Record types, separated by spaces. Record types are identifiers and contain no space. If the
  /// participation of a user changed, this text is the user's record name.
  var recordTypes = ""
  /// One line for each shared hierarchy, with the name of its root, a tab, and the record types.
  /// Names contain no control characters.
  var hierarchies = ""

  init(
    number: Int64, after: Int64, through: Int64, recordTypes: String, hierarchies: String
  ) {
    self.hierarchies = hierarchies
    self.number = number
    self.after = after
    self.through = through
    self.recordTypes = recordTypes
  }

  init(_ event: WatchedChange.Event) {
    switch event {
    case .recordsChanged(let range, let types, let hierarchies):
      number = 1
      after = range.after
      through = range.through
      recordTypes = types.joined(separator: " ")
      self.hierarchies = hierarchies.map {
        $0.rootName + "\t" + $0.recordTypes.joined(separator: " ")
      }.joined(separator: "\n")
    case .zoneMade: number = 2
    case .zoneDeleted: number = 3
    case .participationChanged(let user):
      number = 4
      recordTypes = user
    }
  }

  var values: [SQLValue] {
    [
      .integer(number), .integer(after), .integer(through), .text(recordTypes),
      .text(hierarchies),
    ]
  }

  func event() throws(ServerError) -> WatchedChange.Event {
    switch number {
    case 1:
      return .recordsChanged(
        ChangeRange(after: after, through: through),
        recordTypes: recordTypes.split(separator: " ").map(String.init),
        hierarchies: hierarchies.split(separator: "\n").map { line in
          let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
          return TouchedHierarchy(
            rootName: String(parts[0]),
            recordTypes: parts.count < 2 ? [] : parts[1].split(separator: " ").map(String.init))
        })
    case 2: return .zoneMade
    case 3: return .zoneDeleted
    case 4: return .participationChanged(user: recordTypes)
    case _: throw .fault("an outbox entry has an unknown event", facts: ["event": String(number)])
    }
  }
}

private enum OutboxStatements {
  static let list = SQLStatement(
    """
    SELECT outbox.entry, databases.scope, databases.owner, outbox.zone, outbox.zone_name,
      outbox.event, outbox.first_after, outbox.last, outbox.record_types, outbox.changed_at,
      outbox.changed_by, outbox.changed_device, outbox.notification_id, outbox.at_position,
      outbox.at_key, outbox.at_subscription, outbox.images,
      outbox.hierarchies
    FROM outbox JOIN databases ON databases.database = outbox.database
    ORDER BY outbox.entry LIMIT ?
    """)
  static let records = SQLStatement(
    """
    SELECT \(RecordColumns.list), state FROM outbox_records WHERE entry = ? AND position = ?
    """)
  static let share = SQLStatement { $0.sharedKeys?.share("outbox") ?? "SELECT 1" }
  static let insert = SQLStatement(
    inserting: """
      INSERT INTO outbox (
        database, zone, zone_name, event, first_after, last, record_types, hierarchies, changed_at,
        changed_by, changed_device, notification_id, images)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, key: "entry")
  static let insertRecord = SQLStatement(
    """
    INSERT INTO outbox_records (
      entry, position, state, name, type, change, deleted, created_at, created_by, created_device,
      modified_at, modified_by, modified_device, parent, fields, assets, revision, record)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let setCursor = SQLStatement(
    "UPDATE outbox SET at_position = ?, at_key = ?, at_subscription = ? WHERE entry = ?")
  static let removeRecords = SQLStatement("DELETE FROM outbox_records WHERE entry = ?")
  static let remove = SQLStatement("DELETE FROM outbox WHERE entry = ?")
}
