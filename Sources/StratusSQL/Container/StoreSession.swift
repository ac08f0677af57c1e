public import StratusDomain

/// The implementation of a store's reads and writes in the transactions of one connection.
///
/// Each connection has one session, which outlives transactions. The session caches data that
/// seldom changes. Other connections may also write. A value is therefore cached only if it never
/// changes, or if each transaction checks its version. The version is read together with other
/// rows.
public final class StoreSession: SQLSession {
  let connection: any SQLConnection
  /// The numbers of databases, which never change.
  private var databases: [DatabaseView: Int64] = [:]
  /// The rows of `databases` that this transaction has read.
  private var states: [Int64: DatabaseState] = [:]
  /// The column `recent_usage` of the zones that this transaction has read.
  private var recentUsage: [Int64: String] = [:]
  /// The kinds of changes in each database that subscriptions watch, with their version. Only write
  /// bodies use this cache.
  private var watches: [Int64: (version: Int64, watch: Watch)] = [:]
  var knownSchema: (version: Int64, schema: Schema)?
  /// The version of the schema, or nil if this transaction has not read it yet.
  var schemaVersion: Int64?
  /// The state of a record that was read together with its zone.
  var readAhead: ReadAhead?
  /// The zones and records that ``readTogether(_:)`` has read for the bodies of this transaction.
  var ahead = ReadTogether()
  var recordNumbers = RecordNumbers()
  /// The kinds of cached values that this transaction has written. If the transaction is undone,
  /// the session discards the cached values of these kinds.
  private var written = Written()

  public init(connection: any SQLConnection) { self.connection = connection }

  public func begin() {
    if !states.isEmpty { states.removeAll(keepingCapacity: true) }
    if !recentUsage.isEmpty { recentUsage.removeAll(keepingCapacity: true) }
    recordNumbers.forgetDrawn()
    schemaVersion = nil
    readAhead = nil
    if !ahead.zones.isEmpty { ahead.zones.removeAll(keepingCapacity: true) }
    written = Written()
  }

  public func forget() {
    recentUsage.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    recordNumbers.forgetDrawn()
    if written.hasDatabase { databases.removeAll(keepingCapacity: true) }
    if written.hasWatch { watches.removeAll(keepingCapacity: true) }
    schemaVersion = nil
    readAhead = nil
    if written.hasSchema { knownSchema = nil }
    if written.hasRecordNumbers { recordNumbers = RecordNumbers() }
  }

  /// Remembers that this transaction wrote a value of one kind.
  func note(_ part: WritableKeyPath<Written, Bool>) { written[keyPath: part] = true }

  struct Written {
    var hasDatabase = false
    var hasWatch = false
    var hasSchema = false
    var hasRecordNumbers = false
  }

  /// The columns of `databases` that are read together with other rows.
  struct DatabaseState {
    var epoch: Int64
    /// The version of the kinds of changes that subscriptions watch. The version increases when
    /// these kinds change.
    var watchVersion: Int64
  }
}

// Databases
extension StoreSession {
  /// Returns a database's number, or nil if nothing was ever written to the database.
  func number(of database: DatabaseKey) throws(ServerError) -> Int64? {
    try number(of: DatabaseView(of: database))
  }

  /// Returns the number of a database, or of the history of a shared database. Returns nil if
  /// nothing was ever written to the database or history.
  func number(of view: DatabaseView) throws(ServerError) -> Int64? {
    if let number = databases[view] { return number }
    let number = try connection.first(DatabaseStatements.find, Self.values(of: view)) {
      $0.integer(0)
    }
    if let number { remember(number, of: view) }
    return number
  }

  /// Returns a database's number. If the database has no number, it gets one.
  func makeNumber(of view: DatabaseView) throws(ServerError) -> Int64 {
    if let number = try number(of: view) { return number }
    note(\.hasDatabase)
    try connection.queue(DatabaseStatements.insert, Self.values(of: view))
    guard let number = try number(of: view) else {
      throw .fault("a database that was just made is missing")
    }
    return number
  }

  func remember(_ number: Int64, of view: DatabaseView) {
    if databases.count >= Self.databasesRememberedMax { databases.removeAll() }
    databases[view] = number
  }

  /// The maximum number of cached databases. Each takes about 100 bytes, so the cache of a
  /// connection needs at most 1 MB.
  private static let databasesRememberedMax = 10_000

  /// Returns the scope and the owner of a database, as its row contains them.
  static func values(of view: DatabaseView) -> [SQLValue] {
    switch view {
    case .public: [.integer(0), .text("")]
    case .private(let user): [.integer(1), .text(user)]
    case .shared(let user): [.integer(2), .text(user)]
    }
  }

  /// Decodes the database of a row of `databases`. A row of a shared database is an error, because
  /// a shared database contains no zones of its own.
  ///
  /// - Throws: `INTERNAL_ERROR` if the scope is neither public nor private.
  static func database(scope: Int64, owner: String) throws(ServerError) -> DatabaseKey {
    switch scope {
    case 0: return .public
    case 1: return .private(owner: owner)
    default: throw .fault("a database has an unknown scope", facts: ["scope": String(scope)])
    }
  }

  public func epoch(of view: DatabaseView) throws(ServerError) -> Int64 {
    if let number = try number(of: view) { return try state(of: number).epoch }
    guard let epoch = try connection.first(DatabaseStatements.storeEpoch, [], { $0.integer(0) })
    else { throw .fault("the store has no epoch") }
    return epoch
  }

  /// Makes this transaction read the rows of `databases` and `zones` again.
  func forgetStates() {
    states.removeAll(keepingCapacity: true)
    recentUsage.removeAll(keepingCapacity: true)
  }

  /// Caches the column `recent_usage` of a zone until the transaction ends.
  func note(recentUsage text: String, of zone: Int64) { recentUsage[zone] = text }

  /// Returns the column `recent_usage` of a zone. Reads it only if this transaction has not yet
  /// read the zone.
  func recentUsage(of zone: Int64) throws(ServerError) -> String {
    if let known = recentUsage[zone] { return known }
    let text = try connection.first(UsageStatements.recent, [.integer(zone)]) { $0.text(0) }
    guard let text else { throw .fault("a zone has no row") }
    return text
  }

  /// Caches columns of `databases` that were read together with another row. The cache is valid
  /// until the transaction ends.
  func note(epoch: Int64, watchVersion: Int64, of number: Int64) {
    states[number] = DatabaseState(epoch: epoch, watchVersion: watchVersion)
  }

  private func state(of number: Int64) throws(ServerError) -> DatabaseState {
    if let known = states[number] { return known }
    let state = try connection.first(DatabaseStatements.state, [.integer(number)]) {
      DatabaseState(epoch: $0.integer(0), watchVersion: $0.integer(1))
    }
    guard let state else { throw .fault("a database has no row") }
    states[number] = state
    return state
  }
}

// Kinds of changes that subscriptions watch
extension StoreSession {
  /// Returns the kinds of changes in a database that subscriptions watch. Reads them if the cached
  /// version is outdated.
  func rememberedWatch(
    of number: Int64, reading read: () throws(ServerError) -> Watch
  ) throws(ServerError) -> Watch {
    let version = try state(of: number).watchVersion
    if let known = watches[number], known.version == version { return known.watch }
    let watch = try read()
    if watches.count >= Self.databasesRememberedMax { watches.removeAll() }
    watches[number] = (version, watch)
    return watch
  }

  /// The version of the cached kinds of watched changes in a database, or -1 if none are cached.
  func watchVersion(of view: DatabaseView) -> Int64 {
    guard let number = databases[view], let known = watches[number] else { return -1 }
    return known.version
  }

  /// Remembers that nothing in a database was watched in a version.
  func noteUnwatched(_ number: Int64, version: Int64) {
    if let known = watches[number], known.version == version { return }
    if watches.count >= Self.databasesRememberedMax { watches.removeAll() }
    watches[number] = (version, Watch())
  }

  /// Makes every session read again which kinds of changes in a database are watched.
  func advanceWatch(of number: Int64) throws(ServerError) {
    note(\.hasWatch)
    try connection.queue(
      DatabaseStatements.advanceWatch, [.integer(number)],
      expecting: .one(otherwise: "a database has no row"))
    states[number] = nil
    watches[number] = nil
  }
}

private enum DatabaseStatements {
  static let find = SQLStatement(
    "SELECT database FROM databases WHERE scope = ? AND owner = ?")
  /// Inserts a database with the epoch of the store.
  ///
  /// NB: `WHERE TRUE` tells SQLite that no join condition follows.
  static let insert = SQLStatement(
    """
    INSERT INTO databases (scope, owner, change, epoch) SELECT ?, ?, 0, epoch FROM store
    WHERE TRUE ON CONFLICT (scope, owner) DO NOTHING
    """)
  static let state = SQLStatement(
    "SELECT epoch, watch_version FROM databases WHERE database = ?")
  static let advanceWatch = SQLStatement(
    "UPDATE databases SET watch_version = watch_version + 1 WHERE database = ?")
  static let storeEpoch = SQLStatement("SELECT epoch FROM store")
}

extension StoreSession: StoreWriting {}
