import Dispatch
import Foundation
import Logging
import ServiceLifecycle

/// Makes backups of a data folder at intervals while the server runs.
struct BackupService: ServiceLifecycle.Service {
  /// The pause between two checks whether a backup is due.
  private static let pause = Duration.seconds(60)

  let schedule: BackupSchedule
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await makeIfDue()
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// NB: a backup may block its thread for minutes. When the server stops, this method returns at
  /// once, and the next backup removes the incomplete folder.
  private func makeIfDue() async {
    let (done, sender) = AsyncStream<Void>.makeStream()
    DispatchQueue.global(qos: .utility).async {
      make()
      sender.finish()
    }
    for await _ in done {}
  }

  /// Makes a backup if it is time, and logs the result. The method blocks the calling thread.
  func make() {
    guard schedule.isDue else { return }
    do throws(BackupFailure) {
      let (folder, summary) = try schedule.run()
      logger.report(summary, of: folder)
    } catch {
      logger.error("no backup was made: \(error); the next attempt follows in an hour")
    }
  }
}

extension Logger {
  /// Logs the result of a backup that a server has made by itself.
  func report(_ summary: Backup.Summary, of folder: URL) {
    notice(
      """
      the backup \(folder.path) is complete: stores \(summary.storesCount), unchanged \
      \(summary.sharedStoresCount), files \(summary.filesCount), unchanged \
      \(summary.sharedFilesCount)
      """)
    guard let first = summary.missingFiles.first else { return }
    error(
      """
      files that records hold are missing or damaged: \(summary.missingFiles.count), the first \
      \(first)
      """)
  }
}
