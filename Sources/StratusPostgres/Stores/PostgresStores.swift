#if Postgres
  public import StratusDomain
  import StratusSQL
  import Synchronization

  /// The stores of all containers in PostgreSQL. Each store is a schema.
  public final class PostgresStores: StoreCatalog {
    private struct State {
      var schemas: [StoreAddress: String] = [:]
      var isClosed = false
    }

    private let opening: PostgresStoreOpening
    private let pools: PostgresPools
    private let epochs: PlannedEpochs
    private let makeStandIn: @Sendable (_ epoch: Int64) throws(ServerError) -> any Store
    private let state = Mutex(State())

    /// - Parameters:
    ///   - makeEpoch: returns 64 random bits for a new store.
    ///   - makeStandIn: creates an empty store in memory with a given epoch.
    init(
      opening: PostgresStoreOpening, pools: PostgresPools,
      makeEpoch: @escaping @Sendable () -> Int64,
      makeStandIn: @escaping @Sendable (_ epoch: Int64) throws(ServerError) -> any Store
    ) {
      self.opening = opening
      self.pools = pools
      self.makeStandIn = makeStandIn
      epochs = PlannedEpochs(makeEpoch: makeEpoch)
    }

    public func store(at address: StoreAddress) async throws(ServerError) -> any Store {
      if let known = try known(address) { return handle(of: known, at: address) }
      // NB: the body that creates the store may run twice and needs the same epoch each time. The
      // planned epoch is therefore forgotten only afterwards.
      let schema = try await opening.open(address, epoch: epochs.epoch(at: address))
      _ = epochs.take(at: address)
      state.withLock { $0.schemas[address] = schema }
      return handle(of: schema, at: address)
    }

    public func storeToRead(
      at address: StoreAddress
    ) async throws(ServerError) -> (store: any Store, isStandIn: Bool) {
      if let known = try known(address) { return (handle(of: known, at: address), false) }
      // Another node may have created the store.
      try await refresh()
      if let known = try known(address) { return (handle(of: known, at: address), false) }
      return (try makeStandIn(epochs.epoch(at: address)), true)
    }

    /// All stores that the node knows. Each node works in all stores, so that work continues after
    /// another node has ended.
    public var openStoresByAddress: [StoreAddress: any Store] {
      var stores: [StoreAddress: any Store] = [:]
      for (address, schema) in state.withLock(\.schemas) {
        stores[address] = handle(of: schema, at: address)
      }
      return stores
    }

    /// Whether the node knows a store. This method creates no store.
    public func hasStore(at address: StoreAddress) -> Bool {
      state.withLock { $0.schemas[address] != nil }
    }

    /// Returns the size of a store's tables and indexes in bytes, or 0 if it cannot be read.
    public func sizeBytes(ofStore address: StoreAddress) async -> Int64 {
      guard let schema = state.withLock({ $0.schemas[address] }) else { return 0 }
      do throws(ServerError) { return try await opening.sizeBytes(of: schema) } catch { return 0 }
    }

    /// Reads which stores exist.
    public func refresh() async throws(ServerError) {
      let schemas = try await opening.list()
      state.withLock { $0.schemas = schemas }
    }

    /// Removes a container's stores with all their data.
    public func deleteStores(of container: String) async throws(ServerError) {
      try await opening.remove(container)
      state.withLock { state in
        state.schemas = state.schemas.filter { $0.key.container != container }
      }
    }

    /// Refuses all later calls.
    public func close() {
      state.withLock { state in
        state.isClosed = true
        state.schemas = [:]
      }
    }

    /// Returns the store itself, for tests.
    func openStore(at address: StoreAddress) async throws(ServerError) -> PostgresStore {
      _ = try await store(at: address)
      guard let schema = try known(address) else { throw PostgresFailure.closed }
      return PostgresStore(engine: PostgresEngine(schema: schema, pools: pools))
    }

    private func known(_ address: StoreAddress) throws(ServerError) -> String? {
      let (schema, isClosed) = state.withLock { ($0.schemas[address], $0.isClosed) }
      if isClosed { throw PostgresFailure.closed }
      return schema
    }

    private func handle(of schema: String, at address: StoreAddress) -> any Store {
      PostgresStoreHandle(
        store: PostgresStore(engine: PostgresEngine(schema: schema, pools: pools))
      ) { [weak self] in
        self?.state.withLock { state in
          if state.schemas[address] == schema { state.schemas[address] = nil }
        }
      }
    }
  }

  /// A store in one schema.
  typealias PostgresStore = SQLStore<PostgresEngine<StoreSession>>

  /// A caller's access to a store. If the schema is missing, because another node has removed the
  /// container, the catalog forgets the schema.
  struct PostgresStoreHandle: Store {
    let store: PostgresStore
    let forget: @Sendable () -> Void

    func read<Value: Sendable>(
      _ body: @escaping @Sendable (any StoreReading) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      do throws(ServerError) { return try await store.read(body) } catch {
        throw noting(error)
      }
    }

    func write<Value: Sendable>(
      _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      try await write(to: [], body)
    }

    func write<Value: Sendable>(
      to zones: [ZoneAddress],
      _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      do throws(ServerError) { return try await store.write(to: zones, body) } catch {
        throw noting(error)
      }
    }

    private func noting(_ error: ServerError) -> ServerError {
      if error.facts["fault"] == PostgresFailure.missingSchema { forget() }
      return error
    }
  }
#endif
