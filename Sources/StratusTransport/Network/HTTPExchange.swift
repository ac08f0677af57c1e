public import Foundation
public import StratusWire

/// Sends one HTTP request and returns the response. This protocol and ``EventExchange`` are the
/// transport's only access to a network.
///
/// Tests and servers in the same process provide their own implementations.
public protocol HTTPExchange: Sendable {
  /// Sends a request.
  ///
  /// If the current task is cancelled, the call ends early.
  /// - Throws: ``NetworkFailure`` if no response arrived. A response with an error status is not a
  ///   failure.
  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse
}

/// A request to a server.
public struct HTTPRequest: Sendable {
  /// The HTTP method. GET downloads files and opens notification streams. All other requests use
  /// POST.
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  public var method: Method
  public var url: URL
  public var headers: [String: String]
  public var body: [UInt8]
  /// The request fails after this number of seconds without a received byte.
  public var timeoutSeconds: Double
  /// The maximum number of seconds for the whole request with its response. nil means no limit.
  public var totalSeconds: Double?
  /// The maximum number of bytes of the response's body.
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

/// A server's response.
public struct HTTPResponse: Sendable {
  public var status: Int
  /// The header fields, with names in lower case.
  public var headers: [String: String]
  public var body: [UInt8]
  /// Whether the body was larger than the limit. `body` is empty in that case.
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

/// The reason why no response arrived.
public enum NetworkFailure: Error, Sendable, Hashable {
  /// This machine cannot reach the server: it has no network, or the server's name has no address.
  case notConnected
  /// The server could not be reached. It has not received any part of the request.
  case lostBeforeSending
  /// The connection broke after sending began. The server may have carried out the request.
  case lostAfterSending
  /// The server did not respond in time. It may have carried out the request.
  case timedOut
  /// The task that sent the request was cancelled.
  case cancelled
}
