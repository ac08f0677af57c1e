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
    try await disk.run { [path] () throws(ServerError) -> Void in
      // NB: the file gets its name when it is complete. Several nodes may write at the same time.
      let new = "\(path).new-\(id)-\(getpid())"
      guard let file = try DiskFile(new, O_WRONLY | O_CREAT | O_TRUNC) else {
        throw .fault("the folder of the files does not exist")
      }
      try file.write(Array((id + "\n").utf8), at: 0)
      try file.flush()
      if replaces { return try Disk.rename(new, to: path) }
      // Unlike a rename, a link never replaces a file.
      let isRefused = link(new, path) != 0 && errno != EEXIST
      let failure = isRefused ? Disk.failure("link") : nil
      try Disk.remove(new)
      if let failure { throw failure }
      try Disk.flushFolder(of: path)
    }
  }
}
