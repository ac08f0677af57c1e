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

/// Makes backups of a data folder or of an installation in PostgreSQL at intervals, and removes old
/// backups. Unchanged files of the previous backup are not copied again: the new backup has hard
/// links to them.
///
/// The methods block the calling thread.
public struct BackupSchedule: Sendable {
  private static let hour: Int64 = 3_600_000
  private static let leftoverHoursMax: Int64 = 7 * 24

  /// The data that is copied.
  private enum Source: Sendable {
    case folder(URL)
    case postgres(PostgresPlace)
  }

  private let source: Source
  private let settings: BackupSettings
  private let live: Live
  private let history: BackupHistory

  public init(of data: URL, _ settings: BackupSettings, live: Live) {
    source = .folder(data.standardizedFileURL)
    self.settings = settings
    self.live = live
    history = BackupHistory(of: data)
  }

  /// - Parameter place: an installation in PostgreSQL. Its nodes make the backups in turn, so
  ///   ``isDue(after:)`` decides, and not ``isDue``.
  init(of place: PostgresPlace, _ settings: BackupSettings, live: Live) {
    source = .postgres(place)
    self.settings = settings
    self.live = live
    history = BackupHistory(of: place.shared)
  }

  /// Whether it is time for the next backup of a data folder. After a failure, the next attempt
  /// follows an hour later.
  public var isDue: Bool {
    isDue(
      after: BackupTimes(
        now: live.ambient.now(), begunAt: backups().last?.begunAt,
        failedAt: history.record.failedAt))
  }

  /// Returns whether it is time for the next backup, after the latest backup and the latest
  /// failure.
  func isDue(after times: BackupTimes) -> Bool {
    if let failedAt = times.failedAt, (0..<Self.hour).contains(times.now - failedAt) {
      return false
    }
    guard let begunAt = times.begunAt else { return true }
    // NB: if the clock was wrong, a backup may seem to lie in the future.
    return abs(times.now - begunAt) >= settings.everyHours * Self.hour
  }

  /// Makes a backup, and removes the oldest ones if there are too many.
  ///
  /// - Returns: the folder of the backup, and what it contains.
  /// - Throws: ``BackupFailure``. The failure is noted for `stratus doctor`.
  public func run() throws(BackupFailure) -> (folder: URL, Backup.Summary) {
    let now = live.ambient.now()
    do throws(BackupFailure) {
      let prepared = try prepare()
      try prepared.publish()
      finish(prepared.target)
      return (prepared.target, prepared.summary)
    } catch {
      noteFailure(at: now)
      throw error
    }
  }

  /// Makes a backup that has a temporary name until ``PreparedBackup/publish()``.
  ///
  /// - Parameter stop: lets another thread end the copy early.
  /// - Throws: ``BackupFailure``.
  func prepare(stop: BackupStop? = nil) throws(BackupFailure) -> PreparedBackup {
    removeLeftovers()
    let name = UTCTime.text(live.ambient.now()).replacing(":", with: "")
    let folder = settings.folder.appendingPathComponent(name, isDirectory: true)
    try makeFolder()
    let earlier = backups().last?.folder
    switch source {
    case .folder(let data):
      return try Backup.prepare(of: data, at: folder, since: earlier, live: live, stop: stop)
    case .postgres(let place):
      return try Backup.prepare(of: place, at: folder, since: earlier, live: live, stop: stop)
    }
  }

  /// Notes a published backup for `stratus doctor`, and removes the oldest backups if there are too
  /// many.
  func finish(_ folder: URL) {
    history.note(folder, everyHours: settings.everyHours)
    removeOld(keeping: folder)
  }

  /// Notes for `stratus doctor` that a backup failed.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func noteFailure(at time: Int64) {
    history.noteFailure(at: time, everyHours: settings.everyHours)
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

  /// The source of the backups, as the lists of their files name it.
  private var sourceName: String {
    switch source {
    case .folder(let data): data.path
    case .postgres(let place): place.sourceName
    }
  }

  /// The complete backups of this source that a server has made, the oldest first.
  func backups() -> [(folder: URL, begunAt: Int64)] {
    let source = sourceName
    return names().filter { $0.wholeMatch(of: Self.name) != nil }.compactMap { name in
      let folder = settings.folder.appendingPathComponent(name, isDirectory: true)
      guard let manifest = try? Backup.manifest(of: folder), manifest.source == source else {
        return nil
      }
      return (folder, manifest.begunAt)
    }.sorted { $0.begunAt < $1.begunAt }
  }

  /// Removes the oldest backups if there are too many.
  ///
  /// - Parameter latest: the backup that was just made. It stays even if the clock of this machine
  ///   is so wrong that the backup seems to be the oldest one.
  private func removeOld(keeping latest: URL) {
    for (folder, _) in backups().dropLast(max(1, settings.keptCount))
    where folder.lastPathComponent != latest.lastPathComponent {
      remove(folder)
    }
  }

  /// Removes a backup if there is a later one. The latest complete backup stays, because the
  /// backup that another node is making may fail.
  func removeUnlessLatest(_ folder: URL) {
    if backups().last?.folder.lastPathComponent == folder.lastPathComponent { return }
    remove(folder)
  }

  /// Removes a backup.
  ///
  /// NB: the folder is renamed first, so that an interrupted removal leaves no folder that looks
  /// like a backup.
  private func remove(_ folder: URL) {
    let removed = URL(fileURLWithPath: folder.standardizedFileURL.path + Self.removedSuffix)
    guard rename(folder.path, removed.path) == 0 else { return }
    try? FileManager.default.removeItem(at: removed)
  }

  /// Removes the folders that interrupted backups and removals have left. A folder that another
  /// server is writing has a lock, so it stays for a week. If the file system has no locks for
  /// folders, each folder stays for a week.
  ///
  /// Choice: a week, because no backup takes so long.
  private func removeLeftovers() {
    let oldest = UTCTime.text(live.ambient.now() - Self.leftoverHoursMax * Self.hour)
      .replacing(":", with: "")
    for name in names() where name.wholeMatch(of: Self.leftover) != nil {
      let folder = settings.folder.appendingPathComponent(name)
      let lock = FolderLock(folder, waits: false)
      defer { lock?.release() }
      if lock != nil || name < oldest { removeLeftover(folder) }
    }
  }

  /// NB: the folder is renamed first. On NFS, the lock of another machine is not visible. A node
  /// that was paused and still writes the folder must not publish the rest of it.
  private func removeLeftover(_ folder: URL) {
    var folder = folder
    if !folder.lastPathComponent.hasSuffix(Self.removedMark) {
      let removed = settings.folder
        .appendingPathComponent(folder.lastPathComponent + Self.removedMark)
      guard rename(folder.path, removed.path) == 0 else { return }
      folder = removed
    }
    try? FileManager.default.removeItem(at: folder)
  }

  private func names() -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: settings.folder.path)) ?? []
  }

  /// The end of the name of a folder that is being removed.
  private static let removedMark = "removed"
  private static let removedSuffix = ".partial-" + removedMark
  private static var name: Regex<Substring> { /\d{4}-\d{2}-\d{2}T\d{6}Z/ }
  private static var leftover: Regex<Substring> { /\d{4}-\d{2}-\d{2}T\d{6}Z\.partial-\w+/ }
}
