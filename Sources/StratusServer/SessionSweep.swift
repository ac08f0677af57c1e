import Logging
import ServiceLifecycle
import StratusAccounts
import StratusDomain

/// Removes ended sessions, old mails, expired codes, ended sign-in steps, old removals, and old
/// entries of the audit log.
struct SessionSweep: ServiceLifecycle.Service {
  /// The time between two runs. Sessions last for weeks, so a delay of an hour does not matter.
  private static let pause = Duration.seconds(3_600)

  let accounts: Accounts
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do throws(ServerError) {
          try await accounts.forgetEndedSessions()
          try await accounts.forgetAuditEntries()
        } catch {
          logger.error("ended sessions cannot be removed: \(error.reason) \(error.facts)")
        }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }
}
