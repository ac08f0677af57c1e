import Foundation

/// A folder for the data of one run.
enum WorkFolder {
  /// - Parameter parent: the parent folder, or nil for the system's temporary folder.
  static func make(in parent: String?) throws -> String {
    let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    let name = "stratus-bench-\(ProcessInfo.processInfo.processIdentifier)"
    let work = parent.appendingPathComponent(name)
    remove(work.path)
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    return work.path
  }

  static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
