import Foundation
import ServiceLifecycle
import StratusDomain

extension Server {
  /// Creates the service that makes backups, or returns nil if the server makes none. Notes for
  /// `stratus doctor` how often the server makes backups.
  func backupService(_ parts: Composition) -> (any ServiceLifecycle.Service)? {
    let place = settings.postgresPlace
    BackupHistory(of: place?.shared ?? settings.dataFolder)
      .note(everyHours: settings.backups?.everyHours)
    guard let backups = settings.backups else { return nil }
    guard let place, let turns = parts.backupTurns else {
      return BackupService(
        schedule: BackupSchedule(of: settings.dataFolder, backups, live: live), logger: logger)
    }
    return NodeBackupService(
      backups: NodeBackups(
        schedule: BackupSchedule(of: place, backups, live: live), turns: turns,
        mayBegin: { [draining = parts.draining] in !draining.isDraining }, live: live),
      logger: logger)
  }
}

extension Settings {
  /// The installation in PostgreSQL, or nil if the stores are in the data folder.
  fileprivate var postgresPlace: PostgresPlace? {
    postgres.map { access in
      PostgresPlace(
        url: access.url, shared: access.sharedFolder ?? dataFolder, assets: assets,
        data: dataFolder)
    }
  }
}
