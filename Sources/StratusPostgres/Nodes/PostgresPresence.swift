#if Postgres
  import StratusDomain
  import Synchronization

  /// The regular work of a node among the other nodes: its heartbeat, and the list of stores. A
  /// node that is shut out ends this work, and reads and writes nothing any more.
  final class PostgresPresence: Sendable {
    let heartbeat: PostgresHeartbeat
    private let stores: PostgresStores
    private let pools: PostgresPools
    private let report: @Sendable (String) -> Void
    private let hasFailed = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let ends: AsyncStream<ServerError>
    private let end: AsyncStream<ServerError>.Continuation

    init(
      heartbeat: PostgresHeartbeat, stores: PostgresStores, pools: PostgresPools,
      report: @escaping @Sendable (String) -> Void
    ) {
      self.heartbeat = heartbeat
      self.stores = stores
      self.pools = pools
      self.report = report
      (ends, end) = AsyncStream<ServerError>.makeStream()
    }

    /// Writes heartbeats until the task is cancelled or the node is shut out.
    func run() async {
      while !Task.isCancelled {
        do { try await Task.sleep(for: PostgresHeartbeat.pause) } catch { return }
        if await !round() { return }
      }
    }

    /// Writes a heartbeat, and reads the list of stores.
    ///
    /// - Returns: false if the node is shut out.
    func round() async -> Bool {
      do throws(ServerError) {
        try await heartbeat.beat()
        try await stores.refresh()
        hasFailed.store(false, ordering: .relaxed)
        return true
      } catch {
        if let reason = heartbeat.shutOut {
          await leave(reason)
          return false
        }
        if !hasFailed.exchange(true, ordering: .relaxed) {
          report("a heartbeat failed: \(error.reason) \(error.facts)")
        }
        return true
      }
    }

    /// Waits until the node is shut out, and returns the reason. Returns nil if the task is
    /// cancelled, or after ``close()``. Only one caller may wait.
    func waitUntilShutOut() async -> ServerError? { await ends.first { _ in true } }

    /// Ends the wait for a shut-out.
    func close() { end.finish() }

    /// Refuses all further bodies, and returns after the accepted ones have ended.
    ///
    /// NB: the tables of the registry may have a later layout, too. So this node must not even read
    /// them.
    private func leave(_ reason: ServerError) async {
      if !isOver.exchange(true, ordering: .relaxed) {
        report(
          """
          this node was silent, and other nodes have removed it; it cannot return and ends: \
          \(reason.facts["fault"] ?? reason.reason) \(reason.facts)
          """)
        stores.close()
        end.yield(reason)
        end.finish()
      }
      await pools.close()
    }
  }
#endif
