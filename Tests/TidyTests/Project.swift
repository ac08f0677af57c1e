import Foundation

/// The files of the project on this machine.
enum Project {
  /// The folder with `Package.swift`. Its path follows from the path of this source file.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every source file of the project. The files are read once.
  static let files: [SourceFile] =
    ["Sources", "Tests", "Examples", "Benches", "Simulation"].flatMap(sourceFiles(in:))
    + ["Package.swift"].compactMap(sourceFile(at:))

  /// The paths that git tracks, or nil if the folder is not a git repository, as in an unpacked
  /// archive.
  static let tracked: [String]? = trackedPaths()

  private static func sourceFiles(in area: String) -> [SourceFile] {
    let endings: Set = ["swift", "c", "h"]
    let enumerator = FileManager.default.enumerator(atPath: root.appending(path: area).path)
    let names = (enumerator?.allObjects ?? []).compactMap { $0 as? String }
    return names.sorted()
      .filter { endings.contains(($0 as NSString).pathExtension) }
      .compactMap { sourceFile(at: area + "/" + $0) }
  }

  private static func sourceFile(at path: String) -> SourceFile? {
    text(at: path).map { SourceFile(path: path, utf8: $0) }
  }

  /// The bytes of a file with line feeds as line ends, or nil if there is no such file.
  static func text(at path: String) -> [UInt8]? {
    let data = FileManager.default.contents(atPath: root.path + "/" + path)
    return data.map { withLineFeeds([UInt8]($0)) }
  }

  /// Replaces each carriage return, or each pair of a carriage return and a line feed, by a line
  /// feed.
  static func withLineFeeds(_ text: [UInt8]) -> [UInt8] {
    let hasReturn = text.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, 13, bytes.count) != nil } ?? false
    }
    guard hasReturn else { return text }
    let lines = String(decoding: text, as: UTF8.self).split(omittingEmptySubsequences: false) {
      ["\r\n", "\r", "\n"].contains($0)
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  private static func trackedPaths() -> [String]? {
    let git = Process()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "-C", root.path, "ls-files", "-z"]
    let output = Pipe()
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    guard (try? git.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    git.waitUntilExit()
    guard git.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).split(separator: "\0").map(String.init)
  }
}
