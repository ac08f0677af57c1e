import Foundation
import StratusDomain
import StratusWire
import Synchronization

/// Checks whether the path of an open file still leads to that file.
///
/// SQLite continues to write to a file that was removed or replaced. Such commits are lost when the
/// server restarts, so the server must not acknowledge them.
final class FileWatch: Sendable {
  /// The identity of the file at a path.
  private struct Identity: Equatable {
    let device: dev_t
    let inode: ino_t

    /// Returns nil if the file does not exist, or if it is empty and `mayBeEmpty` is false.
    init?(_ path: String, mayBeEmpty: Bool) {
      var status = stat()
      guard stat(path, &status) == 0, mayBeEmpty || status.st_size > 0 else { return nil }
      device = status.st_dev
      inode = status.st_ino
    }
  }

  private let path: String
  private let logPath: String
  private let file: Identity?
  /// The identity of the write-ahead log, or nil if there was none when the file was opened.
  private let log: Identity?
  /// Whether the file was ever lost. It stays true even if the file is back in place, because
  /// commits in between may have gone to another file.
  private let isLost = Atomic<Bool>(false)
  private let isDamaged = Atomic<Bool>(false)
  private let isFull = Atomic<Bool>(false)

  /// - Parameter path: the path of an open file that has its tables.
  init(path: String) {
    self.path = path
    logPath = path + "-wal"
    file = Identity(path, mayBeEmpty: false)
    log = Identity(logPath, mayBeEmpty: true)
  }

  /// Throws an error if the file is known to be lost. This method makes no system call.
  func checkKnown() throws(ServerError) {
    if isLost.load(ordering: .relaxed) { throw SQLiteFailure.lost }
  }

  /// Checks the files on disk. The caller must do this after a commit and before it acknowledges
  /// the commit.
  ///
  /// - Throws: `TRY_AGAIN_LATER` if the file is lost. After that, all calls throw.
  func check() throws(ServerError) {
    if !looksInPlace { isLost.store(true, ordering: .relaxed) }
    try checkKnown()
  }

  private var looksInPlace: Bool {
    guard Identity(path, mayBeEmpty: false) == file else { return false }
    return log == nil || Identity(logPath, mayBeEmpty: true) == log
  }

  /// Remembers the problem that an error indicates. Other errors are ignored.
  func note(_ error: ServerError) {
    if error.reason == Reason.storeFull { isFull.store(true, ordering: .relaxed) }
    if error.facts["fault"] == SQLiteFailure.damagedFault {
      isDamaged.store(true, ordering: .relaxed)
    }
  }

  /// Ends the problem of a full disk, because a successful write shows that the disk has free space
  /// again.
  func noteWritten() {
    if isFull.load(ordering: .relaxed) { isFull.store(false, ordering: .relaxed) }
  }

  /// The current problem of the file, or nil if none is known.
  var problem: HealthProblem.Kind? {
    do throws(ServerError) { try check() } catch { return .lost }
    if isDamaged.load(ordering: .relaxed) { return .damaged }
    return isFull.load(ordering: .relaxed) ? .diskFull : nil
  }
}
