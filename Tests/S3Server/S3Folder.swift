import Crypto
import Foundation

/// A folder that keeps the objects of a bucket, so that a killed server loses none.
///
/// Each object has a file: a line of JSON with its key, tag and time, and then its bytes.
struct S3Folder {
  private struct Head: Codable {
    var key: String
    var tag: String
    var modified: Int64
  }

  private let url: URL

  init(path: String) { url = URL(filePath: path, directoryHint: .isDirectory) }

  /// Returns all objects by their keys. A file that cannot be read is left out.
  func read() -> [String: S3Objects.Object] {
    let files = try? FileManager.default.contentsOfDirectory(
      at: url, includingPropertiesForKeys: nil)
    var objects: [String: S3Objects.Object] = [:]
    for file in files ?? [] {
      guard let contents = try? Data(contentsOf: file),
        let end = contents.firstIndex(of: UInt8(ascii: "\n")),
        let head = try? JSONDecoder().decode(Head.self, from: contents[..<end])
      else { continue }
      objects[head.key] = S3Objects.Object(
        bytes: Array(contents[contents.index(after: end)...]), tag: head.tag,
        modified: head.modified)
    }
    return objects
  }

  /// Stores an object, or removes it if it is nil. Returns whether this succeeded.
  func keep(_ object: S3Objects.Object?, _ key: String) -> Bool {
    let file = url.appending(path: S3Check.hex(SHA256.hash(data: Array(key.utf8))))
    do {
      if let object {
        let head = Head(key: key, tag: object.tag, modified: object.modified)
        let contents = try JSONEncoder().encode(head) + [UInt8(ascii: "\n")] + object.bytes
        // The file gets its name when it is complete.
        try contents.write(to: file, options: .atomic)
      } else if FileManager.default.fileExists(atPath: file.path) {
        try FileManager.default.removeItem(at: file)
      }
      return true
    } catch {
      return false
    }
  }
}
