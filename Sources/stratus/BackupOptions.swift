import ArgumentParser
import Foundation
import StratusServer

/// The options for the backups that the server makes by itself.
struct BackupOptions: ParsableArguments {
  private static let hoursMax: Int64 = 8_784
  private static let countMax = 1_000

  @Option(
    help: ArgumentHelp(
      """
      A folder in which the server makes backups by itself. With --postgres, all servers need the \
      same folder, such as a mount of NFS, and one of them makes each backup. Without this option, \
      the server makes no backups.
      """, valueName: "folder"))
  var backups: String?

  @Option(help: "The number of hours between two backups.")
  var backupHours: Int64 = 24

  @Option(help: "The number of backups that are kept.")
  var backupCount = 14

  /// - Returns: nil if the server makes no backups.
  /// - Throws: `Failure` for an option that cannot be used.
  func settings(data: URL, postgres: PostgresAccess?) throws -> BackupSettings? {
    try requireNumber(backupHours, in: 1...Self.hoursMax, of: "--backup-hours")
    try requireNumber(backupCount, in: 1...Self.countMax, of: "--backup-count")
    guard let backups else { return nil }
    let folder = URL(fileURLWithPath: backups).standardizedFileURL
    if (folder.path + "/").hasPrefix(data.standardizedFileURL.path + "/") {
      throw Failure("--backups must not lie in the data folder; name a folder on another disk")
    }
    if let shared = postgres?.sharedFolder,
      (folder.path + "/").hasPrefix(shared.standardizedFileURL.path + "/")
    {
      throw Failure(
        "--backups must not lie in the folder of --shared; name another folder that all servers "
          + "share")
    }
    return BackupSettings(folder: folder, everyHours: backupHours, keptCount: backupCount)
  }
}
