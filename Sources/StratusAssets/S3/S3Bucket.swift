import Foundation
import StratusDomain
import StratusWire

/// The calls of S3 that the asset store needs.
struct S3Bucket: Sendable {
  /// An object in a list.
  struct Entry: Sendable {
    var key: String
    /// The time of the last change, in milliseconds since 1970 UTC.
    var modified: Int64
  }

  /// An unfinished multipart upload in a list.
  struct Unfinished: Sendable {
    var key: String
    var id: String
    /// The time at which the upload began, in milliseconds since 1970 UTC.
    var began: Int64
  }

  /// A stored part of a multipart upload.
  struct Part: Sendable, Hashable {
    /// The entity tag, which depends on the part's bytes.
    var tag: String
    var size: Int64
  }

  /// The maximum number of entries in one page of a list.
  static let pageMax = 1_000
  /// The size of the largest object that one request copies. S3 allows 5 GiB.
  static let copyBytesMax: Int64 = 4_294_967_296
  /// The size of the parts in which a larger object is copied.
  private static let copyPartBytes: Int64 = 1_073_741_824
  private static let listBytesMax = 4_194_304
  /// The timeout of requests that join or copy large objects.
  private static let longSeconds: Int64 = 600

  let client: S3Client

  // Objects

  /// Returns a part of an object and the size of the whole object, or nil if the object is missing.
  func get(
    _ key: String, at offset: Int64, count: Int
  ) async throws(ServerError) -> (bytes: [UInt8], size: Int64, modified: Int64?)? {
    let answer = try await client.send(
      S3Request(
        key: key,
        headers: [(name: "range", value: "bytes=\(offset)-\(offset + Int64(count) - 1)")],
        isRead: true, answerBytesMax: max(count, 65_536)), accepting: [404, 416])
    let modified = answer.headers["last-modified"].flatMap(S3Time.ofHeader)
    switch answer.status {
    case 404:
      return nil
    case 416:
      // S3 sends 416 for an empty object, because an empty object has no ranges.
      guard let head = try await head(key) else { return nil }
      return ([], head.size, head.modified)
    case 206:
      let range = answer.headers["content-range"] ?? ""
      guard let size = range.split(separator: "/").last.flatMap({ Int64($0) }) else {
        throw .fault("S3 sent a part of an object without its size")
      }
      return (answer.body, size, modified)
    case _:
      return (answer.body, Int64(answer.body.count), modified)
    }
  }

  /// Returns the size and the time of an object, or nil if the object is missing.
  func head(
    _ key: String
  ) async throws(ServerError) -> (size: Int64, modified: Int64?)? {
    let answer = try await client.send(S3Request(method: "HEAD", key: key), accepting: [404])
    if answer.status == 404 { return nil }
    guard let size = answer.headers["content-length"].flatMap({ Int64($0) }) else {
      throw .fault("S3 sent no size of an object")
    }
    return (size, answer.headers["last-modified"].flatMap(S3Time.ofHeader))
  }

  func put(_ key: String, _ bytes: [UInt8]) async throws(ServerError) {
    _ = try await client.send(
      S3Request(
        method: "PUT", key: key,
        headers: [(name: "content-type", value: "application/octet-stream")], body: bytes,
        timeoutSeconds: 120))
  }

  /// Stores an object, unless there is one with the same key.
  ///
  /// NB: some storages ignore the condition, and the method then replaces the object. A storage
  /// that refuses the condition gets the request again without it. So the caller must read the
  /// object afterwards.
  func create(_ key: String, _ bytes: [UInt8]) async throws(ServerError) {
    let answer = try await client.send(
      S3Request(
        method: "PUT", key: key,
        headers: [
          (name: "content-type", value: "application/octet-stream"),
          (name: "if-none-match", value: "*"),
        ], body: bytes, timeoutSeconds: 120), accepting: [400, 409, 412, 501])
    if [400, 501].contains(answer.status) { try await put(key, bytes) }
  }

  /// Removes an object. A missing object is not an error.
  func delete(_ key: String) async throws(ServerError) {
    _ = try await client.send(S3Request(method: "DELETE", key: key), accepting: [404])
  }

  /// Lists objects in the byte order of their keys.
  ///
  /// - Parameters:
  ///   - key: the key after which the list begins, or nil.
  ///   - limit: at most ``pageMax``.
  func list(
    prefix: String, after key: String?, limit: Int
  ) async throws(ServerError) -> [Entry] {
    var query = [
      (name: "list-type", value: "2"), (name: "max-keys", value: "\(min(limit, Self.pageMax))"),
      (name: "prefix", value: prefix),
    ]
    if let key { query.append((name: "start-after", value: key)) }
    let root = try await list(query)
    var entries: [Entry] = []
    for element in root.all("Contents") {
      guard let key = element["Key"], let modified = element["LastModified"].flatMap(S3Time.ofList)
      else { throw .fault("S3 sent a malformed list") }
      entries.append(Entry(key: key, modified: modified))
    }
    return entries
  }

  /// Requests a short list.
  ///
  /// Choice: there are only two attempts, because `stratus status` waits for the result. The second
  /// attempt is for a connection that S3 has closed.
  ///
  /// - Parameter timeoutSeconds: the maximum time of an attempt.
  func requireAnswer(prefix: String, timeoutSeconds: Int64) async throws(ServerError) {
    let query = [
      (name: "list-type", value: "2"), (name: "max-keys", value: "1"),
      (name: "prefix", value: prefix),
    ]
    _ = try await client.send(
      S3Request(query: query, timeoutSeconds: timeoutSeconds, attemptsMax: 2))
  }

  private func list(
    _ query: [(name: String, value: String)]
  ) async throws(ServerError) -> S3Element {
    let answer = try await client.send(
      S3Request(query: query, answerBytesMax: Self.listBytesMax))
    guard let root = S3Element(answer.body) else { throw .fault("S3 sent a malformed list") }
    return root
  }

  // Multipart uploads

  /// Begins a multipart upload, and returns its ID.
  func begin(_ key: String) async throws(ServerError) -> String {
    let answer = try await client.send(
      S3Request(
        method: "POST", key: key, query: [(name: "uploads", value: "")],
        headers: [(name: "content-type", value: "application/octet-stream")]))
    guard let id = S3Element(answer.body)?["UploadId"], !id.isEmpty else {
      throw .fault("S3 began a multipart upload without an ID")
    }
    return id
  }

  /// Stores one part.
  ///
  /// - Parameter number: the number of the part, counted from 1.
  /// - Throws: `CONFLICT` if the multipart upload does not exist any more.
  func put(
    _ bytes: [UInt8], asPart number: Int, of id: String, _ key: String
  ) async throws(ServerError) -> Part {
    let answer = try await client.send(
      S3Request(
        method: "PUT", key: key, query: Self.part(number, of: id), body: bytes,
        timeoutSeconds: 120), accepting: [404])
    if answer.status == 404 { throw ServerError(.conflict, Reason.assetUploadLost) }
    guard let tag = answer.headers["etag"] else { throw .fault("S3 sent no tag of a part") }
    return Part(tag: tag, size: Int64(bytes.count))
  }

  /// Joins the parts of a multipart upload.
  ///
  /// S3 refuses parts whose bytes have changed, because the request contains the tag of each part.
  ///
  /// - Returns: whether this request has certainly joined the parts. It is false if the multipart
  ///   upload does not exist any more, perhaps because an earlier attempt succeeded.
  /// - Throws: `CONFLICT` if another upload has replaced a part.
  func join(_ parts: [Part], of id: String, _ key: String) async throws(ServerError) -> Bool {
    let list = parts.enumerated().map { index, part in
      "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(part.tag)</ETag></Part>"
    }
    let answer = try await client.send(
      S3Request(
        method: "POST", key: key, query: [(name: "uploadId", value: id)],
        headers: [(name: "content-type", value: "application/xml")],
        body: Array("<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>".utf8),
        timeoutSeconds: Self.longSeconds), accepting: [400, 404])
    switch answer.status {
    case 404: return false
    case 400:
      let code = S3Element(answer.body)?["Code"] ?? ""
      if code == "InvalidPart" { throw ServerError(.conflict, Reason.assetUploadLost) }
      throw .fault("S3 cannot join the parts of an upload", facts: ["code": code])
    case _: return true
    }
  }

  /// Removes a multipart upload. A missing upload is not an error.
  func abort(_ id: String, _ key: String) async throws(ServerError) {
    _ = try await client.send(
      S3Request(method: "DELETE", key: key, query: [(name: "uploadId", value: id)]),
      accepting: [404])
  }

  /// Lists unfinished multipart uploads whose keys begin with `prefix`: one page, after `last`.
  func unfinished(
    prefix: String, after last: Unfinished?
  ) async throws(ServerError) -> [Unfinished] {
    var query = [
      (name: "max-uploads", value: "\(Self.pageMax)"), (name: "prefix", value: prefix),
      (name: "uploads", value: ""),
    ]
    if let last {
      query.append((name: "key-marker", value: last.key))
      query.append((name: "upload-id-marker", value: last.id))
    }
    return try await list(query).all("Upload").compactMap { element in
      guard let key = element["Key"], let id = element["UploadId"],
        let began = element["Initiated"].flatMap(S3Time.ofList)
      else { return nil }
      return Unfinished(key: key, id: id, began: began)
    }
  }

  /// Copies an object inside S3.
  func copy(_ source: String, to key: String, size: Int64) async throws(ServerError) {
    let from = (name: "x-amz-copy-source", value: "/\(client.location.bucket)/\(source)")
    if size <= Self.copyBytesMax {
      _ = try await client.send(
        S3Request(method: "PUT", key: key, headers: [from], timeoutSeconds: Self.longSeconds))
      return
    }
    let id = try await begin(key)
    var parts: [Part] = []
    do throws(ServerError) {
      for start in stride(from: Int64(0), to: size, by: Int64.Stride(Self.copyPartBytes)) {
        let end = min(start + Self.copyPartBytes, size)
        let range = (name: "x-amz-copy-source-range", value: "bytes=\(start)-\(end - 1)")
        let answer = try await client.send(
          S3Request(
            method: "PUT", key: key, query: Self.part(parts.count + 1, of: id),
            headers: [from, range], timeoutSeconds: Self.longSeconds))
        guard let tag = S3Element(answer.body)?["ETag"] else {
          throw .fault("S3 sent no tag of a part")
        }
        parts.append(Part(tag: tag, size: end - start))
      }
      if try await join(parts, of: id, key) { return }
      guard try await head(key)?.size == size else { throw .fault("S3 lost a copied object") }
    } catch {
      try? await abort(id, key)
      throw error
    }
  }

  private static func part(_ number: Int, of id: String) -> [(name: String, value: String)] {
    [(name: "partNumber", value: "\(number)"), (name: "uploadId", value: id)]
  }
}
