public import StratusDomain

/// A store inside one transaction.
///
/// One stands over each connection and outlives its transactions, to remember what seldom changes.
public final class StoreSession: SQLSession {
  let connection: any SQLConnection
  /// Databases that are known to have a row.
  private var databases: [DatabaseView: Int64] = [:]
  private var knownEpoch: Int64?
  var knownSchema: (version: Int64, schema: Schema)?
  /// What is watched, by database; for write bodies alone.
  private var watches: [Int64: Watch] = [:]
  /// Numbers of records: no row has one from `unused` on, none was drawn from `next` on. nil: not
  /// known.
  var recordNumbers: (unused: Int64, next: Int64)?

  public init(connection: any SQLConnection) { self.connection = connection }

  public func forget() {
    databases.removeAll(keepingCapacity: true)
    watches.removeAll(keepingCapacity: true)
    knownSchema = nil
    knownEpoch = nil
    recordNumbers = nil
  }

  /// A database's number; nil if nothing was ever written to it.
  func number(of database: DatabaseKey) throws(ServerError) -> Int64? {
    try number(of: DatabaseView(ownerOf: database))
  }

  /// As ``number(of:)``, also of a user's shared database, which holds no records.
  func number(of database: DatabaseView) throws(ServerError) -> Int64? {
    if let number = databases[database] { return number }
    let number = try connection.first(Self.findDatabase, Self.values(of: database)) {
      $0.integer(0)
    }
    if let number { remember(number, of: database) }
    return number
  }

  /// A database's number, drawn now if it has none.
  func makeNumber(of database: DatabaseKey) throws(ServerError) -> Int64 {
    try makeNumber(of: DatabaseView(ownerOf: database))
  }

  /// As ``makeNumber(of:)``, also of a user's shared database.
  func makeNumber(of database: DatabaseView) throws(ServerError) -> Int64 {
    if let number = try number(of: database) { return number }
    try connection.execute(Self.insertDatabase, Self.values(of: database))
    guard let number = try number(of: database) else {
      throw .fault("a database that was just made is missing")
    }
    return number
  }

  /// Counts up a database's list of zones.
  ///
  /// - Returns: the new change's number.
  func nextZoneChange(in number: Int64) throws(ServerError) -> Int64 {
    // NB: two statements, since SQLite makes a table of its own for each `RETURNING`.
    try connection.execute(Self.countChange, [.integer(number)])
    let change = try connection.first(Self.readChange, [.integer(number)]) { $0.integer(0) }
    guard let change else { throw .fault("a database has no row") }
    return change
  }

  public func epoch() throws(ServerError) -> Int64 {
    if let knownEpoch { return knownEpoch }
    guard let epoch = try connection.first(Self.readEpoch, [], { $0.integer(0) }) else {
      throw .fault("the store has no epoch")
    }
    knownEpoch = epoch
    return epoch
  }

  /// What is watched of a database, read if it is not remembered.
  ///
  /// NB: right only on the connection that alone writes, which hears of each change by
  /// ``forgetWatch(of:)`` and of each that is undone by ``forget()``.
  func rememberedWatch(
    of number: Int64, reading read: () throws(ServerError) -> Watch
  ) throws(ServerError) -> Watch {
    if let known = watches[number] { return known }
    let watch = try read()
    if watches.count >= Self.databasesRememberedMax { watches.removeAll() }
    watches[number] = watch
    return watch
  }

  func forgetWatch(of number: Int64) { watches[number] = nil }

  private func remember(_ number: Int64, of database: DatabaseView) {
    if databases.count >= Self.databasesRememberedMax { databases.removeAll() }
    databases[database] = number
  }

  private static func values(of database: DatabaseView) -> [SQLValue] {
    switch database {
    case .public: [.integer(0), .text("")]
    case .private(let user): [.integer(1), .text(user)]
    case .shared(let user): [.integer(2), .text(user)]
    }
  }

  /// The database of a row of `databases` that holds zones.
  ///
  /// - Throws: `INTERNAL_ERROR` for other rows.
  static func database(scope: Int64, owner: String) throws(ServerError) -> DatabaseKey {
    switch scope {
    case 0: return .public
    case 1: return .private(owner: owner)
    default: throw .fault("a database has an unknown scope", facts: ["scope": String(scope)])
    }
  }

  /// About 100 bytes each, so 1 MB a connection.
  private static let databasesRememberedMax = 10_000

  private static let findDatabase = SQLStatement(
    "SELECT database FROM databases WHERE scope = ? AND owner = ?")
  private static let insertDatabase = SQLStatement(
    """
    INSERT INTO databases (scope, owner, change) VALUES (?, ?, 0)
    ON CONFLICT (scope, owner) DO NOTHING
    """)
  private static let countChange = SQLStatement(
    "UPDATE databases SET change = change + 1 WHERE database = ?")
  private static let readChange = SQLStatement(
    "SELECT change FROM databases WHERE database = ?")
  private static let readEpoch = SQLStatement("SELECT epoch FROM store")
}

extension StoreSession: StoreWriting {}
