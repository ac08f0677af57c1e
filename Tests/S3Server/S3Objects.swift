import Crypto
import Foundation

/// The objects and the unfinished multipart uploads of one bucket, and the calls that change them.
struct S3Objects {
  struct Object {
    var bytes: [UInt8]
    var tag: String
    var modified: Int64
  }

  struct Upload {
    var key: String
    var began: Int64
    var parts: [Int: Object] = [:]
  }

  let bucket: String
  let partBytesMin: Int
  private let conditions: S3Server.Conditions
  /// Keeps the objects, but not unfinished uploads, after the end of the process.
  private let folder: S3Folder?
  var objects: [String: Object] = [:]
  var uploads: [String: Upload] = [:]
  private var uploadsCount = 0

  init(
    bucket: String, partBytesMin: Int, conditions: S3Server.Conditions, folder: S3Folder? = nil
  ) {
    self.bucket = bucket
    self.partBytesMin = partBytesMin
    self.conditions = conditions
    self.folder = folder
    objects = folder?.read() ?? [:]
  }

  /// The keys in their byte order.
  var keys: [String] { objects.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// Executes a request, and stores its effect before it returns.
  mutating func answer(_ call: S3Call, key: String, now: Int64) -> S3Reply {
    let reply = execute(call, key: key, now: now)
    guard let folder, !key.isEmpty, !["GET", "HEAD"].contains(call.method) else { return reply }
    return folder.keep(objects[key], key) ? reply : .error(500, "InternalError")
  }

  private mutating func execute(_ call: S3Call, key: String, now: Int64) -> S3Reply {
    switch (call.method, key.isEmpty) {
    case ("GET", true) where call["uploads"] != nil: return unfinished(call)
    case ("GET", true): return list(call)
    case ("HEAD", true), ("PUT", true): return S3Reply()
    case ("POST", false) where call["uploads"] != nil: return begin(key, now)
    case ("POST", false): return join(call, key, now)
    case ("PUT", false): return put(call, key, now)
    case ("DELETE", false): return delete(call, key)
    case ("GET", false), ("HEAD", false): return get(call, key)
    case _: return .error(501, "NotImplemented")
    }
  }

  // Objects

  private func get(_ call: S3Call, _ key: String) -> S3Reply {
    guard let object = objects[key] else { return .error(404, "NoSuchKey") }
    var reply = S3Reply(
      headers: [
        ("etag", object.tag), ("last-modified", Self.headerTime(object.modified)),
        ("accept-ranges", "bytes"),
      ])
    for name in ["content-type", "content-disposition", "cache-control"] {
      if let value = call["response-" + name] { reply.headers.append((name, value)) }
    }
    guard let range = call.headers["range"] else {
      reply.body = object.bytes
      if call.method == "HEAD" {
        reply.headers.append(("content-length", "\(object.bytes.count)"))
      }
      return reply
    }
    guard let range = Self.range(range, size: object.bytes.count) else {
      return .error(416, "InvalidRange")
    }
    reply.status = 206
    reply.headers.append(
      (
        "content-range",
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.bytes.count)"
      ))
    reply.body = Array(object.bytes[range])
    return reply
  }

  private mutating func put(_ call: S3Call, _ key: String, _ now: Int64) -> S3Reply {
    if call.headers["if-none-match"] == "*" {
      switch conditions {
      case .kept where objects[key] != nil: return .error(412, "PreconditionFailed")
      case .kept, .ignored: break
      case .malformed: return .error(400, "InvalidArgument")
      case .refused: return .error(501, "NotImplemented")
      }
    }
    var bytes = call.body
    let isCopy = call.headers["x-amz-copy-source"] != nil
    if let source = call.headers["x-amz-copy-source"] {
      let path = source.removingPercentEncoding ?? ""
      let start = path.hasPrefix("/") ? "/\(bucket)/" : "\(bucket)/"
      guard path.hasPrefix(start), let object = objects[String(path.dropFirst(start.count))] else {
        return .error(404, "NoSuchKey")
      }
      bytes = object.bytes
      if let range = call.headers["x-amz-copy-source-range"] {
        guard let range = Self.range(range, size: bytes.count) else {
          return .error(416, "InvalidRange")
        }
        bytes = Array(bytes[range])
      }
    }
    let object = Object(
      bytes: bytes, tag: "\"\(S3Check.hex(Insecure.MD5.hash(data: bytes)))\"", modified: now)
    if let number = call["partNumber"] {
      guard let number = Int(number), (1...10_000).contains(number) else {
        return .error(400, "InvalidArgument")
      }
      guard let id = call["uploadId"], uploads[id]?.key == key else {
        return .error(404, "NoSuchUpload")
      }
      uploads[id]?.parts[number] = object
    } else {
      objects[key] = object
    }
    guard isCopy else { return S3Reply(headers: [("etag", object.tag)]) }
    let name = call["partNumber"] == nil ? "CopyObjectResult" : "CopyPartResult"
    return .xml(
      "<\(name)><ETag>\(Self.escaped(object.tag))</ETag>"
        + "<LastModified>\(Self.listTime(now))</LastModified></\(name)>")
  }

  private mutating func delete(_ call: S3Call, _ key: String) -> S3Reply {
    if let id = call["uploadId"] {
      guard uploads[id]?.key == key else { return .error(404, "NoSuchUpload") }
      uploads[id] = nil
    } else {
      objects[key] = nil
    }
    return S3Reply(status: 204)
  }

  private func list(_ call: S3Call) -> S3Reply {
    guard call["list-type"] == "2" else { return .error(501, "NotImplemented") }
    let (prefix, limit) = (call["prefix"] ?? "", min(Int(call["max-keys"] ?? "") ?? 1_000, 1_000))
    let after = call["continuation-token"] ?? call["start-after"] ?? ""
    let all = keys.filter { $0.hasPrefix(prefix) && after.utf8.lexicographicallyPrecedes($0.utf8) }
    let page = all.prefix(limit)
    let contents = page.map { key in
      let object = objects[key]
      return "<Contents><Key>\(Self.escaped(key))</Key>"
        + "<LastModified>\(Self.listTime(object?.modified ?? 0))</LastModified>"
        + "<ETag>\(Self.escaped(object?.tag ?? ""))</ETag>"
        + "<Size>\(object?.bytes.count ?? 0)</Size><StorageClass>STANDARD</StorageClass></Contents>"
    }
    let next =
      all.count > page.count
      ? "<NextContinuationToken>\(Self.escaped(page.last ?? ""))</NextContinuationToken>" : ""
    return .xml(
      "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>\(bucket)</Name>"
        + "<Prefix>\(Self.escaped(prefix))</Prefix><KeyCount>\(page.count)</KeyCount>"
        + "<MaxKeys>\(limit)</MaxKeys><IsTruncated>\(all.count > page.count)</IsTruncated>\(next)"
        + contents.joined() + "</ListBucketResult>")
  }

  // Multipart uploads

  private mutating func begin(_ key: String, _ now: Int64) -> S3Reply {
    uploadsCount += 1
    let id = "upload-\(uploadsCount)"
    uploads[id] = Upload(key: key, began: now)
    return .xml(
      "<InitiateMultipartUploadResult><Bucket>\(bucket)</Bucket><Key>\(Self.escaped(key))</Key>"
        + "<UploadId>\(id)</UploadId></InitiateMultipartUploadResult>")
  }

  private mutating func join(_ call: S3Call, _ key: String, _ now: Int64) -> S3Reply {
    guard let id = call["uploadId"], let upload = uploads[id], upload.key == key else {
      return .error(404, "NoSuchUpload")
    }
    let text = String(decoding: call.body, as: UTF8.self)
    var bytes: [UInt8] = []
    var digests: [UInt8] = []
    var lastNumber = 0
    let parts = text.components(separatedBy: "<Part>").dropFirst()
    for (index, part) in parts.enumerated() {
      guard let number = Self.inside("PartNumber", part).flatMap({ Int($0) }), number > lastNumber
      else { return .error(400, "InvalidPartOrder") }
      lastNumber = number
      let tag = Self.inside("ETag", part)?.replacing("&quot;", with: "\"").replacing("\"", with: "")
      guard let stored = upload.parts[number], stored.tag.replacing("\"", with: "") == tag else {
        return .error(400, "InvalidPart")
      }
      if index < parts.count - 1, stored.bytes.count < partBytesMin {
        return .error(400, "EntityTooSmall")
      }
      bytes += stored.bytes
      digests += Array(Insecure.MD5.hash(data: stored.bytes))
    }
    if parts.isEmpty { return .error(400, "MalformedXML") }
    let tag = "\"\(S3Check.hex(Insecure.MD5.hash(data: digests)))-\(parts.count)\""
    objects[key] = Object(bytes: bytes, tag: tag, modified: now)
    uploads[id] = nil
    return .xml(
      "<CompleteMultipartUploadResult><Bucket>\(bucket)</Bucket><Key>\(Self.escaped(key))</Key>"
        + "<ETag>\(Self.escaped(tag))</ETag></CompleteMultipartUploadResult>")
  }

  private func unfinished(_ call: S3Call) -> S3Reply {
    let prefix = call["prefix"] ?? ""
    let after = (call["key-marker"] ?? "", call["upload-id-marker"] ?? "")
    let all = uploads.filter { $0.value.key.hasPrefix(prefix) && ($0.value.key, $0.key) > after }
      .sorted { ($0.value.key, $0.key) < ($1.value.key, $1.key) }
    let entries = all.prefix(Int(call["max-uploads"] ?? "") ?? 1_000).map { id, upload in
      "<Upload><Key>\(Self.escaped(upload.key))</Key><UploadId>\(id)</UploadId>"
        + "<Initiated>\(Self.listTime(upload.began))</Initiated></Upload>"
    }
    return .xml(
      "<ListMultipartUploadsResult><Bucket>\(bucket)</Bucket><IsTruncated>false</IsTruncated>"
        + entries.joined() + "</ListMultipartUploadsResult>")
  }

  // Texts

  private static func inside(_ name: String, _ text: String) -> String? {
    guard let start = text.range(of: "<\(name)>"), let end = text.range(of: "</\(name)>") else {
      return nil
    }
    return String(text[start.upperBound..<end.lowerBound])
  }

  /// Reads a range such as `bytes=0-99`. Returns nil if the object has no byte in the range.
  private static func range(_ text: String, size: Int) -> Range<Int>? {
    guard text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int(ends[0]), first < size else { return nil }
    let last = min(Int(ends[1]) ?? size - 1, size - 1)
    return first <= last ? first..<(last + 1) : nil
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  private static func headerTime(_ time: Int64) -> String {
    self.time(time, "%a, %d %b %Y %H:%M:%S GMT")
  }

  private static func listTime(_ time: Int64) -> String {
    self.time(time, "%Y-%m-%dT%H:%M:%S.000Z")
  }

  private static func time(_ time: Int64, _ format: String) -> String {
    var (seconds, parts) = (time_t(time / 1_000), tm())
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, format, &parts)
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
