public import StratusDomain
public import StratusWire

extension StoreSession {
  public func subscription(
    id: String, of user: String, in database: DatabaseView
  ) throws(ServerError) -> StoredSubscription? {
    guard let number = try number(of: database) else { return nil }
    return try connection.first(
      SubscriptionStatements.find, [.integer(number), .text(user), .text(id)], Self.subscription)
  }

  public func subscriptions(
    of user: String, in database: DatabaseView, limit: Int
  ) throws(ServerError) -> [StoredSubscription] {
    guard limit > 0, let number = try number(of: database) else { return [] }
    return try connection.all(
      SubscriptionStatements.list, [.integer(number), .text(user), .integer(Int64(limit))],
      Self.subscription)
  }

  public func subscriptionCount(
    of user: String, in database: DatabaseView
  ) throws(ServerError) -> Int {
    guard let number = try number(of: database) else { return 0 }
    let values: [SQLValue] = [.integer(number), .text(user)]
    let count = try connection.first(SubscriptionStatements.count, values) { $0.integer(0) }
    return Int(count ?? 0)
  }

  public func subscriptionSizeBytes(
    of user: String, in database: DatabaseView
  ) throws(ServerError) -> Int {
    guard let number = try number(of: database) else { return 0 }
    let values: [SQLValue] = [.integer(number), .text(user)]
    let size = try connection.first(SubscriptionStatements.size, values) { $0.integer(0) }
    return Int(size ?? 0)
  }

  public func subscriptions(
    under key: SubscriptionKey, toZone zone: Int64, in database: DatabaseKey,
    after number: Int64, limit: Int
  ) throws(ServerError) -> [StoredSubscription] {
    guard limit > 0, let database = try self.number(of: database) else { return [] }
    var databases = [database]
    // Shared databases support only database subscriptions.
    if key == .database {
      databases += try connection.all(SubscriptionStatements.participants, [.integer(zone)]) {
        $0.integer(0)
      }
    }
    var found: [StoredSubscription] = []
    for database in databases {
      found += try connection.all(
        SubscriptionStatements.filed,
        [.integer(database), .bytes(key.bytes), .integer(number), .integer(Int64(limit))],
        Self.subscription)
    }
    if databases.count == 1 { return found }
    return Array(found.sorted { $0.number < $1.number }.prefix(limit))
  }

  public func hasSubscription(number: Int64) throws(ServerError) -> Bool {
    try connection.first(SubscriptionStatements.exists, [.integer(number)]) { _ in true } ?? false
  }

  public func newestSubscription() throws(ServerError) -> Int64 {
    try connection.first(SubscriptionStatements.newest, []) { $0.integer(0) } ?? 0
  }

  public func hasReplacement(
    after number: Int64, concerning entry: Int64
  ) throws(ServerError) -> Bool {
    let values: [SQLValue] = [.integer(number), .integer(entry)]
    return try connection.first(SubscriptionStatements.replacement, values) { _ in true } ?? false
  }

  public func watch(of database: DatabaseKey) throws(ServerError) -> Watch {
    guard let number = try number(of: database) else { return Watch() }
    return try readWatch(of: number)
  }

  public func watchForWriting(of database: DatabaseKey) throws(ServerError) -> Watch {
    guard let number = try number(of: database) else { return Watch() }
    return try rememberedWatch(of: number) { () throws(ServerError) in
      try readWatch(of: number)
    }
  }

  public func save(
    _ subscription: Subscription, of user: String, in database: DatabaseView,
    under watchKey: WatchKey
  ) throws(ServerError) {
    guard let id = subscription.id else { throw .fault("a subscription to save has no ID") }
    // NB: the lock comes before the rows that this method changes. A writer of an outbox entry may
    // hold the lock while it waits for such a row.
    try holdOutbox()
    let number = try makeNumber(of: database)
    let since: Int64
    if let replaced = try self.subscription(id: id, of: user, in: database) {
      try removeSubscription(number: replaced.number)
      since = replaced.since
    } else {
      since = try connection.first(SubscriptionStatements.newestEntry, []) { $0.integer(0) } ?? 0
    }
    let subject = StoredSubject(watchKey.subject)
    try connection.queue(
      SubscriptionStatements.insert,
      [.integer(number), .text(user), .text(id), .bytes(watchKey.key.bytes)] + subject.values
        + [.integer(since), .bytes(subscription.jsonBytes)])
    try connection.queue(
      SubscriptionStatements.countUp, [.integer(number)] + subject.values)
    try advanceWatch(of: number)
  }

  /// Waits for the end of all transactions that have taken numbers of outbox entries. A new
  /// subscription reports only entries after the newest number at this time. If an entry with a
  /// lower number became visible later, the subscription would miss its change.
  private func holdOutbox() throws(ServerError) {
    if connection.dialect.sharedKeys == nil { return }
    try connection.queue(SubscriptionStatements.holdOutbox, [])
  }

  @discardableResult
  public func removeSubscription(number: Int64) throws(ServerError) -> Bool {
    let found = try connection.first(SubscriptionStatements.filing, [.integer(number)]) { row in
      (
        database: row.integer(0),
        subject: StoredSubject(
          number: row.integer(1), recordType: row.text(2), field: row.text(3))
      )
    }
    guard let found else { return false }
    try connection.queue(SubscriptionStatements.delete, [.integer(number)])
    try countDown(found.subject, by: 1, in: found.database)
    return true
  }

  /// Removes the subscriptions to a zone, which are deleted together with the zone.
  func removeSubscriptions(toZone zone: Int64, in database: Int64) throws(ServerError) {
    let watch = try rememberedWatch(of: database) { () throws(ServerError) in
      try readWatch(of: database)
    }
    if !watch.watchesZones { return }
    let watchKey = WatchKey.zone(zone)
    let removed = try connection.execute(
      SubscriptionStatements.deleteFiled, [.integer(database), .bytes(watchKey.key.bytes)])
    if removed > 0 { try countDown(StoredSubject(watchKey.subject), by: removed, in: database) }
  }

  private func countDown(
    _ subject: StoredSubject, by count: Int, in database: Int64
  ) throws(ServerError) {
    let key = [.integer(database)] + subject.values
    try connection.queue(SubscriptionStatements.countDown, [.integer(Int64(count))] + key)
    try connection.queue(SubscriptionStatements.removeUncounted, key)
    try advanceWatch(of: database)
  }

  private func readWatch(of number: Int64) throws(ServerError) -> Watch {
    let isCombined = connection.dialect.combinesStatements
    let statement =
      isCombined ? SubscriptionStatements.watchesAndParticipant : SubscriptionStatements.watches
    let values = Array(repeating: SQLValue.integer(number), count: isCombined ? 2 : 1)
    var subjects = try connection.all(statement, values) { row in
      StoredSubject(number: row.integer(0), recordType: row.text(1), field: row.text(2))
    }
    let hasParticipants: Bool
    if isCombined {
      let count = subjects.count
      subjects.removeAll { $0.number == 0 }
      hasParticipants = subjects.count < count
    } else {
      hasParticipants =
        try connection.first(SubscriptionStatements.participant, [.integer(number)]) { _ in true }
        ?? false
    }
    var watch = Watch(try subjects.map { (stored) throws(ServerError) in try stored.subject() })
    watch.hasParticipants = hasParticipants
    return watch
  }

  private static func subscription(_ row: any SQLRow) -> StoredSubscription {
    StoredSubscription(
      number: row.integer(0), user: row.text(1), key: SubscriptionKey(bytes: row.bytes(2)),
      since: row.integer(3), definition: row.bytes(4))
  }
}

/// The stored form of a ``WatchSubject``. The number 1 means the database, 2 means zones, and 3
/// means a record type.
private struct StoredSubject {
  var number: Int64
  var recordType = ""
  /// The field of a query subscription's key. It is empty if all records of the type are watched.
  var field = ""

  init(number: Int64, recordType: String, field: String) {
    self.number = number
    self.recordType = recordType
    self.field = field
  }

  init(_ subject: WatchSubject) {
    switch subject {
    case .database: number = 1
    case .zones: number = 2
    case .records(let type, let field):
      number = 3
      recordType = type
      self.field = field ?? ""
    }
  }

  var values: [SQLValue] { [.integer(number), .text(recordType), .text(field)] }

  func subject() throws(ServerError) -> WatchSubject {
    switch number {
    case 1: return .database
    case 2: return .zones
    case 3: return .records(type: recordType, field: field.isEmpty ? nil : field)
    case _: throw .fault("a watch has an unknown subject", facts: ["subject": String(number)])
    }
  }
}

private enum SubscriptionStatements {
  private static let columns =
    "SELECT subscription, owner, filed_under, since, definition FROM subscriptions"
  static let find = SQLStatement(columns + " WHERE database = ? AND owner = ? AND id = ?")
  static let list = SQLStatement(
    columns + " WHERE database = ? AND owner = ? ORDER BY id LIMIT ?")
  static let filed = SQLStatement(
    columns
      + """
       WHERE database = ? AND filed_under = ? AND subscription > ?
      ORDER BY subscription LIMIT ?
      """)
  /// Reads the shared databases that list a zone.
  ///
  /// NB: `participation <> 0` repeats the condition of the index `listings_shared`, which would
  /// otherwise not be used.
  static let participants = SQLStatement(
    "SELECT database FROM listings WHERE zone = ? AND participation <> 0 AND deleted = 0")
  /// NB: `participation <> 0` repeats the condition of the index `listings_shared`, which would
  /// otherwise not be used.
  static let participant = SQLStatement(participantText + " LIMIT 1")
  private static let participantText = """
    SELECT 1 FROM zones WHERE database = ? AND deleted = 0 AND EXISTS (
      SELECT 1 FROM listings WHERE listings.zone = zones.zone AND participation <> 0
        AND listings.deleted = 0)
    """
  /// Reads the rows of `watches`. If the database has participants, there is a further row with the
  /// number 0, which no subject has.
  static let watchesAndParticipant = SQLStatement(
    """
    SELECT subject, record_type, field FROM watches WHERE database = ?
    UNION ALL SELECT 0, '', '' WHERE EXISTS (\(participantText))
    """)
  static let count = SQLStatement(
    "SELECT COUNT(*) FROM subscriptions WHERE database = ? AND owner = ?")
  static let size = SQLStatement(
    "SELECT SUM(LENGTH(definition)) FROM subscriptions WHERE database = ? AND owner = ?")
  static let exists = SQLStatement("SELECT 1 FROM subscriptions WHERE subscription = ?")
  static let newest = SQLStatement(
    """
    SELECT subscription FROM subscriptions WHERE subscription > 0
    ORDER BY subscription DESC LIMIT 1
    """)
  static let replacement = SQLStatement(
    "SELECT 1 FROM subscriptions WHERE subscription > ? AND since < ? LIMIT 1")
  static let filing = SQLStatement(
    "SELECT database, subject, record_type, field FROM subscriptions WHERE subscription = ?")
  static let newestEntry = SQLStatement { dialect in
    dialect.sharedKeys?.newest("outbox", "entry")
      ?? "SELECT entry FROM outbox ORDER BY entry DESC LIMIT 1"
  }
  static let holdOutbox = SQLStatement { $0.sharedKeys?.hold("outbox") ?? "SELECT 1" }
  static let insert = SQLStatement(
    """
    INSERT INTO subscriptions
      (database, owner, id, filed_under, subject, record_type, field, since, definition)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let delete = SQLStatement("DELETE FROM subscriptions WHERE subscription = ?")
  static let deleteFiled = SQLStatement(
    "DELETE FROM subscriptions WHERE database = ? AND filed_under = ?")
  static let watches = SQLStatement(
    "SELECT subject, record_type, field FROM watches WHERE database = ?")
  static let countUp = SQLStatement(
    """
    INSERT INTO watches (database, subject, record_type, field, count) VALUES (?, ?, ?, ?, 1)
    ON CONFLICT (database, subject, record_type, field) DO UPDATE SET count = watches.count + 1
    """)
  static let countDown = SQLStatement(
    """
    UPDATE watches SET count = count - ?
    WHERE database = ? AND subject = ? AND record_type = ? AND field = ?
    """)
  static let removeUncounted = SQLStatement(
    """
    DELETE FROM watches
    WHERE database = ? AND subject = ? AND record_type = ? AND field = ? AND count <= 0
    """)
}
