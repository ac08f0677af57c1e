import Logging
import ServiceLifecycle
import StratusAccounts
import StratusDomain

/// Continues the deletions of accounts, at the start of the server and while it runs.
struct RemovalSweep: ServiceLifecycle.Service {
  /// The pause after a run that has completed all deletions. A deletion usually ends in its own
  /// request.
  private static let pause = Duration.seconds(5)

  let remover: AccountRemover
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        var hasMore = false
        do throws(ServerError) { hasMore = try await remover.continueRemovals() } catch {
          logger.error("accounts cannot be deleted: \(error.reason) \(error.facts)")
        }
        if !hasMore { try? await Task.sleep(for: Self.pause) }
      }
    }
  }
}
