import Logging
import ServiceLifecycle
import StratusDomain
import StratusPush

/// Queues the notifications of changes: as soon as they are answered, and now and then, in case a
/// crash or a full ear lost the nudge.
///
/// What a crash left in a store's outbox is seen to once the store is opened: until then nobody can
/// see it.
struct ChangeSweep: ServiceLifecycle.Service {
  /// Steps in one store before the others have their turn.
  private static let stepsInRow = 20
  private static let pause = Duration.seconds(1)

  let stores: any OpenStoreCatalog
  let nudges: StoreNudges
  /// Hears which queues were added to, for those who listen …
  let hub: Hub
  /// … and for those who are sent to.
  let queues: StoreNudges
  let ambient: Ambient
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await heed() }
        group.addTask { await lookAround() }
      }
    }
  }

  private func heed() async {
    for await nudged in nudges.stores where await hasMore(in: nudged.store, at: nudged.address) {
      nudges.nudge(nudged.store, at: nudged.address)
    }
  }

  private func lookAround() async {
    while !Task.isCancelled {
      for (address, store) in stores.openStoresByAddress {
        _ = await hasMore(in: store, at: address)
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  private func hasMore(in store: any Store, at address: StoreAddress) async -> Bool {
    let changes = MatchChanges(store: store, address: address, ambient: ambient)
    do throws(ServerError) {
      for _ in 0..<Self.stepsInRow {
        let hasMore = try await changes.step()
        // The last step may have done something, too.
        await hub.look(at: address)
        queues.nudge(store, at: address)
        if !hasMore || Task.isCancelled { return false }
      }
      return true
    } catch {
      logger.error(
        """
        changes of \(address.container) (\(address.environment)) cannot be matched: \
        \(error.reason) \(error.facts)
        """)
      return false
    }
  }
}
