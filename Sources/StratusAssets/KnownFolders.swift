import Foundation
import StratusDomain
import Synchronization

/// Creates folders, and remembers which folders are on disk.
final class KnownFolders: Sendable {
  /// The maximum number of remembered folders. If there are more, all are forgotten. When a
  /// forgotten folder is used again, its own name in the folder above is flushed again.
  private static let countMax = 4_096

  private let root: String
  private let known = Mutex<Set<String>>([])

  init(root: String) { self.root = root }

  /// Creates a folder and its parents, and returns when their names are on disk.
  ///
  /// NB: calls run one after the other. Otherwise, a call could find a folder that another call has
  /// just created, and return before the folder's name is on disk.
  func make(_ path: String) throws(ServerError) {
    let result = known.withLock { known -> Result<Void, ServerError> in
      do throws(ServerError) { return .success(try make(path, &known)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func make(_ path: String, _ known: inout Set<String>) throws(ServerError) {
    let above = Disk.folder(of: path)
    if mkdir(path, 0o700) != 0 {
      switch errno {
      case EEXIST: if !isBelowRoot(path) || known.contains(path) { return }
      case ENOENT:
        guard above != path else { throw Disk.failure("mkdir") }
        try make(above, &known)
        try make(path, &known)
        return
      case _: throw Disk.failure("mkdir")
      }
    }
    if isBelowRoot(path) { try make(above, &known) }
    try Disk.flushFolder(of: path)
    if known.count >= Self.countMax { known.removeAll() }
    known.insert(path)
  }

  private func isBelowRoot(_ path: String) -> Bool { path.utf8.starts(with: (root + "/").utf8) }
}
