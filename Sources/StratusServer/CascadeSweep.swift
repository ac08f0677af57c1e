import Logging
import ServiceLifecycle
import StratusDomain

/// Carries on with deletions that take along more records than one transaction can: as soon as they
/// are answered, and now and then, in case a crash or a full ear lost the nudge.
///
/// What a crash left in a store is seen to once the store is opened: until then nobody can see it.
struct CascadeSweep: ServiceLifecycle.Service {
  /// Steps in one store before the others have their turn.
  private static let stepsInRow = 20
  private static let pause = Duration.seconds(2)

  let stores: any OpenStoreCatalog
  let nudges: StoreNudges
  /// Hears of the changes that cascades make.
  let changes: StoreNudges
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
    let cascades = ContinueCascades(store: store, ambient: ambient)
    do throws(ServerError) {
      for _ in 0..<Self.stepsInRow {
        if try await !cascades.step() || Task.isCancelled { return false }
        changes.nudge(store, at: address)
      }
      return true
    } catch {
      logger.error("a cascade cannot be carried on: \(error.reason) \(error.facts)")
      return false
    }
  }
}
