import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// A small S3 server for tests. It refuses requests whose signature, payload hash or time is wrong.
///
/// The server follows the Amazon S3 API Reference and uses no code of `StratusAssets`. A mistake in
/// one of them is therefore found unless both contain it. `Tests/Interop/s3` also sends requests of
/// boto3 to this server.
public final class S3Server: Sendable {
  public struct Settings: Sendable {
    public var accessKeyID = "TESTKEY"
    public var secretAccessKey = "test/secret+of=the/test"
    public var sessionToken: String?
    public var region = "us-east-1"
    public var bucket = "assets"
    /// The minimum size of all parts of a multipart upload except the last one.
    public var partBytesMin = 5_242_880
    /// The port. The server chooses a free one if this is 0.
    public var port = 0
    /// An existing folder that keeps the objects; nil keeps them in memory only.
    public var folder: String?
    /// The treatment of `If-None-Match: *` in a PUT request, by which a client creates an object
    /// only if there is none.
    public var conditions = Conditions.kept
    /// Returns the time in milliseconds since 1970 UTC.
    public var now: @Sendable () -> Int64

    public init(now: @escaping @Sendable () -> Int64) { self.now = now }
  }

  /// The treatment of the condition of a PUT request. Amazon S3 supports it since 2024, and refused
  /// it before. Other storages may ignore it, or call it malformed.
  public enum Conditions: Sendable, CaseIterable {
    case kept, ignored, malformed, refused
  }

  /// A received request.
  public struct Received: Sendable {
    public let method: String
    /// The path and the query, as they were sent.
    public let target: String
    /// The key of the object, or an empty text for the bucket.
    public let key: String
    public let query: [String: String]
  }

  /// A fault that the server shows instead of a correct answer.
  public enum Fault: Sendable {
    /// The server does not execute the request, and answers with an error.
    case refusal(Int, String)
    /// The server executes the request, but answers with an error.
    case lostAnswer(Int, String)
  }

  let settings: Settings
  let objects: Mutex<S3Objects>
  private let received = Mutex<[Received]>([])
  private let faults = Mutex<(@Sendable (Received) -> Fault?)?>(nil)
  private let port = Mutex(0)

  /// The address of the server.
  public var url: String { "http://127.0.0.1:\(port.withLock(\.self))" }
  /// All requests for the bucket with a correct signature, in the order of their arrival.
  public var requests: [Received] { received.withLock(\.self) }
  /// The keys of all objects, sorted by their bytes.
  public var keys: [String] { objects.withLock { $0.keys } }
  /// The number of unfinished multipart uploads.
  public var unfinishedCount: Int { objects.withLock { $0.uploads.count } }

  /// Sets a function that returns the fault of a request, or nil for a correct answer.
  public func setFaults(_ faults: (@Sendable (Received) -> Fault?)?) {
    self.faults.withLock { $0 = faults }
  }

  /// Returns the bytes of an object, or nil if there is none.
  public func bytes(_ key: String) -> [UInt8]? { objects.withLock { $0.objects[key]?.bytes } }

  init(_ settings: Settings) {
    self.settings = settings
    objects = Mutex(
      S3Objects(
        bucket: settings.bucket, partBytesMin: settings.partBytesMin,
        conditions: settings.conditions,
        folder: settings.folder.map(S3Folder.init(path:))))
  }

  /// Runs a server while `body` runs.
  public static func running<Result: Sendable>(
    _ settings: Settings, _ body: @escaping @Sendable (S3Server) async throws -> Result
  ) async throws -> Result {
    let server = S3Server(settings)
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = Application(
      responder: S3Responder(server: server),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: settings.port)),
      onServerRunning: { channel in
        port.yield(channel.localAddress?.port ?? 0)
        port.finish()
      },
      logger: {
        var logger = Logger(label: "s3")
        logger.logLevel = .error
        return logger
      }())
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        try await application.run()
        return nil
      }
      group.addTask {
        for await port in ports { server.port.withLock { $0 = port } }
        return try await body(server)
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      throw CancellationError()
    }
  }

  fileprivate func note(_ request: Received) -> Fault? {
    received.withLock { $0.append(request) }
    let react = faults.withLock(\.self)
    return react?(request)
  }
}

/// A request with its path and query already separated.
struct S3Call {
  var method: String
  var target: String
  /// The header fields. Their names are in lower case.
  var headers: [String: String]
  var body: [UInt8]
  /// The encoded path.
  var path: String
  /// The decoded names and values of the query, in the sent order.
  var query: [(name: String, value: String)]

  init(method: String, target: String, headers: [String: String], body: [UInt8]) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts.first ?? "/")
    query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { item in
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = pair.map { $0.replacing("+", with: "%20").removingPercentEncoding ?? "" }
      return (texts[0], texts.count > 1 ? texts[1] : "")
    }
  }

  subscript(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// An answer of the server.
struct S3Reply {
  var status = 200
  var headers: [(String, String)] = []
  var body: [UInt8] = []

  /// An XML document.
  static func xml(_ text: String) -> S3Reply {
    S3Reply(
      headers: [("content-type", "application/xml")],
      body: Array(("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + text).utf8))
  }

  static func error(_ status: Int, _ code: String, _ message: String = "") -> S3Reply {
    var reply = xml("<Error><Code>\(code)</Code><Message>\(message)</Message></Error>")
    reply.status = status
    return reply
  }
}

private struct S3Responder: HTTPResponder {
  typealias Context = BasicRequestContext

  let server: S3Server

  func respond(to request: Request, context: Context) async throws -> Response {
    let body = try await request.body.collect(upTo: 1 << 26)
    var headers = ["host": request.head.authority ?? ""]
    for field in request.headers { headers[field.name.canonicalName] = field.value }
    let call = S3Call(
      method: request.method.rawValue, target: request.head.path ?? "/", headers: headers,
      body: Array(body.readableBytesView))
    return response(reply(call), call)
  }

  private func reply(_ call: S3Call) -> S3Reply {
    let now = server.settings.now()
    if let refusal = S3Check(settings: server.settings, now: now).refusal(of: call) {
      return refusal
    }
    let start = "/" + server.settings.bucket
    guard call.path == start || call.path.hasPrefix(start + "/") else {
      return .error(404, "NoSuchBucket")
    }
    let key = String(call.path.dropFirst(start.count + 1)).removingPercentEncoding ?? ""
    let fault = server.note(
      S3Server.Received(
        method: call.method, target: call.target, key: key,
        query: Dictionary(call.query.map { ($0.name, $0.value) }) { first, _ in first }))
    if case .refusal(let status, let code) = fault { return .error(status, code) }
    let reply = server.objects.withLock { $0.answer(call, key: key, now: now) }
    if case .lostAnswer(let status, let code) = fault { return .error(status, code) }
    return reply
  }

  private func response(_ reply: S3Reply, _ call: S3Call) -> Response {
    var fields = HTTPFields()
    for (name, value) in reply.headers {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    let isHead = call.method == "HEAD"
    if !isHead { fields[.contentLength] = "\(reply.body.count)" }
    return Response(
      status: .init(code: reply.status), headers: fields,
      body: isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
  }
}
