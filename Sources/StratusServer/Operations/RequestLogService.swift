import Logging
import ServiceLifecycle
import StratusDomain
import StratusHTTP

/// Copies new entries of the request log to the disk, at intervals and when the server stops.
struct RequestLogService: ServiceLifecycle.Service {
  /// The time between two copies. A crash loses the entries since the last copy.
  private static let pause = Duration.seconds(2)
  private static let pruneMilliseconds: Int64 = 3_600_000
  private static let dayMilliseconds: Int64 = 86_400_000

  let reports: ReportQueue
  let log: RequestLog
  let files: RequestFiles
  let now: @Sendable () -> Int64
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      report { () throws(ServerError) in try log.recount(since: now() - Self.dayMilliseconds) }
      var nextPrune = now()
      while !Task.isCancelled {
        if now() >= nextPrune {
          files.prune(at: now())
          nextPrune = now() + Self.pruneMilliseconds
        }
        try? await Task.sleep(for: Self.pause)
        save()
      }
    }
    save()
  }

  private func save() {
    reports.flush()
    report { () throws(ServerError) in try log.save() }
  }

  private func report(_ work: () throws(ServerError) -> Void) {
    do throws(ServerError) { try work() } catch {
      logger.error("the request log on disk is not complete: \(error.facts)")
    }
  }
}
