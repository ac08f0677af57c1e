import Foundation
import Synchronization
import Testing

@testable import StratusTransport

/// Streams over real connections.
@Suite struct SessionStreams {
  private func request(_ server: LocalServer, timeoutSeconds: Double = 30) throws -> HTTPRequest {
    HTTPRequest(
      method: .get, url: try #require(URL(string: "http://127.0.0.1:\(server.port)/stream")),
      headers: ["Accept": "text/event-stream", "Last-Event-ID": "12"], body: [],
      timeoutSeconds: timeoutSeconds)
  }

  private func text(_ bytes: [UInt8]?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `what the server sends is there at once, while it goes on`() async throws {
    let server = try LocalServer()
    async let answered = URLSessionEventExchange().open(request(server))
    let client = try await server.accepted()
    #expect(client.head.hasPrefix("GET /stream HTTP/1.1\r\n"))
    #expect(client.head.lowercased().contains("last-event-id: 12\r\n"))
    client.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
    client.say("Transfer-Encoding: chunked\r\n\r\n")
    let answer = try await answered
    #expect(answer.status == 200)
    #expect(answer.headers["content-type"] == "text/event-stream")
    for piece in ["data: a\n\n", ":\n", "data: b"] {
      client.say("\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n")
      #expect(text(try await answer.body.next()) == piece)
    }
    client.say("0\r\n\r\n")
    #expect(try await answer.body.next() == nil)
  }

  @Test func `a refusal is an answer`() async throws {
    let server = try LocalServer()
    async let answered = URLSessionEventExchange().open(request(server))
    let client = try await server.accepted()
    client.say("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
    let answer = try await answered
    #expect(answer.status == 503)
    #expect(answer.headers["retry-after"] == "7")
    answer.body.close()
  }

  @Test func `a stream that is closed closes its connection`() async throws {
    let server = try LocalServer()
    async let answered = URLSessionEventExchange().open(request(server))
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    let answer = try await answered
    answer.body.close()
    #expect(await client.isLeft())
    await #expect(throws: NetworkFailure.cancelled) { try await answer.body.next() }
  }

  @Test func `who is cancelled while waiting stops at once`() async throws {
    let server = try LocalServer()
    async let answered = URLSessionEventExchange().open(request(server))
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    let answer = try await answered
    let waiting = Task { try await answer.body.next() }
    waiting.cancel()
    await #expect(throws: NetworkFailure.cancelled) { try await waiting.value }
    #expect(await client.isLeft())
  }

  @Test func `a server that is gone before it answers is a failure`() async throws {
    let server = try LocalServer()
    let request = try request(server)
    let answered = Task { try await URLSessionEventExchange().open(request) }
    try await server.accepted().hangUp()
    await #expect(throws: NetworkFailure.self) { try await answered.value }
  }

  @Test func `silence is bounded`() async throws {
    let server = try LocalServer()
    async let answered = URLSessionEventExchange().open(request(server, timeoutSeconds: 1))
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    let answer = try await answered
    await #expect(throws: NetworkFailure.timedOut) { try await answer.body.next() }
    withExtendedLifetime(client) {}
  }
}

/// A server of one connection after another, whose answers a test writes byte by byte.
final class LocalServer: Sendable {
  final class Client: Sendable {
    private let descriptor: Int32
    let head: String

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 { break }
        bytes += buffer.prefix(count)
      }
      head = String(decoding: bytes, as: UTF8.self)
    }

    deinit { close(descriptor) }

    func say(_ text: String) {
      let bytes = Array(text.utf8)
      _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Waits until the other side has left.
    func isLeft() async -> Bool {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [descriptor] in
          var byte: UInt8 = 0
          continuation.resume(returning: recv(descriptor, &byte, 1, 0) <= 0)
        }
      }
    }
  }

  struct Failure: Error {}

  private let descriptor: Int32
  let port: UInt16

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptor = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listens = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard listens else { throw Failure() }
  }

  deinit { close(descriptor) }

  /// The next connection, with the head of its request.
  func accepted() async throws -> Client {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { [self] in
        let client = accept(descriptor, nil, nil)
        if client < 0 {
          continuation.resume(throwing: Failure())
        } else {
          continuation.resume(returning: Client(client))
        }
      }
    }
  }
}
