import Logging
import ServiceLifecycle
import StratusDomain

/// Writes the counted refusals of what production lacks to the stores, periodically and at the end.
struct RadarService: ServiceLifecycle.Service {
  /// A crash loses the counts of this time.
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
