#if Postgres
  public import StratusDomain
  import StratusSQL
  import StratusWire
  import Synchronization

  /// The stores of all containers in PostgreSQL. Each store is a schema.
  public final class PostgresStores: StoreCatalog {
    private struct State {
      var schemas: [StoreAddress: String] = [:]
      /// The layouts of the stores that this version is too old for.
      var laterLayouts: [StoreAddress: Int64] = [:]
      /// The damaged stores, and the reasons for the operator.
      var damages: [StoreAddress: String] = [:]
      var isClosed = false
    }

    private let opening: PostgresStoreOpening
    private let pools: PostgresPools
    private let epochs: PlannedEpochs
    private let makeStandIn: @Sendable (_ epoch: Int64) throws(ServerError) -> any Store
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - makeEpoch: returns 64 random bits for a new store.
    ///   - makeStandIn: creates an empty store in memory with a given epoch.
    ///   - report: is called with a sentence for the operator.
    init(
      opening: PostgresStoreOpening, pools: PostgresPools,
      makeEpoch: @escaping @Sendable () -> Int64,
      makeStandIn: @escaping @Sendable (_ epoch: Int64) throws(ServerError) -> any Store,
      report: @escaping @Sendable (String) -> Void
    ) {
      self.opening = opening
      self.pools = pools
      self.makeStandIn = makeStandIn
      self.report = report
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
      state.withLock { state in
        state.schemas[address] != nil || state.laterLayouts[address] != nil
          || state.damages[address] != nil
      }
    }

    /// The stores that a later version has upgraded, so that this version refuses them.
    public var laterStores: [StoreAddress] { state.withLock { Array($0.laterLayouts.keys) } }

    /// The stores whose tables are damaged, so that all nodes refuse them.
    public var damagedStores: [StoreAddress] { state.withLock { Array($0.damages.keys) } }

    /// Returns the size of a store's tables and indexes in bytes, or 0 if it cannot be read.
    public func sizeBytes(ofStore address: StoreAddress) async -> Int64 {
      guard let schema = state.withLock({ $0.schemas[address] }) else { return 0 }
      do throws(ServerError) { return try await opening.sizeBytes(of: schema) } catch { return 0 }
    }

    /// Reads which stores exist, and which of them this version can use.
    public func refresh() async throws(ServerError) {
      let places = try await opening.list()
      let newest = opening.states.layouts.store.newest
      let later = places.filter { $0.value.layout > newest }.mapValues(\.layout)
      let known = places.filter { $0.value.layout <= newest }
      let damages = known.compactMapValues(\.damage)
      let usable = known.filter { $0.value.damage == nil }.mapValues(\.schema)
      let earlier = state.withLock { state in
        let earlier = (later: state.laterLayouts, damages: state.damages)
        state.schemas = usable
        state.laterLayouts = later
        state.damages = damages
        return earlier
      }
      for (address, damage) in damages where earlier.damages[address] != damage {
        report(
          """
          the store of \(address.container) (\(address.environment.rawValue)) is damaged, and its \
          requests fail: \(damage); restore its tables from a backup
          """)
      }
      for (address, layout) in later where earlier.later[address] != layout {
        report(
          """
          the store of \(address.container) (\(address.environment.rawValue)) has layout \
          \(layout), and this version knows layouts up to \(newest): the store is not available at \
          this node; start the later version
          """)
      }
    }

    /// Removes a container's stores. All requests for their data are refused from then on, and the
    /// tables are dropped soon after.
    public func deleteStores(of container: String) async throws(ServerError) {
      try await opening.remove(container)
      state.withLock { state in
        state.schemas = state.schemas.filter { $0.key.container != container }
        state.laterLayouts = state.laterLayouts.filter { $0.key.container != container }
        state.damages = state.damages.filter { $0.key.container != container }
      }
    }

    /// Drops the tables of removed stores. See ``PostgresStoreOpening/dropRemoved()``.
    func dropRemoved() async throws(ServerError) { try await opening.dropRemoved() }

    /// Refuses all later calls.
    public func close() {
      state.withLock { state in
        state.isClosed = true
        state.schemas = [:]
        state.laterLayouts = [:]
        state.damages = [:]
      }
    }

    /// Returns the store itself, for tests.
    func openStore(at address: StoreAddress) async throws(ServerError) -> PostgresStore {
      _ = try await store(at: address)
      guard let schema = try known(address) else { throw PostgresFailure.closed }
      return PostgresStore(engine: PostgresEngine(schema: schema, pools: pools))
    }

    private func known(_ address: StoreAddress) throws(ServerError) -> String? {
      let (schema, later, damage, isClosed) = state.withLock {
        ($0.schemas[address], $0.laterLayouts[address], $0.damages[address], $0.isClosed)
      }
      if isClosed { throw PostgresFailure.closed }
      if let later {
        throw PostgresFailure.tooOld(for: later, newest: opening.states.layouts.store.newest)
      }
      if let damage { throw PostgresFailure.damaged(damage) }
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
      try await write(to: zones, reading: nil, body)
    }

    func write<Value: Sendable>(
      to zones: [ZoneAddress], reading record: String?,
      _ body: @escaping @Sendable (any StoreWriting) throws(ServerError) -> Value
    ) async throws(ServerError) -> Value {
      do throws(ServerError) {
        return try await store.write(to: zones, reading: record, body)
      } catch {
        throw noting(error)
      }
    }

    private func noting(_ error: ServerError) -> ServerError {
      if error.facts["fault"] == PostgresFailure.missingSchema { forget() }
      return error
    }
  }
#endif
