public import Foundation
import StratusDomain
import StratusSQLite

/// Reduces the files of a data folder to the size of their contents. No server may use the folder
/// at the same time.
public struct Compaction: Sendable {
  /// The result for one file, with sizes in bytes.
  public struct Item: Sendable, Equatable {
    public let title: String
    public let before: Int64
    public let after: Int64
  }

  /// Compacts all files of a folder. After an error, the files that were compacted before stay
  /// compact.
  ///
  /// - Parameter onBegin: is called with the title of each file before the file is compacted.
  /// - Throws: ``BackupFailure``, or an error that says that a server uses the folder.
  public static func run(
    on data: URL, onBegin: (_ title: String) -> Void = { _ in }
  ) throws -> [Item] {
    // NB: without this check, a mistyped name of the folder would create a new folder.
    guard FileManager.default.fileExists(atPath: DataFolder.registry(in: data).path) else {
      throw BackupFailure("\(data.path) does not hold the data of a Stratus server")
    }
    let folder = try DataFolder(data)
    defer { folder.unlock() }
    let compaction = FolderCompaction(of: folder)
    var items: [Item] = []
    func compact(
      _ title: String, _ body: () throws(ServerError) -> FolderCompaction.Sizes
    ) throws(BackupFailure) {
      onBegin(title)
      do throws(ServerError) {
        let sizes = try body()
        items.append(Item(title: title, before: sizes.before, after: sizes.after))
      } catch {
        throw BackupFailure(error, what: title, verb: "compacted")
      }
    }
    for address in try compaction.stores() {
      try compact(address.title) { () throws(ServerError) in
        try compaction.compactStore(at: address)
      }
    }
    try compact(DataFolder.registry(in: data).lastPathComponent) { () throws(ServerError) in
      try compaction.compactRegistry()
    }
    return items
  }
}
