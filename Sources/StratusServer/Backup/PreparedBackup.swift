import Foundation
import StratusDomain
import StratusSQLite
import Synchronization

/// A complete backup or a complete restored folder that still has a temporary name.
struct PreparedBackup: Sendable {
  /// The folder with the temporary name.
  let partial: URL
  /// The folder that ``publish()`` creates.
  let target: URL
  /// The lock on ``partial``, or nil if the file system has no locks for folders.
  let lock: FolderLock?
  let summary: Backup.Summary

  /// Gives the folder its final name.
  ///
  /// - Throws: ``BackupFailure``. The folder is then removed.
  func publish() throws(BackupFailure) {
    defer { lock?.release() }
    // NB: the rename fails if another process has created the folder since the check, and has put
    // files into it.
    guard DataFolder.flushNames(in: partial), rename(partial.path, target.path) == 0,
      DataFolder.flushNames(in: target.deletingLastPathComponent())
    else {
      let failure = BackupFailure("\(target.path) cannot be created from the copy", errno)
      try? FileManager.default.removeItem(at: partial)
      throw failure
    }
  }

  /// Removes the folder.
  func discard() {
    try? FileManager.default.removeItem(at: partial)
    lock?.release()
  }
}

/// A request to end a backup early. Another thread makes the backup.
final class BackupStop: Sendable {
  private let requested = Atomic<Bool>(false)

  var isRequested: Bool { requested.load(ordering: .relaxed) }

  func request() { requested.store(true, ordering: .relaxed) }

  /// - Throws: `INTERNAL_ERROR` if the backup must end.
  func requireNone() throws(ServerError) {
    if isRequested { throw .fault("the backup was stopped") }
  }
}
