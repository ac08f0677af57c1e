import Foundation
import StratusWire

/// Checks that only the owner of a data folder can read its files.
struct FolderModes {
  private let folder: URL

  init(_ folder: URL) { self.folder = folder }

  func findings() -> [Finding] {
    var open: [String] = []
    for path in [folder.path] + paths(in: folder, depth: 2) where isOpen(path) {
      open.append(path)
    }
    guard let first = open.first else { return [] }
    let others = open.count == 1 ? "" : " and \(open.count - 1) more"
    return [
      .problem(
        "files-open", "other users of this machine can reach \(first)\(others)",
        fix: "run 'chmod -R go= \(folder.path)'")
    ]
  }

  /// Returns the files and folders below a folder, except the files of assets, which the mode of
  /// their folder already protects.
  private func paths(in folder: URL, depth: Int) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().flatMap { name -> [String] in
      let url = folder.appendingPathComponent(name)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
        return []
      }
      let goesOn = isFolder.boolValue && depth > 1
      return [url.path] + (goesOn ? paths(in: url, depth: depth - 1) : [])
    }
  }

  private func isOpen(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue else { return false }
    return mode & 0o077 != 0
  }
}
