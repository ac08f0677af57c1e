import Logging
import ServiceLifecycle
import StratusDomain
import StratusPush

/// Background work of the server in its stores. It runs one step at a time. A signal starts the
/// work immediately. The work also runs at intervals in every open store, because a crash or a full
/// buffer may lose a signal. If several processes serve a store, only one of them works in it at a
/// time.
///
/// If a crash interrupts the work in a store, the work continues when the store is opened. The
/// first request for a store opens it. If Apple's push service is used, all stores are opened at
/// the start.
struct StoreSweep: ServiceLifecycle.Service {
  /// Runs one step of the work in a store, and returns whether there may be more to do.
  typealias Step = @Sendable (any Store, StoreAddress) async throws(ServerError) -> Bool

  /// The number of steps in one store before the work continues in the next store.
  private static let stepsInRow = 20

  /// The name of the work, which the log shows if a step fails.
  let work: BackgroundWork
  let pause: Duration
  let stores: any OpenStoreCatalog
  /// The signals that start the work, or nil if there are none.
  var signals: (any Signals)?
  let locks: any WorkLocks
  let logger: Logger
  /// Work that every process does in its open stores, even while another process holds the lock.
  var own: (@Sendable (any Store, StoreAddress) async throws(ServerError) -> Void)?
  let step: Step

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        if let signals { group.addTask { await follow(signals) } }
        group.addTask { await poll() }
      }
    }
  }

  private func follow(_ signals: any Signals) async {
    for await signal in signals.received {
      do throws(ServerError) {
        let store = try await stores.store(at: signal.address)
        if await hasMore(in: store, at: signal.address) { signals.send(signal) }
      } catch {
        report(error, at: signal.address)
      }
    }
  }

  private func poll() async {
    while !Task.isCancelled {
      var waiting = stores.openStoresByAddress
      while !waiting.isEmpty {
        for (address, store) in waiting where await !hasMore(in: store, at: address) {
          waiting[address] = nil
        }
      }
      try? await Task.sleep(for: pause)
    }
  }

  private func hasMore(in store: any Store, at address: StoreAddress) async -> Bool {
    do throws(ServerError) {
      try await own?(store, address)
      for _ in 0..<Self.stepsInRow {
        let hasMore = try await locks.withLock(on: work, at: address) { () throws(ServerError) in
          try await step(store, address)
        }
        // If another process holds the lock, that process does the rest of the work.
        if hasMore != true || Task.isCancelled { return false }
      }
      return true
    } catch {
      report(error, at: address)
      return false
    }
  }

  private func report(_ error: ServerError, at address: StoreAddress) {
    logger.error(
      """
      \(work.rawValue) of \(address.container) (\(address.environment)) failed: \
      \(error.reason) \(error.facts)
      """)
  }
}

extension Composition {
  /// Returns the background work of the server in its stores.
  func storeSweeps(logger: Logger) -> [StoreSweep] {
    [
      zoneSweep(logger: logger), cascadeSweep(logger: logger), changeSweep(logger: logger),
      indexSweep(logger: logger), retirementSweep(logger: logger), spaceSweep(logger: logger),
    ]
  }

  /// Creates the sweep that removes the records of deleted zones. A zone with a million records can
  /// therefore be deleted as quickly as an empty one.
  private func zoneSweep(logger: Logger) -> StoreSweep {
    // The number of records in one transaction. Such a transaction hardly delays other writers.
    let stepRecords = 500
    return StoreSweep(
      work: .zonePurge, pause: .seconds(2), stores: stores, locks: locks, logger: logger
    ) { [ambient] (store, _) async throws(ServerError) in
      try await PurgeZones(store: store, ambient: ambient).step(limit: stepRecords)
    }
  }

  /// Creates the sweep that drops unused indexes. This makes room for other indexes and makes saves
  /// faster.
  private func indexSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .unusedIndexes, pause: .seconds(600), stores: stores, locks: locks, logger: logger,
      own: { [ambient, uses] (store, address) async throws(ServerError) in
        try await DropUnusedIndexes(store: store, at: address, uses: uses, ambient: ambient)
          .noteUses()
      }
    ) { [ambient, uses] (store, address) async throws(ServerError) in
      try await DropUnusedIndexes(store: store, at: address, uses: uses, ambient: ambient).step()
    }
  }

  /// Creates the sweep that copies renamed fields and removes dropped fields. Its steps are short,
  /// so they hardly delay writers.
  private func retirementSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .retirements, pause: .seconds(2), stores: stores, locks: locks, logger: logger
    ) { [ambient] (store, _) async throws(ServerError) in
      try await ContinueRetirements(store: store, ambient: ambient).step()
    }
  }

  /// Creates the sweep that gives the disk space of deleted data back to the operating system.
  private func spaceSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .space, pause: .seconds(5), stores: stores, locks: locks, logger: logger
    ) { (store, _) async throws(ServerError) in try await ReturnSpace(store: store).step() }
  }

  /// Creates the sweep that continues cascades with more records than one transaction can delete.
  /// It also continues changes of shared hierarchies with more records than one transaction can
  /// change.
  private func cascadeSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .cascades, pause: .seconds(2), stores: stores, signals: cascades, locks: locks,
      logger: logger
    ) { [ambient, changes, turns] (store, address) async throws(ServerError) in
      let hasCascades = try await ContinueCascades(store: store, ambient: ambient).step()
      let hasHierarchies = try await ContinueHierarchies(
        store: store, ambient: ambient, turns: turns[address]
      ).step()
      guard hasCascades || hasHierarchies else { return false }
      // Both kinds of work may change records that users have subscribed to.
      changes.send(StoreSignal(address))
      return true
    }
  }

  /// Creates the sweep that queues the notifications of changes, and signals the services that
  /// deliver them.
  func changeSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .matching, pause: .seconds(1), stores: stores, signals: changes, locks: locks,
      logger: logger
    ) { [ambient, hub, queues, newsOfOthers] (store, address) async throws(ServerError) in
      let matching = MatchChanges(store: store, address: address, ambient: ambient)
      let progress = try await matching.step()
      await hub.look(at: address)
      // NB: the signals are sent only if the step did something. Each of them makes another service
      // read the store, and this sweep runs in every open store at intervals.
      if progress != .idle {
        queues.send(StoreSignal(address))
        newsOfOthers.send(StoreSignal(address))
      }
      return progress.mayHaveMore
    }
  }
}
