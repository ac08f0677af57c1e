import Foundation
import StratusDomain
import StratusWire
import Synchronization

/// Knows whether a file that is open is still the one that its path names.
///
/// SQLite goes on writing to a file that was removed or replaced. Its commits there are gone
/// after a restart, so they must not be acknowledged.
final class FileWatch: Sendable {
  /// Which file a path names.
  private struct Identity: Equatable {
    let device: dev_t
    let inode: ino_t

    /// nil: there is none, or it is empty.
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
  /// nil: there was no write-ahead log when the file was opened.
  private let log: Identity?
  /// Once set, it stays: the file may be back, but commits went elsewhere meanwhile.
  private let isLost = Atomic<Bool>(false)
  private let isDamaged = Atomic<Bool>(false)
  private let isFull = Atomic<Bool>(false)

  /// - Parameter path: of a file that is open, with its tables.
  init(path: String) {
    self.path = path
    logPath = path + "-wal"
    file = Identity(path, mayBeEmpty: false)
    log = Identity(logPath, mayBeEmpty: true)
  }

  /// Refuses what a lost file could not keep; costs no system call.
  func checkKnown() throws(ServerError) {
    if isLost.load(ordering: .relaxed) { throw SQLiteFailure.lost }
  }

  /// Looks at the files; to be called after a commit and before it is acknowledged.
  ///
  /// - Throws: `TRY_AGAIN_LATER`, from the first time on for good.
  func check() throws(ServerError) {
    if !looksInPlace { isLost.store(true, ordering: .relaxed) }
    try checkKnown()
  }

  private var looksInPlace: Bool {
    guard Identity(path, mayBeEmpty: false) == file else { return false }
    return log == nil || Identity(logPath, mayBeEmpty: true) == log
  }

  /// Notes what an error says of the file.
  func note(_ error: ServerError) {
    if error.reason == Reason.storeFull { isFull.store(true, ordering: .relaxed) }
    if error.facts["fault"] == SQLiteFailure.damagedFault {
      isDamaged.store(true, ordering: .relaxed)
    }
  }

  /// Notes that something was written, so that there is room again.
  func noteWritten() {
    if isFull.load(ordering: .relaxed) { isFull.store(false, ordering: .relaxed) }
  }

  /// What is wrong with the file.
  var problem: HealthProblem.Kind? {
    do throws(ServerError) { try check() } catch { return .lost }
    if isDamaged.load(ordering: .relaxed) { return .damaged }
    return isFull.load(ordering: .relaxed) ? .diskFull : nil
  }
}
