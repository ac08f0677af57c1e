/// All data of one container in one environment.
///
/// Bodies run to completion without suspending. They touch nothing but the store, because a write
/// body may run twice.
public protocol Store: Sendable {
  /// Runs `body` on one consistent state: the newest committed one, or a later one.
  ///
  /// - Throws: what `body` throws; `TRY_AGAIN_LATER` if the store is busy; `INTERNAL_ERROR`.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// Runs `body` in a transaction, alone, and returns when what it wrote is on disk.
  ///
  /// If `body` throws, nothing of what it wrote remains.
  ///
  /// - Throws: as `read`.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value
}

/// What a read body can ask.
public protocol StoreReading:
  ZoneReading, RecordReading, ChangeReading, SchemaReading, IndexReading, LinkReading, AssetReading,
  KeyReading, SubscriptionReading, OutboxReading, NotificationReading, DeviceReading,
  ListingReading
{}

/// What a write body can do; it sees its own writes.
public protocol StoreWriting:
  StoreReading, ZoneWriting, RecordWriting, ChangeWriting, SchemaWriting, IndexWriting, LinkWriting,
  AssetWriting, KeyWriting, SubscriptionWriting, OutboxWriting, NotificationWriting, DeviceWriting,
  ListingWriting
{}

/// The stores of all containers.
public protocol StoreCatalog: Sendable {
  /// The store of a container, opened, and made where there is none.
  ///
  /// - Throws: `INTERNAL_ERROR` if it cannot be opened.
  func store(at address: StoreAddress) async throws(ServerError) -> any Store
}
