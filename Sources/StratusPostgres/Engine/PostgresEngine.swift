#if Postgres
  public import StratusDomain
  public import StratusSQL

  /// A schema in PostgreSQL, with the connections of this node.
  public struct PostgresEngine<Session: SQLSession>: SQLEngine {
    let schema: String
    let pools: PostgresPools

    public func read<Value: Sendable>(
      _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      let result = await withCheckedContinuation { continuation in
        pools.readers.add(
          PostgresBody<Session, Value>(in: schema, body, continuation: continuation))
      }
      return try result.get()
    }

    public func write<Value: Sendable>(
      _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      try await write(locking: [], body)
    }

    /// NB: equal keys must give the same lock on every node and in every version of Stratus.
    /// Otherwise two nodes would run bodies of the same zone at the same time, which is correct but
    /// slow.
    ///
    /// The keys of the zones of one database have a common beginning. So in a transaction with
    /// several bodies, the order of their keys is also an order of the databases, and two such
    /// transactions change the rows of `databases` in the same order.
    public func write<Value: Sendable>(
      locking keys: [String],
      _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      try await write(locking: keys, reading: nil, body)
    }

    /// A body with a wish is short (``Store/write(to:reading:_:)``), so it may share a transaction
    /// with the bodies of other zones.
    public func write<Value: Sendable>(
      locking keys: [String], reading wish: ReadWish?,
      _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      let locks = Set(keys.map { PostgresLockNumber.zone($0, in: schema) }).sorted()
      let result = await withCheckedContinuation { continuation in
        pools.writers.add(
          PostgresBody<Session, Value>(
            in: schema, locks: locks, order: keys.min() ?? "", wish: wish, body,
            continuation: continuation))
      }
      return try result.get()
    }
  }

  /// The connections of a node.
  struct PostgresPools: Sendable {
    let readers: PostgresPool
    let writers: PostgresPool

    func close() async {
      await readers.close()
      await writers.close()
    }
  }

  /// The numbers of advisory locks.
  enum PostgresLockNumber {
    /// The lock of bodies with this key.
    static func zone(_ key: String, in schema: String) -> Int64 { of(["zone", schema, key]) }

    /// The lock for the list of stores of an installation. A node also holds it while the node
    /// enters, and while it changes the layout of a store.
    static func stores(of installation: String) -> Int64 { zone(storesKey, in: installation) }

    /// The key of bodies that hold the lock for the list of stores.
    static let storesKey = "stores"

    /// Returns the number of a lock: the FNV-1a hash of its parts. Two locks with the same number
    /// exclude each other, which does no harm.
    static func of(_ parts: [String]) -> Int64 {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for part in parts {
        for byte in part.utf8 + [0] {
          hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
      }
      return Int64(bitPattern: hash)
    }
  }
#endif
