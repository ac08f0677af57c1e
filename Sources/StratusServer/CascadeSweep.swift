import Logging
import ServiceLifecycle
import StratusDomain
import StratusSQLite

/// Carries on with deletions that take along more records than one transaction can: as soon as they
/// are answered, and now and then, in case a crash or a full ear lost the nudge.
///
/// What a crash left in a store is seen to once the store is opened: until then nobody can see it.
struct CascadeSweep: ServiceLifecycle.Service {
  /// Steps in one store before the others have their turn.
  private static let stepsInRow = 20
  private static let pause = Duration.seconds(2)

  let stores: SQLiteStores
  let nudges: CascadeNudges
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
    for await store in nudges.stores where await hasMore(in: store) { nudges.nudge(store) }
  }

  private func lookAround() async {
    while !Task.isCancelled {
      for store in stores.openStores { _ = await hasMore(in: store) }
      try? await Task.sleep(for: Self.pause)
    }
  }

  private func hasMore(in store: any Store) async -> Bool {
    let cascades = ContinueCascades(store: store, ambient: ambient)
    do throws(ServerError) {
      for _ in 0..<Self.stepsInRow {
        if try await !cascades.step() || Task.isCancelled { return false }
      }
      return true
    } catch {
      logger.error("a cascade cannot be carried on: \(error.reason) \(error.facts)")
      return false
    }
  }
}
