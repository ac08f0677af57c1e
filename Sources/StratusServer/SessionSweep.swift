import Logging
import ServiceLifecycle
import StratusAccounts
import StratusDomain

/// Removes ended sessions, mails that were sent and codes that have expired. So the registry
/// contains only sessions and codes that are valid.
struct SessionSweep: ServiceLifecycle.Service {
  /// The time between two runs. Sessions last for weeks, so a delay of an hour does not matter.
  private static let pause = Duration.seconds(3_600)

  let accounts: Accounts
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do throws(ServerError) { try await accounts.forgetEndedSessions() } catch {
          logger.error("ended sessions cannot be removed: \(error.reason) \(error.facts)")
        }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }
}
