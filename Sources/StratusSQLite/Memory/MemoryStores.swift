public import StratusDomain
public import StratusSQL
import Synchronization

/// A store that is kept in memory.
public typealias MemoryStore = SQLStore<MemoryFile<StoreSession>>

/// The stores of all containers, kept in memory. A store is created when it is first used.
///
/// To simulate a crash, a test discards all other objects of the server. The stores then contain
/// exactly the committed data.
public final class MemoryStores: StoreCatalog {
  private struct State {
    var stores: [StoreAddress: MemoryStore] = [:]
    var isClosed = false
  }

  private let epochs: PlannedEpochs
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// - Parameters:
  ///   - makeEpoch: returns 64 random bits for each new or restored store.
  ///   - now: returns the time in milliseconds since 1970 UTC. If the time never advances, devices
  ///     miss notifications that are queued after a restore.
  public init(
    makeEpoch: @escaping @Sendable () -> Int64, now: @escaping @Sendable () -> Int64 = { 0 }
  ) {
    epochs = PlannedEpochs(makeEpoch: makeEpoch)
    self.now = now
  }

  public func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    let result = state.withLock { state -> Result<MemoryStore, ServerError> in
      if state.isClosed { return .failure(SQLiteFailure.closed) }
      if let store = state.stores[address] { return .success(store) }
      do throws(ServerError) {
        let store = MemoryStore(
          engine: MemoryFile(connection: try connection(to: nil, at: address)))
        state.stores[address] = store
        return .success(store)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  public func storeToRead(
    at address: StoreAddress
  ) async throws(ServerError) -> (store: any Store, isStandIn: Bool) {
    if hasStore(at: address) { return (try await store(at: address), false) }
    return (try Self.emptyStore(epoch: epochs.epoch(at: address), now: now()), true)
  }

  /// Returns a new, empty store that no other caller uses.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  package static func emptyStore(epoch: Int64, now: Int64) throws(ServerError) -> MemoryStore {
    let connection = try connection(to: nil, epoch: epoch, now: now)
    return MemoryStore(engine: MemoryFile(connection: connection))
  }

  /// The stores that were used so far, by address.
  public var openStoresByAddress: [StoreAddress: any Store] {
    state.withLock(\.stores).mapValues { $0 }
  }

  /// The stores that were used so far.
  public var openStores: [any Store] { state.withLock { Array($0.stores.values) } }

  /// Whether a store exists. This method creates no store.
  public func hasStore(at address: StoreAddress) -> Bool {
    state.withLock { $0.stores[address] != nil }
  }

  /// Removes a container's stores.
  public func removeStores(of container: String) {
    let removed = state.withLock { state in
      let addresses = state.stores.keys.filter { $0.container == container }
      return addresses.compactMap { state.stores.removeValue(forKey: $0) }
    }
    for store in removed { store.engine.close() }
  }

  /// Returns a backup of all committed data.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public func backup() throws(ServerError) -> MemoryBackup {
    var backup = MemoryBackup()
    for (address, store) in state.withLock(\.stores) {
      backup.bytes[address] = try store.engine.bytes()
    }
    return backup
  }

  /// Restores a backup into the existing stores, and gives each of them a new epoch. Stores that
  /// are missing in the backup become empty.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public func restore(_ backup: MemoryBackup) throws(ServerError) {
    for (address, store) in state.withLock(\.stores) {
      store.engine.replace(by: try connection(to: backup.bytes[address], at: address))
    }
  }

  /// Refuses all later calls, and frees the memory.
  public func close() {
    let stores = state.withLock { state in
      state.isClosed = true
      defer { state.stores = [:] }
      return Array(state.stores.values)
    }
    for store in stores { store.engine.close() }
  }

  private func connection(
    to bytes: [UInt8]?, at address: StoreAddress
  ) throws(ServerError) -> SQLiteConnection {
    try Self.connection(to: bytes, epoch: epochs.take(at: address), now: now())
  }

  /// Opens a connection to a store with its own epoch.
  ///
  /// - Parameter bytes: the content, or nil for an empty store.
  private static func connection(
    to bytes: [UInt8]?, epoch: Int64, now: Int64
  ) throws(ServerError) -> SQLiteConnection {
    let connection: SQLiteConnection
    if let bytes {
      connection = try MemoryTemplate.connection(to: bytes)
    } else {
      connection = try template.connection()
    }
    do throws(ServerError) {
      try StoreTables.beginTimeline(epoch: epoch, now: now, on: connection)
    } catch {
      connection.close()
      throw error
    }
    return connection
  }

  private static let template = MemoryTemplate { (connection) throws(ServerError) in
    try StoreTables.prepare(on: connection, makeEpoch: { 0 })
  }
}

/// A snapshot of all data in ``MemoryStores``.
public struct MemoryBackup: Sendable {
  fileprivate(set) var bytes: [StoreAddress: [UInt8]] = [:]
}
