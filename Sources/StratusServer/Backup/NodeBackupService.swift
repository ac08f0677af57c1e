import Logging
import ServiceLifecycle
import StratusDomain

/// Makes backups of an installation in PostgreSQL at intervals while this node runs.
///
/// NB: a backup may take hours. When the server stops, this service ends at once.
struct NodeBackupService: ServiceLifecycle.Service {
  /// The pause between two checks whether a backup is due.
  private static let pause = Duration.seconds(60)

  let backups: NodeBackups
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        report(await backups.makeIfDue())
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  private func report(_ outcome: NodeBackups.Outcome) {
    switch outcome {
    case .notDue, .ended: return
    case .made(let summary, let folder): logger.report(summary, of: folder)
    case .givenUp: logger.notice("a backup was given up, because another node makes it")
    case .failed(let failure):
      logger.error("no backup was made: \(failure); a node tries again in an hour")
    case .unknown(let error):
      logger.error("whether a backup is due is not known: \(error.reason) \(error.facts)")
    }
  }
}
