import Logging
import ServiceLifecycle
import StratusDomain
import StratusPush

/// Work that a server does in its stores by itself, a step at a time: at once where a signal
/// says so, and in every open store now and then, in case a crash or a full ear lost the signal.
/// Where several processes serve a store, one at a time does the work in it.
///
/// What a crash left in a store is seen to once the store is opened: until then nobody can see it.
/// Where somebody may be sent to without calling, by Apple's service, all are opened at the start.
struct StoreSweep: ServiceLifecycle.Service {
  /// One step of the work in a store; says whether there may be more to do.
  typealias Step = @Sendable (any Store, StoreAddress) async throws(ServerError) -> Bool

  /// Steps in one store before the others have their turn.
  private static let stepsInRow = 20

  /// What fails where a step does, for the log.
  let work: BackgroundWork
  let pause: Duration
  let stores: any OpenStoreCatalog
  /// nil: there are no signals for this work.
  var signals: (any Signals)?
  let locks: any WorkLocks
  let logger: Logger
  let step: Step

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        if let signals { group.addTask { await heed(signals) } }
        group.addTask { await lookAround() }
      }
    }
  }

  private func heed(_ signals: any Signals) async {
    for await signal in signals.received {
      do throws(ServerError) {
        let store = try await stores.store(at: signal.address)
        if await hasMore(in: store, at: signal.address) { signals.send(signal) }
      } catch {
        report(error, at: signal.address)
      }
    }
  }

  private func lookAround() async {
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
      for _ in 0..<Self.stepsInRow {
        let hasMore = try await locks.withLock(on: work, at: address) { () throws(ServerError) in
          try await step(store, address)
        }
        // Where another process is at it, that one goes on.
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
  /// What the server does in its stores by itself, for as long as it runs.
  func storeSweeps(logger: Logger) -> [StoreSweep] {
    [
      zoneSweep(logger: logger), cascadeSweep(logger: logger), changeSweep(logger: logger),
      indexSweep(logger: logger),
    ]
  }

  /// Removes the records of deleted zones, so that deleting a zone of a million records is as quick
  /// as deleting an empty one.
  private func zoneSweep(logger: Logger) -> StoreSweep {
    // Records a transaction: short enough that writers hardly wait behind it.
    let stepRecords = 500
    return StoreSweep(
      work: .zonePurge, pause: .seconds(2), stores: stores, locks: locks, logger: logger
    ) { [ambient] (store, _) async throws(ServerError) in
      try await PurgeZones(store: store, ambient: ambient).step(limit: stepRecords)
    }
  }

  /// Drops indexes that no query reads, so that they make room for others and saves are quicker.
  private func indexSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .unusedIndexes, pause: .seconds(600), stores: stores, locks: locks, logger: logger
    ) { [ambient, uses] (store, address) async throws(ServerError) in
      try await DropUnusedIndexes(store: store, at: address, uses: uses, ambient: ambient).step()
    }
  }

  /// Carries on with deletions that take along more records than one transaction can.
  private func cascadeSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .cascades, pause: .seconds(2), stores: stores, signals: cascades, locks: locks,
      logger: logger
    ) { [ambient, changes] (store, address) async throws(ServerError) in
      guard try await ContinueCascades(store: store, ambient: ambient).step() else { return false }
      // Cascades change records, too.
      changes.send(StoreSignal(address))
      return true
    }
  }

  /// Queues the notifications of changes, and tells those who listen and those who are sent to.
  func changeSweep(logger: Logger) -> StoreSweep {
    StoreSweep(
      work: .matching, pause: .seconds(1), stores: stores, signals: changes, locks: locks,
      logger: logger
    ) { [ambient, hub, queues] (store, address) async throws(ServerError) in
      let matching = MatchChanges(store: store, address: address, ambient: ambient)
      let progress = try await matching.step()
      await hub.look(at: address)
      // NB: each signal makes the service go through all stores, and a look around visits all.
      if progress != .idle { queues.send(StoreSignal(address)) }
      return progress.mayHaveMore
    }
  }
}
