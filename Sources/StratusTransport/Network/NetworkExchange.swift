import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Requests and streams over the network, by AsyncHTTPClient.
///
/// NB: not by Foundation's `URLSession`. On Linux its connections never stop asking whether they
/// could send, so that each request and each open stream takes half a processor while it waits.
public final class NetworkExchange: HTTPExchange, EventExchange {
  /// By their connections to one server. Never shut down: what a connection is still about to do
  /// must not meet its client's end, and those that nobody uses close by themselves after a minute.
  private static let clients = Mutex<[Int: HTTPClient]>([:])

  private let requests: HTTPClient
  /// NB: apart, as each stream has a connection to itself for as long as it lasts.
  private let streams: HTTPClient

  /// Makes an exchange that shares its connections with all of the process that have as many.
  ///
  /// - Parameter connectionsMax: connections to one server at the same time, streams not counted;
  ///   default 16.
  public init(connectionsMax: Int = 16) {
    requests = Self.client(connectionsMax: connectionsMax)
    streams = Self.client(connectionsMax: .max)
  }

  private static func client(connectionsMax: Int) -> HTTPClient {
    clients.withLock { clients in
      if let client = clients[connectionsMax] { return client }
      var configuration = HTTPClient.Configuration()
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsMax
      // Less than the 30 s after which a server closes an idle connection, so that no request is
      // sent over one that is about to close.
      configuration.connectionPool.idleTimeout = .seconds(20)
      // The connection repeats, by rules of its own.
      configuration.connectionPool.retryConnectionEstablishment = false
      // Other time limits are those of the requests.
      configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(30))
      // Whether an answer sends a request on is decided here; see ``Redirect``.
      configuration.redirectConfiguration = .disallow
      let client = HTTPClient(
        eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
        configuration: configuration)
      clients[connectionsMax] = client
      return client
    }
  }

  public func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    let deadline = request.totalSeconds.map { NIODeadline.now() + TimeAmount(boundedSeconds: $0) }
    var request = request
    var redirections = 0
    while true {
      let answer = try Self.begin(request, until: deadline, on: requests, holdsUnread: false)
      let response = try await answer.whole()
      let next = Redirect.target(
        status: response.status, headers: response.headers, of: request)
      guard let next, redirections < Redirect.countMax else { return response }
      request.url = next
      redirections += 1
    }
  }

  public func open(_ request: HTTPRequest) async throws(NetworkFailure) -> EventAnswer {
    var request = request
    var redirections = 0
    while true {
      let answer = try Self.begin(request, until: nil, on: streams, holdsUnread: true)
      let head = try await answer.head()
      let next = Redirect.target(status: head.status, headers: head.headers, of: request)
      guard let next, redirections < Redirect.countMax else {
        return EventAnswer(status: head.status, headers: head.headers, body: answer)
      }
      answer.close()
      request.url = next
      redirections += 1
    }
  }

  private static func begin(
    _ request: HTTPRequest, until deadline: NIODeadline?, on client: HTTPClient, holdsUnread: Bool
  ) throws(NetworkFailure) -> ArrivingAnswer {
    let sent: HTTPClient.Request
    do {
      sent = try HTTPClient.Request(
        url: request.url, method: HTTPMethod(rawValue: request.method.rawValue),
        headers: HTTPHeaders(request.headers.map { ($0.key, $0.value) }),
        body: request.method == .get ? nil : .byteBuffer(ByteBuffer(bytes: request.body)))
    } catch {
      throw .lostBeforeSending
    }
    let answer = ArrivingAnswer(holdsUnread: holdsUnread, bytesMax: request.answerBytesMax)
    answer.begin(
      client.execute(request: sent, delegate: answer), timeoutSeconds: request.timeoutSeconds,
      deadline: deadline)
    return answer
  }
}

extension TimeAmount {
  /// Seconds: a millisecond at least and a year at most, whatever an app asks for.
  init(boundedSeconds seconds: Double) {
    // NB: `seconds` may be infinite or no number, which would trap below.
    let bounded = seconds > 0.001 ? min(seconds, 31_536_000) : 0.001
    self = .milliseconds(Int64(bounded * 1_000))
  }
}
