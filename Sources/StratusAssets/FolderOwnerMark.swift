import Foundation
import StratusDomain
import StratusWire

/// The file `assets-owner` of a shared folder, which names the installation to which the files in
/// the folder belong.
struct FolderOwnerMark: AssetOwnerMark {
  static let fileName = "assets-owner"
  private static let bytesMax = 256

  /// The path of the folder.
  let place: String
  let disk: Disk

  private var path: String { place + "/" + Self.fileName }

  func ownerID() async throws(ServerError) -> String? {
    try await disk.run { [path] () throws(ServerError) -> String? in
      guard let file = try DiskFile(path, O_RDONLY) else { return nil }
      return String(decoding: try file.read(at: 0, count: Self.bytesMax), as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  func write(_ id: String, replaces: Bool) async throws(ServerError) {
    // NB: the file gets its name when it is complete. Several nodes may write at the same time, and
    // in containers they have the same process ID.
    let new = "\(path).new-\(UUID().uuidString)"
    try await disk.run { [path] () throws(ServerError) -> Void in
      guard let file = try DiskFile(new, O_WRONLY | O_CREAT | O_TRUNC) else {
        throw .fault("the folder of the files does not exist")
      }
      try file.write(Array((id + "\n").utf8), at: 0)
      try file.flush()
      if replaces { return try Disk.rename(new, to: path) }
      guard try Self.addName(path, to: new) else { return try Disk.rename(new, to: path) }
      try Disk.remove(new)
      try Disk.flushFolder(of: path)
    }
  }

  /// Gives a file a second name, unless a file has this name already. Unlike a rename, a link never
  /// replaces a file.
  ///
  /// - Returns: false if the file system has no links, as some network file systems.
  private static func addName(_ name: String, to path: String) throws(ServerError) -> Bool {
    if link(path, name) == 0 { return true }
    switch errno {
    case EEXIST: return true
    case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS: return false
    case _: throw Disk.failure("link")
    }
  }
}
