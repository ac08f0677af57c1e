import Logging
import ServiceLifecycle
import StratusAccounts
import StratusDomain

/// Sends the waiting mails while the server runs.
struct MailService: ServiceLifecycle.Service {
  /// The pause between two searches for waiting mails. It is short, because users wait for mails.
  private static let pause = Duration.seconds(2)

  let delivery: MailDelivery
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do throws(ServerError) {
          while try await delivery.step(), !Task.isCancelled {}
        } catch {
          logger.error("waiting mails cannot be sent: \(error.reason) \(error.facts)")
        }
        try? await Task.sleep(for: Self.pause)
      }
    }
  }
}
