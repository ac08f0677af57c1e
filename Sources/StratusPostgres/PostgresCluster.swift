#if Postgres
  import Foundation
  public import StratusDomain
  public import StratusSQL
  import StratusWire
  import Synchronization

  /// The registry of the installation in PostgreSQL.
  public typealias PostgresRegistry = SQLRegistry<PostgresEngine<RegistrySession>>

  /// A node's part of an installation in PostgreSQL: the node's connections, the stores, the
  /// registry, and the state that the node shares with other nodes.
  public final class PostgresCluster: Sendable {
    /// The parts that a node gets from its process.
    public struct Surroundings: Sendable {
      /// The name of the node. No two starts of a node have the same name.
      public var node: String
      public var version: String
      /// Returns the time in milliseconds since 1970 UTC.
      public var now: @Sendable () -> Int64
      /// Returns 64 random bits for the epoch of a store.
      public var makeEpoch: @Sendable () -> Int64
      /// Creates an empty store in memory, for reads of a store that does not exist.
      public var makeStandIn: @Sendable (_ epoch: Int64) throws(ServerError) -> any Store
      /// Is called with sentences for the operator.
      public var report: @Sendable (String) -> Void

      public init(
        node: String, version: String, now: @escaping @Sendable () -> Int64,
        makeEpoch: @escaping @Sendable () -> Int64,
        makeStandIn: @escaping @Sendable (_ epoch: Int64) throws(ServerError) -> any Store,
        report: @escaping @Sendable (String) -> Void
      ) {
        self.node = node
        self.version = version
        self.now = now
        self.makeEpoch = makeEpoch
        self.makeStandIn = makeStandIn
        self.report = report
      }
    }

    /// The name of this node.
    public let node: String
    public let registry: PostgresRegistry
    public let stores: PostgresStores
    public let locks: PostgresWorkLocks
    /// The turns of the nodes to make backups.
    public let backupTurns: PostgresBackupTurns
    private let pools: PostgresPools
    private let autocommit: PostgresAutocommit
    private let bus: PostgresSignalBus
    let presence: PostgresPresence
    let upgrades: PostgresUpgrades
    private let beating: Task<Void, Never>
    private let upgrading: Task<Void, Never>
    private let dropping: Task<Void, Never>

    /// The layouts of a node, and the control over its upgrades that tests need.
    struct Upgrading: Sendable {
      var layouts = PostgresLayouts.present
      /// Whether the node advances upgrades by itself.
      var isAutomatic = true
      /// See ``PostgresUpgrades/interrupt``.
      var interrupt: @Sendable (_ step: Int64) throws(ServerError) -> Void = { _ in }
    }

    /// Connects to the cluster, and creates the tables of the installation if there are none.
    ///
    /// - Parameter leaseAheadMilliseconds: the time that is added to the clock of leases, for
    ///   tests.
    /// - Throws: `INTERNAL_ERROR` or `TRY_AGAIN_LATER`, with the reason in its facts and a hint.
    public convenience init(
      settings: PostgresSettings, surroundings: Surroundings,
      leaseAheadMilliseconds: @escaping @Sendable () -> Int64 = { 0 }
    ) async throws(ServerError) {
      try await self.init(
        settings: settings, surroundings: surroundings,
        leaseAheadMilliseconds: leaseAheadMilliseconds, upgrading: Upgrading())
    }

    /// Connects a node that may know other layouts.
    init(
      settings: PostgresSettings, surroundings: Surroundings,
      leaseAheadMilliseconds: @escaping @Sendable () -> Int64, upgrading plan: Upgrading
    ) async throws(ServerError) {
      node = surroundings.node
      let (url, schema, node) = (settings.url, settings.schema, surroundings.node)
      let states = LayoutStates(installation: schema, layouts: plan.layouts)
      let offline = PostgresOfflineUpgrade(
        states: states, makeEpoch: surroundings.makeEpoch, now: surroundings.now)
      let timelines = PostgresTimelines(
        schema: schema, states: states, makeEpoch: surroundings.makeEpoch,
        now: surroundings.now, report: surroundings.report)
      let commits = PostgresCommits(node: node, schema: schema)
      let singles = PostgresPool(
        name: "stratus-auto", threadsMax: 1, waitingMax: settings.waitingMax
      ) { name in
        PostgresAutocommitWorker(
          connector: PostgresConnector(name: name, url: url) { (connection) throws(ServerError) in
            try PostgresCluster.prepare(connection, settings: settings, offline)
            try timelines.check(connection)
          })
      }
      let upgraders = PostgresPool(
        name: "stratus-upgrade", threadsMax: 1, waitingMax: settings.waitingMax
      ) { name in
        PostgresAutocommitWorker(
          connector: PostgresConnector(name: name, url: url) { (connection) throws(ServerError) in
            try timelines.check(connection)
            // NB: the creation of an index waits for all earlier transactions, and blocks nothing.
            try connection.define("SET lock_timeout = 0;")
          })
      }
      let readers = PostgresPool(
        name: "stratus-read", threadsMax: settings.readersMax, waitingMax: settings.waitingMax
      ) { name in
        PostgresReader(
          connector: PostgresConnector(name: name, url: url) { (connection) throws(ServerError) in
            try timelines.check(connection)
            connection.layouts = states
          })
      }
      let writers = PostgresPool(
        name: "stratus-write", threadsMax: settings.writersMax, waitingMax: settings.waitingMax,
        now: surroundings.now
      ) { name in
        let connector = PostgresConnector(name: name, url: url) {
          (connection) throws(ServerError) in
          try timelines.check(connection)
          try commits.register(connection)
          connection.layouts = states
        }
        let number = name.split(separator: "-").last.flatMap { Int($0) } ?? 0
        return PostgresWriter(connector: connector, commits: commits, number: number)
      }
      let autocommit = PostgresAutocommit(pool: singles, schema: schema)
      let heartbeat = PostgresHeartbeat(
        autocommit: autocommit,
        entry: PostgresEntry(node: node, version: surroundings.version, states: states),
        timelines: timelines)
      let pools = PostgresPools(readers: readers, writers: writers)
      let opening = PostgresStoreOpening(
        schema: schema, pools: pools, states: states, now: surroundings.now)
      let stores = PostgresStores(
        opening: opening, pools: pools, makeEpoch: surroundings.makeEpoch,
        makeStandIn: surroundings.makeStandIn, report: surroundings.report)
      let upgrades = PostgresUpgrades(
        states: states, pools: pools, own: upgraders, autocommit: autocommit,
        interrupt: plan.interrupt)
      let bus = PostgresSignalBus(autocommit: autocommit, node: node)
      do throws(ServerError) {
        // NB: the first heartbeat is written before the first writer registers. Otherwise another
        // node could take the writer's row for the row of an ended node.
        try await heartbeat.beat()
        try await PostgresCluster.checkReplication(autocommit, timelines, settings: settings)
        try await stores.refresh()
      } catch {
        await pools.close()
        // NB: the row of a node that does not start would delay upgrades until it is removed.
        do throws(ServerError) { try await heartbeat.end() } catch {}
        await singles.close()
        throw error
      }
      bus.listen(on: url)
      registry = PostgresRegistry(engine: PostgresEngine(schema: schema, pools: pools))
      let locks = PostgresWorkLocks(
        autocommit: autocommit, node: node, shutOut: { heartbeat.shutOut },
        aheadMilliseconds: leaseAheadMilliseconds)
      self.locks = locks
      backupTurns = PostgresBackupTurns(
        locks: locks, autocommit: autocommit, node: node,
        aheadMilliseconds: leaseAheadMilliseconds)
      self.stores = stores
      self.pools = pools
      self.autocommit = autocommit
      self.bus = bus
      self.upgrades = upgrades
      let presence = PostgresPresence(
        heartbeat: heartbeat, stores: stores, pools: pools, report: surroundings.report)
      let upgrading = Task.detached {
        guard plan.isAutomatic, plan.layouts.haveUpgrades else { return }
        await PostgresCluster.work("an upgrade waits", report: surroundings.report) {
          () async throws(ServerError) in
          _ = try await upgrades.advance()
        }
      }
      let dropping = Task.detached {
        await PostgresCluster.work(
          "the tables of a deleted container are not dropped yet", report: surroundings.report
        ) { () async throws(ServerError) in
          try await stores.dropRemoved()
        }
      }
      beating = Task.detached {
        await presence.run()
        // NB: a node that is shut out has no connections for this work any more.
        upgrading.cancel()
        dropping.cancel()
      }
      self.presence = presence
      self.upgrading = upgrading
      self.dropping = dropping
    }

    /// Returns the signals about one kind of work, such as `changes`.
    ///
    /// - Parameter toOthersOnly: whether this node's signals go only to other nodes. This node then
    ///   receives only the signals of other nodes.
    public func signals(_ kind: String, toOthersOnly: Bool = false) -> PostgresSignals {
      bus.signals(kind, toOthersOnly: toOthersOnly)
    }

    /// Returns all nodes of the installation.
    public func nodes() async throws(ServerError) -> [PostgresNode] {
      try await heartbeat.nodes()
    }

    /// Returns the unfinished online upgrades of the tables.
    public func unfinishedUpgrades() async throws(ServerError) -> PostgresUpgradeList {
      try await upgrades.unfinished()
    }

    /// The number of nodes that do not drain, as the last heartbeat found them. It is at least 1.
    public var activeNodesCount: Int { heartbeat.activeCount.load(ordering: .relaxed) }

    var heartbeat: PostgresHeartbeat { presence.heartbeat }

    /// Whether this node refuses all requests, because another node has removed its row in `nodes`,
    /// and it cannot work beside the present nodes or on the present tables.
    public var isShutOut: Bool { heartbeat.shutOut != nil }

    /// Waits until the node is shut out, and returns the reason. Returns nil if the task is
    /// cancelled, or after ``close()``. Only one caller may wait.
    public func waitUntilShutOut() async -> ServerError? { await presence.waitUntilShutOut() }

    /// Tells the other nodes that this node will end.
    public func drain() async throws(ServerError) { try await heartbeat.drain() }

    /// Finishes the waiting bodies, refuses new ones, and closes all connections.
    public func close() async {
      dropping.cancel()
      upgrading.cancel()
      await upgrades.close()
      await upgrading.value
      await dropping.value
      beating.cancel()
      await beating.value
      presence.close()
      bus.close()
      stores.close()
      await pools.close()
      // If this fails, the other nodes remove the rows after a while.
      do throws(ServerError) { try await heartbeat.end() } catch {}
      await autocommit.pool.close()
    }

    /// Repeats a step of background work until the task is cancelled.
    ///
    /// - Parameters:
    ///   - waiting: the beginning of the sentence that reports a failure. The following failures
    ///     are not reported until the step succeeds.
    private static func work(
      _ waiting: String, report: @Sendable (String) -> Void,
      _ step: @Sendable () async throws(ServerError) -> Void
    ) async {
      var hasFailed = false
      while !Task.isCancelled {
        do throws(ServerError) {
          try await step()
          hasFailed = false
        } catch {
          // NB: `close()` interrupts the present step, which is no news for the operator.
          if Task.isCancelled { return }
          if !hasFailed { report("\(waiting): \(error.reason) \(error.facts)") }
          hasFailed = true
        }
        do { try await Task.sleep(for: pause) } catch { return }
      }
    }

    /// The pause after which background work is tried again.
    private static let pause = Duration.seconds(3)

    /// - Throws: `INTERNAL_ERROR` if a failover may lose acknowledged writes.
    private static func checkReplication(
      _ autocommit: PostgresAutocommit, _ timelines: PostgresTimelines, settings: PostgresSettings
    ) async throws(ServerError) {
      if settings.allowsLoss { return }
      let mayLose = try await autocommit.run { (session) throws(ServerError) in
        try timelines.mayLoseWrites(on: session.connection)
      }
      guard mayLose else { return }
      var error = ServerError.fault("PostgreSQL has standbys, and commits do not wait for them")
      error.hint = """
        set synchronous_standby_names, for example to 'ANY 1 (*)', or start with \
        --postgres-allow-loss; all change tokens then expire with each failover
        """
      throw error
    }
  }
#endif
