#if Postgres
  import StratusDomain
  import StratusSQL
  import Synchronization

  /// Upgrades the tables of all stores and of the registry while nodes use them.
  ///
  /// One node at a time does this work. It can stop at any point, and any node of the same version
  /// continues.
  final class PostgresUpgrades: Sendable {
    let states: LayoutStates
    let pools: PostgresPools
    /// The pool of one connection, which holds the lock of the upgrades and creates indexes.
    let own: PostgresPool
    private let autocommit: PostgresAutocommit
    /// Is called with the number of a step, in each transaction of an upgrade.
    let interrupt: @Sendable (_ step: Int64) throws(ServerError) -> Void
    /// The process of PostgreSQL that creates an index, or nil if there is none.
    let process = Mutex<Int64?>(nil)
    private let isClosed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - own: a pool of one connection without a time-out of locks.
    ///   - interrupt: throws an error to undo a transaction, for tests.
    init(
      states: LayoutStates, pools: PostgresPools, own: PostgresPool,
      autocommit: PostgresAutocommit,
      interrupt: @escaping @Sendable (_ step: Int64) throws(ServerError) -> Void
    ) {
      self.states = states
      self.pools = pools
      self.own = own
      self.autocommit = autocommit
      self.interrupt = interrupt
    }

    private var installation: PostgresEngine<PostgresSession> {
      PostgresEngine(schema: states.installation, pools: pools)
    }

    /// Advances each upgrade as far as possible.
    ///
    /// - Returns: whether all upgrades of this version are complete. Otherwise another node works
    ///   on them, or nodes of the earlier version run.
    /// - Throws: the first error. The upgrades of other schemas have advanced nevertheless.
    func advance() async throws(ServerError) -> Bool {
      guard states.layouts.haveUpgrades else { return true }
      let found = try await installation.read { [states] (session) throws(ServerError) in
        try states.all(on: session.connection)
      }
      let open = found.filter { isOpen($0.state, in: $0.schema) }.map(\.schema)
      if open.isEmpty { return true }
      guard try await takeLock() else { return false }
      let result = await advance(open)
      await releaseLock()
      return try result.get()
    }

    /// Returns the unfinished upgrades.
    func unfinished() async throws(ServerError) -> PostgresUpgradeList {
      try await installation.read { [states] (session) throws(ServerError) in
        try states.unfinished(on: session.connection)
      }
    }

    /// Cancels the creation of an index, and closes the connection.
    func close() async {
      isClosed.store(true, ordering: .relaxed)
      while let running = process.withLock({ $0 }) {
        // If the process has ended in the meantime, there is nothing to cancel.
        do throws(ServerError) {
          try await autocommit.run { (session) throws(ServerError) in
            _ = try session.connection.first(UpgradeStatements.cancel, [.integer(running)]) { _ in
              true
            }
          }
        } catch {}
        do { try await Task.sleep(for: .milliseconds(100)) } catch { break }
      }
      await own.close()
    }

    /// Whether the node is closing, so that no further step begins.
    var mustStop: Bool { isClosed.load(ordering: .relaxed) || Task.isCancelled }

    private func isOpen(_ state: LayoutState, in schema: String) -> Bool {
      let kind = states.layouts.kind(of: schema, in: states.installation)
      guard kind.upgrade != nil else { return false }
      return state.layout == kind.newest - 1 || state.target == kind.newest
    }

    private func advance(_ schemas: [String]) async -> Result<Bool, ServerError> {
      var isComplete = true
      var failure: ServerError?
      for schema in schemas {
        do throws(ServerError) {
          if try await !advance(schema) { isComplete = false }
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { return .failure(failure) }
      return .success(isComplete)
    }

    /// Advances the upgrade of one schema.
    ///
    /// - Returns: whether the upgrade is complete.
    private func advance(_ schema: String) async throws(ServerError) -> Bool {
      let kind = states.layouts.kind(of: schema, in: states.installation)
      guard let upgrade = kind.upgrade else { return true }
      let steps = upgrade.steps
      while !mustStop {
        let found = try await installation.read { [states] (session) throws(ServerError) in
          try states.state(of: schema, on: session.connection)
        }
        // The state of a removed store is missing.
        guard let state = found, isOpen(state, in: schema) else { return true }
        let part = Part(schema: schema, state: state, target: kind.newest)
        let next = Int(clamping: state.step)
        if state.layout < kind.newest, next >= upgrade.expand.count {
          if try await !changeLayout(part) { return false }
        } else if steps.indices.contains(next) {
          try await run(steps[next], part)
        } else {
          try await finish(part)
        }
      }
      return false
    }

    /// Increases the layout, so that nodes of the earlier version can use the tables no more.
    ///
    /// - Returns: false if such nodes run.
    private func changeLayout(_ part: Part) async throws(ServerError) -> Bool {
      let isRegistry = part.schema == states.installation
      let newest = isRegistry ? UpgradeStatements.registryNewest : UpgradeStatements.storeNewest
      let mayChange = try await installation.read { (session) throws(ServerError) in
        try session.connection.first(newest, []) { $0.integer(0) } ?? 0 >= part.target
      }
      guard mayChange else { return false }
      return try await installation.write(locking: [PostgresLockNumber.storesKey]) {
        [states, interrupt] (session) throws(ServerError) in
        let connection = session.connection
        // NB: a node may have entered since the first check. Now the lock excludes this.
        let common = try connection.first(newest, []) { $0.integer(0) } ?? 0
        guard common >= part.target else { return false }
        let next = LayoutState(layout: part.target, target: part.target, step: part.state.step)
        guard try states.replace(part.state, by: next, of: part.schema, on: connection) else {
          return true
        }
        let table = isRegistry ? "registry" : "store"
        try connection.define(
          "UPDATE \"\(part.schema)\".\(table) SET layout = \(part.target);")
        try interrupt(part.state.step)
        return true
      }
    }

    private func takeLock() async throws(ServerError) -> Bool {
      let number = Self.lock(of: states.installation)
      return try await PostgresAutocommit(pool: own, schema: states.installation).run {
        (session) throws(ServerError) in
        try Self.hasLock(number, on: session.connection)
      }
    }

    /// NB: if the release fails, the connection is lost, and the lock with it.
    private func releaseLock() async {
      do throws(ServerError) {
        try await PostgresAutocommit(pool: own, schema: states.installation).run {
          (session) throws(ServerError) in
          _ = try session.connection.first(UpgradeStatements.unlock, []) { _ in true }
        }
      } catch {
        return
      }
    }

    /// The number of the lock of the upgrades of an installation.
    static func lock(of installation: String) -> Int64 {
      PostgresLockNumber.of(["upgrade", installation])
    }

    /// Takes the lock of the upgrades. A connection that has the lock gets it again.
    static func hasLock(
      _ number: Int64, on connection: any SQLConnection
    ) throws(ServerError) -> Bool {
      try connection.first(UpgradeStatements.lock, [.integer(number)]) { $0.integer(0) != 0 }
        ?? false
    }
  }

  private enum UpgradeStatements {
    static let lock = SQLStatement("SELECT pg_try_advisory_lock(?)")
    static let unlock = SQLStatement("SELECT pg_advisory_unlock_all()")
    static let cancel = SQLStatement("SELECT pg_cancel_backend(?::INTEGER)")
    static let storeNewest = SQLStatement("SELECT COALESCE(MIN(store_newest), 0) FROM nodes")
    static let registryNewest = SQLStatement(
      "SELECT COALESCE(MIN(registry_newest), 0) FROM nodes")
  }
#endif
