import Logging
import ServiceLifecycle
import StratusDomain

/// Removes the records of deleted zones, a bounded step at a time, so that deleting a zone of a
/// million records is as quick as deleting an empty one.
struct ZoneSweep: ServiceLifecycle.Service {
  /// Records a transaction: short enough that writers hardly wait behind it.
  private static let stepRecords = 500
  private static let pause = Duration.seconds(2)

  let stores: any OpenStoreCatalog
  let ambient: Ambient
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        for store in stores.openStores { await sweep(store) }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  private func sweep(_ store: any Store) async {
    do throws(ServerError) {
      let purge = PurgeZones(store: store, ambient: ambient)
      while !Task.isCancelled {
        if try await !purge.step(limit: Self.stepRecords) { return }
      }
    } catch {
      logger.error("deleted zones cannot be swept: \(error.reason) \(error.facts)")
    }
  }
}
