import Foundation
import StratusHTTP

/// The address at which a server listens for the operator's commands. A socket is removed when the
/// server stops, and so is its folder if the server has created it for the socket.
struct ManagementSocket {
  private static let name = "management.sock"
  /// The maximum length of a socket's path. Systems allow 108 bytes (Linux) or 104 bytes, including
  /// a final zero byte.
  private static let pathBytesMax = 103

  let address: HTTPServer.ManagementAddress
  private let folderToRemove: URL?

  /// - Parameter port: the port at which the server listens, or nil to use a socket.
  /// - Throws: an error if the socket cannot be created.
  init(data: URL, port: Int?) throws {
    if let port {
      address = .port(port)
      folderToRemove = nil
      return
    }
    let socket = data.standardizedFileURL.appendingPathComponent(Self.name)
    if socket.path.utf8.count <= Self.pathBytesMax {
      // A killed server leaves its socket behind. The data folder is locked, so no running server
      // uses this socket.
      try? FileManager.default.removeItem(at: socket)
      address = .socket(path: socket.path)
      folderToRemove = nil
      return
    }
    // The path of the data folder is too long for a socket, so the socket is in a private folder in
    // `/tmp`.
    var template = Array("/tmp/stratus-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    address = .socket(path: path + "/" + Self.name)
    folderToRemove = URL(fileURLWithPath: path, isDirectory: true)
  }

  /// Removes the socket.
  func remove() {
    if case .socket(let path) = address { try? FileManager.default.removeItem(atPath: path) }
    if let folderToRemove { try? FileManager.default.removeItem(at: folderToRemove) }
  }
}
