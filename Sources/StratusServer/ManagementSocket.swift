import Foundation
import StratusHTTP

/// Where a server listens for the operator's commands, and what it takes away when it ends.
struct ManagementSocket {
  private static let name = "management.sock"
  /// The longest path of a socket: 108 bytes on Linux and 104 elsewhere, the last of them 0.
  private static let pathBytesMax = 103

  let place: HTTPServer.ManagementPlace
  private let folderToRemove: URL?

  /// - Parameter port: where to listen in place of a socket; nil: a socket.
  /// - Throws: if there is no place for a socket.
  init(data: URL, port: Int?) throws {
    if let port {
      place = .port(port)
      folderToRemove = nil
      return
    }
    let socket = data.standardizedFileURL.appendingPathComponent(Self.name)
    if socket.path.utf8.count <= Self.pathBytesMax {
      // The socket of a killed server would be in the way; the folder is locked.
      try? FileManager.default.removeItem(at: socket)
      place = .socket(path: socket.path)
      folderToRemove = nil
      return
    }
    // The data folder's path is too long for a socket: then a folder of the owner's own elsewhere.
    var template = Array("/tmp/stratus-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    place = .socket(path: path + "/" + Self.name)
    folderToRemove = URL(fileURLWithPath: path, isDirectory: true)
  }

  /// Removes the socket.
  func remove() {
    if case .socket(let path) = place { try? FileManager.default.removeItem(atPath: path) }
    if let folderToRemove { try? FileManager.default.removeItem(at: folderToRemove) }
  }
}
