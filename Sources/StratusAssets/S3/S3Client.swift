import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StratusDomain
import StratusWire

/// A request to S3.
struct S3Request: Sendable {
  var method = "GET"
  /// The key of the object, or nil for the bucket itself.
  var key: String?
  var query: [(name: String, value: String)] = []
  /// The header fields, with names in lower case.
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// Whether a successful answer contains the bytes of an object. Such bytes are never interpreted
  /// as an error of S3.
  var isRead = false
  /// The maximum size of the answer's body.
  var answerBytesMax = 65_536
  /// The time after which an attempt fails.
  var timeoutSeconds: Int64 = 30
  /// The maximum number of attempts.
  var attemptsMax = S3Client.attemptsMax
}

/// An answer of S3 whose status is below 300, or a status that the caller accepts.
struct S3Answer: Sendable {
  var status: Int
  /// The header fields. Their names are in lower case.
  var headers: [String: String]
  var body: [UInt8]
}

/// Sends signed requests to S3, and repeats requests that failed because of the network or because
/// S3 was overloaded.
public final class S3Client: Sendable {
  /// The usual maximum number of attempts for a request.
  static let attemptsMax = 4
  /// The maximum number of connections that the client keeps open.
  private static let connectionsMax = 64

  let location: S3Location
  private let credentials: S3CredentialSource
  private let client: HTTPClient
  private let now: @Sendable () -> Int64
  private let chance: @Sendable () -> Double
  private let pause: @Sendable (_ milliseconds: Int64) async -> Void

  /// - Parameters:
  ///   - now: returns the time in milliseconds since 1970 UTC.
  ///   - chance: returns a random number in 0 ..< 1, which varies the pauses.
  ///   - pause: waits before a request is repeated.
  public init(
    location: S3Location, credentials: S3CredentialSource,
    now: @escaping @Sendable () -> Int64, chance: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ milliseconds: Int64) async -> Void = S3Client.sleep
  ) {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(
        connect: .seconds(5), read: .seconds(60), write: .seconds(60)))
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsMax
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(configuration: configuration)
    self.location = location
    self.credentials = credentials
    self.now = now
    self.chance = chance
    self.pause = pause
  }

  @Sendable public static func sleep(milliseconds: Int64) async {
    try? await Task.sleep(for: .milliseconds(milliseconds))
  }

  /// Closes the connections. This method must be called once, when no request is in progress.
  public func close() async { try? await client.shutdown() }

  /// Sends a request, and repeats it after a temporary failure.
  ///
  /// - Parameter accepted: the statuses of 300 and above that are no errors for the caller.
  /// - Throws: `TRY_AGAIN_LATER` if S3 cannot be reached or is overloaded; `INTERNAL_ERROR` if S3
  ///   refuses the request, or if there are no credentials.
  func send(
    _ request: S3Request, accepting accepted: Set<Int> = []
  ) async throws(ServerError) -> S3Answer {
    var hasNewCredentials = false
    var attempt = 1
    while true {
      let outcome = await self.attempt(request)
      let failure: ServerError
      switch outcome {
      case .failure(let error): failure = error
      case .success(let answer):
        let hasObject = request.isRead && answer.status < 300
        let error = hasObject ? nil : Self.error(in: answer)
        if error == nil, answer.status < 300 { return answer }
        if accepted.contains(answer.status) { return answer }
        let code = error?.code ?? ""
        if answer.status == 403, Self.credentialCodes.contains(code), !hasNewCredentials {
          hasNewCredentials = true
          if (try? credentials.renewed()) != nil { continue }
        }
        guard Self.isTemporary(answer.status, code) else {
          throw Self.refused(request, answer, code, error?.message)
        }
        failure = Self.unavailable("S3 answered \(answer.status) \(code)")
      }
      guard attempt < request.attemptsMax, !Task.isCancelled else { throw failure }
      await pause(pauseMilliseconds(after: attempt))
      attempt += 1
    }
  }

  /// Returns a URL by which everyone can read an object, or nil if there are no permanent
  /// credentials. A URL that temporary credentials have signed would expire with them, and the
  /// client does not know this time.
  ///
  /// - Parameters:
  ///   - query: the values that S3 uses in its answer, such as `response-content-type`.
  ///   - start: the time from which the URL is valid, in milliseconds since 1970 UTC.
  ///   - seconds: the time until the URL expires.
  func presignedURL(
    ofKey key: String, query: [(name: String, value: String)], from start: Int64, seconds: Int64
  ) -> String? {
    guard let known = try? credentials.current(), known.sessionToken == nil else { return nil }
    let path = location.path(ofKey: key)
    let signed = S3Signature(credentials: known, region: location.region, time: start).signedQuery(
      method: "GET", path: path, query: query, host: location.host, seconds: seconds)
    return "\(location.scheme)://\(location.host)\(path)?\(signed)"
  }

  /// The error codes after which the client reads the credentials again.
  private static let credentialCodes: Set = [
    "ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch",
  ]

  private static func isTemporary(_ status: Int, _ code: String) -> Bool {
    [408, 429, 500, 502, 503, 504].contains(status)
      || ["InternalError", "RequestTimeout", "SlowDown", "ServiceUnavailable"].contains(code)
  }

  /// Returns 50 ms to 1.6 s. The pauses are random, so that failed requests are not repeated all at
  /// the same time.
  private func pauseMilliseconds(after attempt: Int) -> Int64 {
    let base = Int64(100) << (2 * Int64(attempt - 1))
    return base / 2 + Int64(Double(base / 2) * chance())
  }

  /// Returns the error in an answer. S3 can report an error with the status 200, because it may
  /// begin its answer before it has joined or copied an object.
  private static func error(in answer: S3Answer) -> (code: String, message: String)? {
    guard answer.body.first == UInt8(ascii: "<"), let root = S3Element(answer.body),
      root.name == "Error"
    else { return nil }
    return (root["Code"] ?? "", root["Message"] ?? "")
  }

  private func attempt(_ request: S3Request) async -> Result<S3Answer, ServerError> {
    let key: S3Credentials
    do throws(S3Credentials.Fault) { key = try credentials.current() } catch {
      return .failure(.fault("\(error.description)"))
    }
    let path = location.path(ofKey: request.key)
    let signature = S3Signature(credentials: key, region: location.region, time: now())
    let signed = signature.signedHeaders(
      method: request.method, path: path, query: request.query,
      headers: request.headers + [(name: "host", value: location.host)],
      payloadHash: S3Signature.hash(request.body))
    let query = request.query.isEmpty ? "" : "?" + S3Signature.queryText(request.query)
    var sent = HTTPClientRequest(url: "\(location.scheme)://\(location.host)\(path)\(query)")
    sent.method = HTTPMethod(rawValue: request.method)
    for (name, value) in signed { sent.headers.replaceOrAdd(name: name, value: value) }
    if !request.body.isEmpty || request.method == "PUT" || request.method == "POST" {
      sent.body = .bytes(ByteBuffer(bytes: request.body))
    }
    do {
      let response = try await client.execute(sent, timeout: .seconds(request.timeoutSeconds))
      let body = try await response.body.collect(upTo: request.answerBytesMax)
      let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
      return .success(
        S3Answer(
          status: Int(response.status.code),
          headers: Dictionary(headers) { first, _ in first }, body: Array(body.readableBytesView)))
    } catch {
      return .failure(Self.unavailable("\(error)"))
    }
  }

  private static func unavailable(_ what: String) -> ServerError {
    ServerError(
      .tryAgainLater, Reason.assetStoreLost, facts: ["fault": what], retryAfterSeconds: 5)
  }

  private static func refused(
    _ request: S3Request, _ answer: S3Answer, _ code: String, _ message: String?
  ) -> ServerError {
    var error = ServerError.fault(
      "S3 refused a request",
      facts: [
        "method": request.method, "status": "\(answer.status)", "code": code,
        "message": message ?? "",
      ])
    error.hint =
      switch code {
      case "RequestTimeTooSkewed": "set the clock of this machine"
      case "NoSuchBucket": "create the bucket"
      case _ where answer.status == 403:
        "check the credentials, and the rights to read, write, list and delete"
      case _: nil
      }
    return error
  }
}
