/// The store of all data of one container in one environment.
///
/// The bodies of ``read(_:)`` and ``write(_:)`` run to completion without suspending. They access
/// nothing but the store, because a write body may run twice.
public protocol Store: Sendable {
  /// Runs `body` on one consistent state: the newest state when the method is called, or a later
  /// one.
  ///
  /// - Throws: the errors of `body`; `TRY_AGAIN_LATER` if the store is busy; `INTERNAL_ERROR`.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// Runs `body` in a transaction, isolated from all other bodies. Returns when its writes are on
  /// disk.
  ///
  /// If `body` throws, none of its writes remain.
  ///
  /// - Throws: the same errors as `read`.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// Runs `body` like ``write(_:)``. The zones only make it faster: a store with several writers
  /// runs the bodies of one zone one after the other, so that they do not conflict.
  ///
  /// - Parameter zones: the zones that `body` locks.
  /// - Throws: the same errors as `read`.
  func write<Value: Sendable>(
    to zones: [ZoneAddress],
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// Runs `body` like ``write(to:_:)``. The name of a record only makes it faster: a store across a
  /// network may read what several bodies need at once, and may run these bodies in one
  /// transaction.
  ///
  /// - Parameter record: the record of the only zone whose latest state `body` reads first, or nil.
  ///   A body with such a record is short.
  /// - Throws: the same errors as `read`.
  func write<Value: Sendable>(
    to zones: [ZoneAddress], reading record: String?,
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value
}

extension Store {
  public func write<Value: Sendable>(
    to zones: [ZoneAddress], reading record: String?,
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await write(to: zones, body)
  }

  public func write<Value: Sendable>(
    to zones: [ZoneAddress],
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await write(body)
  }
}

/// The operations of a read body.
public protocol StoreReading:
  ZoneReading, RecordReading, ChangeReading, SchemaReading, IndexReading, LinkReading, AssetReading,
  KeyReading, SubscriptionReading, OutboxReading, NotificationReading, DeviceReading,
  ListingReading, SpaceReading, LackReading, UsageReading,
  SharingReading, ShareLinkReading, VersionReading
{}

/// The operations of a write body. A write body sees its own writes.
public protocol StoreWriting:
  StoreReading, ZoneWriting, RecordWriting, ChangeWriting, SchemaWriting, IndexWriting, LinkWriting,
  AssetWriting, KeyWriting, SubscriptionWriting, OutboxWriting, NotificationWriting, DeviceWriting,
  ListingWriting, SpaceWriting, LackWriting, UsageWriting,
  SharingWriting, ShareLinkWriting, VersionWriting, UserRowsWriting
{}

/// The stores of all containers.
public protocol StoreCatalog: Sendable {
  /// Returns the open store that contains the rows of a database. A missing store is created.
  ///
  /// Today, one store holds all databases of a container in one environment. A catalog that
  /// distributes databases over several stores would choose the store by the database's owner.
  ///
  /// - Throws: `INTERNAL_ERROR` if the store cannot be opened.
  func store(
    of database: DatabaseKey, at address: StoreAddress
  ) async throws(ServerError) -> any Store

  /// Returns the open store for data that a container's databases have in common: the schema,
  /// indexes, settings and files. A missing store is created.
  ///
  /// - Throws: `INTERNAL_ERROR` if the store cannot be opened.
  func store(at address: StoreAddress) async throws(ServerError) -> any Store

  /// Returns the store of a container for a request that only reads. A missing store is not
  /// created. Instead, the result is an empty stand-in, which forgets what is written to it. Change
  /// tokens of the stand-in stay valid if the store is created later.
  ///
  /// - Throws: the same errors as ``store(at:)``.
  func storeToRead(
    at address: StoreAddress
  ) async throws(ServerError) -> (store: any Store, isStandIn: Bool)
}

extension StoreCatalog {
  public func storeToRead(
    at address: StoreAddress
  ) async throws(ServerError) -> (store: any Store, isStandIn: Bool) {
    (try await store(at: address), false)
  }
}

extension StoreCatalog {
  public func store(
    of database: DatabaseKey, at address: StoreAddress
  ) async throws(ServerError) -> any Store {
    try await store(at: address)
  }
}
