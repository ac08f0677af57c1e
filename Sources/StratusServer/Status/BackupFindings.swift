import Foundation
import StratusWire

/// Examines when the latest backup was made, whether it is complete, and whether the last attempt
/// failed.
struct BackupFindings {
  private static let hour: Int64 = 3_600_000
  /// The number of hours after which a backup by hand is old: eight days, so that a weekly backup
  /// is not reported.
  private static let oldHours: Int64 = 192

  private static let advice = "run 'stratus backup', or start the server with --backups"

  let folder: URL
  /// The present time, in milliseconds since 1970 UTC.
  let now: Int64

  func findings() -> [Finding] {
    let record = BackupHistory(of: folder).record
    guard let begunAt = record.begunAt, let latest = record.folder else {
      return record.failedAt.map { [failed(at: $0)] } ?? [
        .note(
          "backup-none",
          "no backup is known; \(Self.advice)")
      ]
    }
    if let failedAt = record.failedAt { return [failed(at: failedAt)] }
    let time = UTCTime.text(begunAt)
    let maxHours = record.everyHours.map { $0 * 2 } ?? Self.oldHours
    if now - begunAt > maxHours * Self.hour {
      return [
        .problem(
          "backup-old", "the latest backup is of \(time)",
          fix: Self.advice)
      ]
    }
    if FileManager.default.fileExists(atPath: latest),
      (try? Backup.manifest(of: URL(fileURLWithPath: latest))) == nil
    {
      return [
        .problem(
          "backup-incomplete", "the latest backup \(latest) is not complete",
          fix: "run 'stratus backup' again")
      ]
    }
    return [.note("backup-latest", "the latest backup is of \(time), in \(latest)")]
  }

  private func failed(at time: Int64) -> Finding {
    .problem(
      "backup-failed", "the backup of \(UTCTime.text(time)) failed",
      fix: "read the server's log, which says why; the server tries again every hour")
  }
}
