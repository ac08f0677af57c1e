public import Foundation
public import StratusWire

/// Sends one HTTP request and answers what came back: the only thing Transport asks of a network.
///
/// Tests and servers in the same process put their own in its place.
public protocol HTTPExchange: Sendable {
  /// Sends a request.
  ///
  /// Heeds cancellation of the task it runs in.
  /// - Throws: ``NetworkFailure`` if no answer came; an answer of any status is no failure.
  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse
}

/// A request to a server.
public struct HTTPRequest: Sendable {
  /// What is asked for: bytes are fetched by GET, all else is a POST.
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  public var method: Method
  public var url: URL
  public var headers: [String: String]
  public var body: [UInt8]
  /// Seconds without a byte after which the request is given up.
  public var timeoutSeconds: Double
  /// Seconds after which the request is given up, however much of its answer has come; nil: no
  /// bound.
  public var totalSeconds: Double?
  /// Bytes of the answer's body that are taken.
  public var answerBytesMax: Int

  public init(
    method: Method = .post, url: URL, headers: [String: String] = [:], body: [UInt8],
    timeoutSeconds: Double, totalSeconds: Double? = nil,
    answerBytesMax: Int = Limits.clientAnswerBytesMax
  ) {
    self.totalSeconds = totalSeconds
    self.answerBytesMax = answerBytesMax
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeoutSeconds = timeoutSeconds
  }
}

/// What the server answered.
public struct HTTPResponse: Sendable {
  public var status: Int
  /// Names in lower case.
  public var headers: [String: String]
  public var body: [UInt8]
  /// Whether the body has more bytes than the request takes; then none of them are here.
  public var isTooLarge: Bool

  public init(
    status: Int, headers: [String: String] = [:], body: [UInt8], isTooLarge: Bool = false
  ) {
    self.isTooLarge = isTooLarge
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why no answer came.
public enum NetworkFailure: Error, Sendable, Hashable {
  /// This machine has no way to the server: no network, or no address for its name.
  case notConnected
  /// The server could not be reached; it has seen nothing of the request.
  case lostBeforeSending
  /// The connection broke later; the server may have carried the request out.
  case lostAfterSending
  /// The server kept silent; it may have carried the request out.
  case timedOut
  /// The task that sent the request was cancelled.
  case cancelled
}
