import Foundation
import StratusDomain
import Synchronization

/// Makes folders, and remembers which are on disk for certain.
final class KnownFolders: Sendable {
  /// Folders remembered at most; forgetting costs a flush.
  private static let countMax = 4_096

  private let root: String
  private let known = Mutex<Set<String>>([])

  init(root: String) { self.root = root }

  /// Makes a folder and those above it, and returns when their names are on disk.
  ///
  /// NB: calls take turns. A folder that another has just made is there before its name is on disk.
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
