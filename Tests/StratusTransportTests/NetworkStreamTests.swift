import Foundation
import Synchronization
import Testing

@testable import StratusTransport

/// Streams over real connections.
@Suite struct NetworkStreams {
  private func request(_ server: LocalServer, timeoutSeconds: Double = LocalServer.patience) throws
    -> HTTPRequest
  {
    HTTPRequest(
      method: .get, url: try #require(URL(string: "http://127.0.0.1:\(server.port)/stream")),
      headers: ["Accept": "text/event-stream", "Last-Event-ID": "12"], body: [],
      timeoutSeconds: timeoutSeconds)
  }

  private func text(_ bytes: [UInt8]?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `bytes of a stream arrive immediately while the stream stays open`() async throws {
    let server = try LocalServer()
    async let answered = NetworkExchange().open(request(server))
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

  @Test func `a refusal of a stream is an answer, not a failure`() async throws {
    let server = try LocalServer()
    async let answered = NetworkExchange().open(request(server))
    let client = try await server.accepted()
    client.say("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
    let answer = try await answered
    #expect(answer.status == 503)
    #expect(answer.headers["retry-after"] == "7")
    answer.body.close()
  }

  @Test func `closing a stream closes its connection`() async throws {
    let server = try LocalServer()
    async let answered = NetworkExchange().open(request(server))
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    let answer = try await answered
    answer.body.close()
    #expect(await client.isLeft())
    await #expect(throws: NetworkFailure.cancelled) { try await answer.body.next() }
  }

  @Test func `a cancelled task immediately stops waiting for a stream`() async throws {
    let server = try LocalServer()
    async let answered = NetworkExchange().open(request(server))
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    let answer = try await answered
    let waiting = Task { try await answer.body.next() }
    waiting.cancel()
    await #expect(throws: NetworkFailure.cancelled) { try await waiting.value }
    #expect(await client.isLeft())
  }

  @Test func `a stream fails if the server disconnects before its answer`() async throws {
    let server = try LocalServer()
    let request = try request(server)
    let answered = Task { try await NetworkExchange().open(request) }
    try await server.accepted().hangUp()
    await #expect(throws: NetworkFailure.self) { try await answered.value }
  }

  @Test func `a stream times out if the server is silent`() async throws {
    let server = try LocalServer()
    let request = try request(server, timeoutSeconds: 1)
    let answered = Task { try await NetworkExchange().open(request).body.next() }
    let client = try await server.accepted()
    client.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    // NB: on a busy machine, the time-out of one second may end before the answer begins.
    await #expect(throws: NetworkFailure.timedOut) { try await answered.value }
    withExtendedLifetime(client) {}
  }
}
