import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Sends requests and opens streams over the network with AsyncHTTPClient.
///
/// NB: Foundation's `URLSession` is not used. On Linux each of its connections polls for
/// writability all the time, so that each waiting request or open stream uses half a processor.
public final class NetworkExchange: HTTPExchange, EventExchange {
  /// The clients, by their maximum number of connections to one server. A client is never shut
  /// down, because a connection may still need it. Unused connections close after the idle timeout.
  private static let clients = Mutex<[Int: HTTPClient]>([:])

  private let requests: HTTPClient
  /// NB: streams have a separate client, because each stream occupies a connection while it is
  /// open.
  private let streams: HTTPClient

  /// Creates an exchange. Within a process, all exchanges with the same limit share their
  /// connections.
  ///
  /// - Parameter connectionsMax: the maximum number of parallel connections to one server, not
  ///   counting streams. The default is 16.
  public init(connectionsMax: Int = 16) {
    requests = Self.client(connectionsMax: connectionsMax)
    streams = Self.client(connectionsMax: .max)
  }

  private static func client(connectionsMax: Int) -> HTTPClient {
    clients.withLock { clients in
      if let client = clients[connectionsMax] { return client }
      var configuration = HTTPClient.Configuration()
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsMax
      // A server closes an idle connection after 30 s. The client closes it earlier, so that no
      // request uses a connection that is about to close.
      configuration.connectionPool.idleTimeout = .seconds(20)
      // ``Connection`` decides about retries.
      configuration.connectionPool.retryConnectionEstablishment = false
      // Each request sets its other time limits itself.
      configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(30))
      // ``Redirect`` decides whether a redirect is followed.
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
  /// Creates a duration of at least a millisecond and at most a year.
  init(boundedSeconds seconds: Double) {
    // NB: `seconds` may be infinite or NaN, which would trap below.
    let bounded = seconds > 0.001 ? min(seconds, 31_536_000) : 0.001
    self = .milliseconds(Int64(bounded * 1_000))
  }
}
