#if Postgres
  public import StratusDomain
  import StratusSQL
  import StratusWire
  import Synchronization

  /// Locks and leases of background work, in PostgreSQL.
  ///
  /// A lock is an advisory lock of one connection of the node. If this connection is lost, another
  /// node can get the lock, which `WorkLocks` allows. A lease is a row. The clock of the database
  /// decides when the lease ends.
  public final class PostgresWorkLocks: WorkLocks {
    private let autocommit: PostgresAutocommit
    private let node: String
    private let shutOut: @Sendable () -> ServerError?
    private let aheadMilliseconds: @Sendable () -> Int64
    /// The numbers of the locks that this node holds or is taking. PostgreSQL would grant a lock
    /// again to the connection that holds it.
    private let held = Mutex<Set<Int64>>([])

    /// - Parameters:
    ///   - node: the name of the node.
    ///   - shutOut: returns why the node is shut out, or nil if it is not. A node that is shut out
    ///     gets no lock and no lease.
    ///   - aheadMilliseconds: returns the time that is added to the database's clock, for tests.
    init(
      autocommit: PostgresAutocommit, node: String,
      shutOut: @escaping @Sendable () -> ServerError?,
      aheadMilliseconds: @escaping @Sendable () -> Int64
    ) {
      self.autocommit = autocommit
      self.node = node
      self.shutOut = shutOut
      self.aheadMilliseconds = aheadMilliseconds
    }

    public func withLock<Value: Sendable>(
      on work: BackgroundWork, at address: StoreAddress,
      _ step: @Sendable () async throws(ServerError) -> Value
    ) async throws(ServerError) -> Value? {
      if let reason = shutOut() { throw reason }
      let number = PostgresLockNumber.of([
        "work", autocommit.schema, work.rawValue, address.container, address.environment.rawValue,
      ])
      guard held.withLock({ $0.insert(number).inserted }) else { return nil }
      defer { _ = held.withLock { $0.remove(number) } }
      let hasLock = try await autocommit.run { (session) throws(ServerError) in
        try session.connection.first(LockStatements.lock, [.integer(number)]) {
          $0.integer(0) != 0
        } ?? false
      }
      guard hasLock else { return nil }
      do throws(ServerError) {
        let value = try await step()
        await release(number)
        return value
      } catch {
        await release(number)
        throw error
      }
    }

    public func lease(
      _ work: BackgroundWork, at address: StoreAddress
    ) async throws(ServerError) -> Bool {
      try await leaseNumber(work, at: address) != nil
    }

    /// Takes or renews a lease like ``lease(_:at:)``.
    ///
    /// - Returns: the number of the lease, which increases with each new holder, or nil if another
    ///   node has the lease.
    func leaseNumber(
      _ work: BackgroundWork, at address: StoreAddress
    ) async throws(ServerError) -> Int64? {
      if let reason = shutOut() { throw reason }
      let values: [SQLValue] = [
        .text(work.rawValue), .text(address.container), .text(address.environment.rawValue),
        .text(node), .integer(aheadMilliseconds()),
        .integer(BackgroundWork.leaseSeconds * 1_000), .integer(aheadMilliseconds()),
      ]
      return try await autocommit.run { (session) throws(ServerError) in
        try session.connection.first(LockStatements.lease, values) { $0.integer(0) }
      }
    }

    /// NB: if the release fails, the connection is lost, and the lock with it.
    private func release(_ number: Int64) async {
      do throws(ServerError) {
        _ = try await autocommit.run { (session) throws(ServerError) in
          try session.connection.first(LockStatements.unlock, [.integer(number)]) { _ in true }
        }
      } catch {
        return
      }
    }
  }

  private enum LockStatements {
    static let lock = SQLStatement("SELECT pg_try_advisory_lock(?)")
    static let unlock = SQLStatement("SELECT pg_advisory_unlock(?)")
    /// Takes a free lease, or renews the lease of the same holder. The token increases with each
    /// new holder.
    static let lease = SQLStatement(
      """
      INSERT INTO leases (work, container, environment, holder, token, until)
      VALUES (?, ?, ?, ?, 1, \(PostgresTables.now) + ? + ?)
      ON CONFLICT (work, container, environment) DO UPDATE SET
        holder = excluded.holder, until = excluded.until,
        token = leases.token + CASE WHEN leases.holder = excluded.holder THEN 0 ELSE 1 END
      WHERE leases.holder = excluded.holder OR leases.until <= \(PostgresTables.now) + ?
      RETURNING leases.token
      """)
  }
#endif
