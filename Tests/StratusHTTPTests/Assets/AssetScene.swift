import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// The bytes "abc" and their SHA-256 in base64 (FIPS 180-4, example B.1).
let abc = Array("abc".utf8)
let checksumOfABC = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="

/// The answer to a request to a file's URL.
struct Transferred: Sendable {
  let status: Int
  let headers: HTTPFields
  let bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var json: JSON { get throws { try JSON(parsing: bytes) } }

  func header(_ name: String) throws -> String? {
    headers[try #require(HTTPField.Name(name))]
  }
}

extension Client {
  /// Requests upload URLs, one for each field.
  func uploadTargets(_ tokens: JSON, in zone: String? = nil) async throws -> JSON {
    var body: JSON = ["tokens": tokens]
    if let zone { body = body.with("zoneID", ["zoneName": "\(zone)"]) }
    return try await post("assets/upload", body)["tokens"]
  }

  /// An upload URL for the photo of a note.
  func uploadURL(recordName: String = "n") async throws -> String {
    let targets = try await uploadTargets([
      ["recordName": "\(recordName)", "recordType": "Note", "fieldName": "photo"]
    ])
    return try #require(targets[0]["url"].string)
  }

  /// Sends a request to an absolute URL of this server, without any token.
  func transfer(
    _ method: HTTPRequest.Method, _ url: String, headers: [String: String] = [:],
    body: any SentBody = WholeBody([])
  ) async throws -> Transferred {
    let prefix = "http://stratus.test"
    try #require(url.hasPrefix(prefix + "/"), "\(url)")
    var head = HTTPRequest(
      method: method, scheme: "http", authority: "stratus.test",
      path: String(url.dropFirst(prefix.count)))
    for (name, value) in headers {
      head.headerFields[try #require(HTTPField.Name(name))] = value
    }
    let (answer, contents) = await router.answer(head, body: body)
    return Transferred(
      status: answer.status.code, headers: answer.headerFields,
      bytes: try await contents.collected())
  }

  func transfer(
    _ method: HTTPRequest.Method, _ url: String, headers: [String: String] = [:], _ bytes: [UInt8]
  ) async throws -> Transferred {
    try await transfer(method, url, headers: headers, body: WholeBody(bytes))
  }

  /// Uploads bytes and returns the asset value for a field.
  func upload(_ bytes: [UInt8], to url: String? = nil) async throws -> JSON {
    let target: String
    if let url { target = url } else { target = try await uploadURL() }
    let answer = try await transfer(.post, target, bytes)
    try #require(answer.status == 200, "\(answer.text)")
    return try answer.json["singleFile"]
  }

  /// Saves a note with a photo and returns it as the server stores it.
  @discardableResult
  func saveNote(
    _ name: String = "n", photo: JSON, in zone: String? = nil
  ) async throws -> JSON {
    let saved = try await save(name, in: zone, fields: ["photo": ["value": photo]])
    try #require(saved["serverErrorCode"].isNull, "\(saved)")
    return saved
  }

  /// The download URL of a note's photo.
  func downloadURL(of name: String = "n") async throws -> String {
    let photo = try await lookup([name])[0]["fields"]["photo"]["value"]
    return try #require(photo["downloadURL"].string, "\(photo)")
  }
}

/// A request body that arrives in the given chunks, and then ends or fails.
struct PiecedBody: SentBody {
  let parts: [[UInt8]]
  var breaks = false

  func bytes() async throws(ServerError) -> [UInt8] { parts.flatMap { $0 } }

  func pieces() -> any BodyPieces { Pieces(parts, breaks) }

  private final class Pieces: BodyPieces {
    private var rest: ArraySlice<[UInt8]>
    private let breaks: Bool

    init(_ parts: [[UInt8]], _ breaks: Bool) {
      rest = parts[...]
      self.breaks = breaks
    }

    func next() async throws(ServerError) -> [UInt8]? {
      if let part = rest.popFirst() { return part }
      if breaks { throw .badRequest("the connection broke") }
      return nil
    }
  }
}

extension TestServer {
  /// The names of the complete asset files in the server's folder.
  func files() throws -> Set<String> { try names(in: "files") }

  /// The names of the files of unfinished uploads in the server's folder.
  func unfinished() throws -> Set<String> { try names(in: "uploads") }

  private func names(in place: String) throws -> Set<String> {
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.contains(".assets/\(place)/") {
      var isFolder: ObjCBool = false
      let full = folder.path + "/" + path
      _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
      if !isFolder.boolValue { names.insert((path as NSString).lastPathComponent) }
    }
    return names
  }
}
