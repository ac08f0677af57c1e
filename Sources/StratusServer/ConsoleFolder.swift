import Foundation
public import StratusConsole

/// Serves the console's front end from a folder, for work on the front end. The files are read
/// again for each request.
public struct ConsoleFolder: ConsoleFileSource {
  private let folder: URL
  /// The name in the paths of the files, in place of a hash.
  private static let name = "folder"

  /// - Parameter path: the path of the folder.
  public init(_ path: String) {
    folder = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
  }

  public var isFixed: Bool { false }

  public var page: ConsoleFiles.File {
    let bytes = read(ConsoleFiles.pagePath) ?? Array("The folder has no index.html.".utf8)
    let text = String(decoding: bytes, as: UTF8.self)
    return ConsoleFiles.File(
      contentType: "text/html; charset=utf-8",
      bytes: Array(
        text.replacingOccurrences(of: ConsoleFiles.placeholder, with: Self.name).utf8))
  }

  public func file(at path: String) -> ConsoleFiles.File? {
    let prefix = ConsoleFiles.folder + Self.name + "/"
    guard path.hasPrefix(prefix) else { return nil }
    let name = String(path.dropFirst(prefix.count))
    guard let bytes = read(name) else { return nil }
    return ConsoleFiles.File(contentType: ConsoleFiles.contentType(of: name), bytes: bytes)
  }

  /// Returns the bytes of a file in the folder, or nil. A path that leads out of the folder counts
  /// as missing.
  private func read(_ name: String) -> [UInt8]? {
    let file = folder.appendingPathComponent(name).resolvingSymlinksInPath()
    guard file.path.hasPrefix(folder.path + "/") else { return nil }
    return (try? Data(contentsOf: file)).map(Array.init)
  }
}
