public import Foundation
import StratusDomain
import StratusWire

/// The settings of the backups that the server makes by itself.
public struct BackupSettings: Sendable, Hashable {
  /// The folder that contains the backups. Each backup is a folder inside it.
  public var folder: URL
  /// The number of hours from the beginning of one backup to the beginning of the next one.
  public var everyHours: Int64
  /// The number of backups that are kept. An older backup is removed after a new one is complete.
  public var keptCount: Int

  public init(folder: URL, everyHours: Int64 = 24, keptCount: Int = 14) {
    self.folder = folder
    self.everyHours = everyHours
    self.keptCount = keptCount
  }
}

/// Makes backups of a data folder at intervals, and removes old backups. Unchanged files of the
/// previous backup are not copied again: the new backup has hard links to them.
///
/// The methods block the calling thread.
public struct BackupSchedule: Sendable {
  private static let hour: Int64 = 3_600_000
  private static let leftoverHoursMax: Int64 = 7 * 24

  private let data: URL
  private let settings: BackupSettings
  private let live: Live
  private let history: BackupHistory

  public init(of data: URL, _ settings: BackupSettings, live: Live) {
    self.data = data.standardizedFileURL
    self.settings = settings
    self.live = live
    history = BackupHistory(of: data)
  }

  /// Whether it is time for the next backup. After a failure, the next attempt follows an hour
  /// later.
  public var isDue: Bool {
    let now = live.ambient.now()
    if let failedAt = history.record.failedAt, (0..<Self.hour).contains(now - failedAt) {
      return false
    }
    guard let newest = backups().last else { return true }
    // NB: if the clock was wrong, a backup may seem to lie in the future.
    return abs(now - newest.begunAt) >= settings.everyHours * Self.hour
  }

  /// Makes a backup, and removes the oldest ones if there are too many.
  ///
  /// - Returns: the folder of the backup, and what it contains.
  /// - Throws: ``BackupFailure``. The failure is noted for `stratus doctor`.
  public func run() throws(BackupFailure) -> (folder: URL, Backup.Summary) {
    let now = live.ambient.now()
    removeLeftovers()
    do throws(BackupFailure) {
      let name = UTCTime.text(now).replacing(":", with: "")
      let folder = settings.folder.appendingPathComponent(name, isDirectory: true)
      try makeFolder()
      let summary = try Backup.make(
        of: data, at: folder, since: backups().last?.folder, live: live)
      history.note(folder, everyHours: settings.everyHours)
      removeOld()
      return (folder, summary)
    } catch {
      history.noteFailure(at: now, everyHours: settings.everyHours)
      throw error
    }
  }

  private func makeFolder() throws(BackupFailure) {
    do {
      try FileManager.default.createDirectory(
        at: settings.folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw BackupFailure("\(settings.folder.path) cannot be created: \(error)")
    }
  }

  /// The complete backups of this data folder that the server has made, the oldest first.
  func backups() -> [(folder: URL, begunAt: Int64)] {
    names().filter { $0.wholeMatch(of: Self.name) != nil }.compactMap { name in
      let folder = settings.folder.appendingPathComponent(name, isDirectory: true)
      guard let manifest = try? Backup.manifest(of: folder), manifest.source == data.path else {
        return nil
      }
      return (folder, manifest.begunAt)
    }.sorted { $0.begunAt < $1.begunAt }
  }

  private func removeOld() {
    for (folder, _) in backups().dropLast(max(1, settings.keptCount)) {
      // NB: the folder is renamed first, so that an interrupted removal leaves no folder that looks
      // like a backup.
      let removed = URL(fileURLWithPath: folder.standardizedFileURL.path + Self.removedSuffix)
      guard rename(folder.path, removed.path) == 0 else { continue }
      try? FileManager.default.removeItem(at: removed)
    }
  }

  /// Removes the folders that interrupted backups and removals have left. A folder that another
  /// server is writing has a lock, so it stays for a week. If the file system has no locks, each
  /// folder stays for a week.
  ///
  /// Choice: a week, because no backup takes so long.
  private func removeLeftovers() {
    let oldest = UTCTime.text(live.ambient.now() - Self.leftoverHoursMax * Self.hour)
      .replacing(":", with: "")
    for name in names() where name.wholeMatch(of: Self.leftover) != nil {
      let folder = settings.folder.appendingPathComponent(name)
      let lock = FolderLock(folder, waits: false)
      defer { lock?.release() }
      if lock != nil || name < oldest { try? FileManager.default.removeItem(at: folder) }
    }
  }

  private func names() -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: settings.folder.path)) ?? []
  }

  private static let removedSuffix = ".partial-removed"
  private static var name: Regex<Substring> { /\d{4}-\d{2}-\d{2}T\d{6}Z/ }
  private static var leftover: Regex<Substring> { /\d{4}-\d{2}-\d{2}T\d{6}Z\.partial-\w+/ }
}
