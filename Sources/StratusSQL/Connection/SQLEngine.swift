public import StratusDomain

/// A connection inside a transaction, with a cache that outlives the transaction. Other connections
/// may write between two transactions of this connection.
public protocol SQLSession: AnyObject, SendableMetatype {
  init(connection: any SQLConnection)

  /// Prepares the session for a new transaction. At this time, the cache contains only values of
  /// committed transactions.
  func begin()

  /// Removes the values of an undone transaction from the cache. Other values may be removed, too.
  func forget()

  /// Reads at once what several bodies of the present transaction will read first. The session
  /// keeps the values while the writes of the transaction leave them valid. The method is called
  /// before the bodies run.
  func readTogether(_ wishes: [ReadWish]) throws(ServerError)
}

extension SQLSession {
  public func begin() {}
  public func readTogether(_ wishes: [ReadWish]) throws(ServerError) {}
}

/// The zone that a body will read first, and the record whose latest state it will read. Neither
/// need exist.
public struct ReadWish: Sendable {
  public var database: DatabaseKey
  public var zone: String
  public var record: String

  public init(database: DatabaseKey, zone: String, record: String) {
    self.database = database
    self.zone = zone
    self.record = record
  }
}

/// Runs bodies in transactions.
public protocol SQLEngine<Session>: Sendable {
  associatedtype Session: SQLSession

  /// See ``Store/read(_:)``.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// See ``Store/write(_:)``.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// See ``Store/write(to:_:)``.
  ///
  /// - Parameter keys: a text for each zone. Equal texts mean the same zone.
  func write<Value: Sendable>(
    locking keys: [String],
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// See ``Store/write(to:reading:_:)``.
  func write<Value: Sendable>(
    locking keys: [String], reading wish: ReadWish?,
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value
}

extension SQLEngine {
  /// Ignores the zones. An engine with one writer needs no locks.
  public func write<Value: Sendable>(
    locking keys: [String],
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await write(body)
  }

  public func write<Value: Sendable>(
    locking keys: [String], reading wish: ReadWish?,
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await write(locking: keys, body)
  }
}
