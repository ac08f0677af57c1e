import Logging
import ServiceLifecycle
import StratusDomain

/// Writes the counts of the production radar to the stores, at intervals and when the server stops.
struct RadarService: ServiceLifecycle.Service {
  /// The time between two writes. A crash loses the counts since the last write.
  private static let pause = Duration.seconds(5)

  let radar: ProductionRadar
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.pause)
        await flush()
      }
    }
  }

  private func flush() async {
    do throws(ServerError) { try await radar.flush() } catch {
      logger.error(
        "the counts of refusals in production cannot be written: \(error.reason) \(error.facts)")
    }
  }
}
