public import StratusDomain
public import StratusSQL
import Synchronization

/// A store in memory.
public typealias MemoryStore = SQLStore<MemoryFile<StoreSession>>

/// The stores of all containers in memory, made on first use.
///
/// A server that crashes is played by throwing away everything but these: what was committed is
/// here, and nothing else is.
public final class MemoryStores: StoreCatalog {
  private struct State {
    var stores: [StoreAddress: MemoryStore] = [:]
    var isClosed = false
  }

  private let makeEpoch: @Sendable () -> Int64
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// - Parameters:
  ///   - makeEpoch: draws 64 random bits for a new store, and for one that is restored.
  ///   - now: milliseconds since 1970 UTC. Where it stands still, devices do not hear of what is
  ///     queued after a restore.
  public init(
    makeEpoch: @escaping @Sendable () -> Int64, now: @escaping @Sendable () -> Int64 = { 0 }
  ) {
    self.makeEpoch = makeEpoch
    self.now = now
  }

  public func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    let result = state.withLock { state -> Result<MemoryStore, ServerError> in
      if state.isClosed { return .failure(SQLiteFailure.closed) }
      if let store = state.stores[address] { return .success(store) }
      do throws(ServerError) {
        let store = MemoryStore(
          engine: MemoryFile(connection: try connection(to: nil)))
        state.stores[address] = store
        return .success(store)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The stores in use so far, each by its address.
  public var openStoresByAddress: [StoreAddress: any Store] {
    state.withLock(\.stores).mapValues { $0 }
  }

  /// The stores in use so far.
  public var openStores: [any Store] { state.withLock { Array($0.stores.values) } }

  /// Whether there is a store; none is made.
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

  /// Everything that is committed.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public func backup() throws(ServerError) -> MemoryBackup {
    var backup = MemoryBackup()
    for (address, store) in state.withLock(\.stores) {
      backup.bytes[address] = try store.engine.bytes()
    }
    return backup
  }

  /// Puts everything back to what it was, each store with a new epoch; what the backup does not
  /// have is empty.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  public func restore(_ backup: MemoryBackup) throws(ServerError) {
    for (address, store) in state.withLock(\.stores) {
      store.engine.replace(by: try connection(to: backup.bytes[address]))
    }
  }

  /// Refuses everything from now on, and gives back the memory.
  public func close() {
    let stores = state.withLock { state in
      state.isClosed = true
      defer { state.stores = [:] }
      return Array(state.stores.values)
    }
    for store in stores { store.engine.close() }
  }

  /// A connection to a store with an epoch of its own.
  ///
  /// - Parameter bytes: what it holds; nil: nothing.
  private func connection(to bytes: [UInt8]?) throws(ServerError) -> SQLiteConnection {
    let connection: SQLiteConnection
    if let bytes {
      connection = try MemoryTemplate.connection(to: bytes)
    } else {
      connection = try Self.template.connection()
    }
    do throws(ServerError) {
      try StoreTables.beginTimeline(epoch: makeEpoch(), now: now(), on: connection)
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

/// What ``MemoryStores`` held at one moment.
public struct MemoryBackup: Sendable {
  fileprivate(set) var bytes: [StoreAddress: [UInt8]] = [:]
}
