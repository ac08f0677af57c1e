public import StratusDomain

/// All data of one container in one environment, in an SQL engine.
public struct SQLStore<Engine: SQLEngine>: Store where Engine.Session == StoreSession {
  public let engine: Engine

  /// - Parameter engine: an engine whose tables ``StoreTables`` has prepared.
  public init(engine: Engine) { self.engine = engine }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await engine.read { (session) throws(ServerError) in try body(session) }
  }

  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await engine.write { (session) throws(ServerError) in try body(session) }
  }

  public func write<Value: Sendable>(
    to zones: [ZoneAddress],
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await write(to: zones, reading: nil, body)
  }

  public func write<Value: Sendable>(
    to zones: [ZoneAddress], reading record: String?,
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    let keys = zones.map { zone in
      switch zone.database {
      case .public: "public/\(zone.name)"
      case .private(let owner): "private/\(owner)/\(zone.name)"
      }
    }
    var wish: ReadWish?
    if let record, zones.count == 1 {
      wish = ReadWish(database: zones[0].database, zone: zones[0].name, record: record)
    }
    return try await engine.write(locking: keys, reading: wish) { (session) throws(ServerError) in
      try body(session)
    }
  }
}
