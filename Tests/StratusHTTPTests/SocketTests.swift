import Foundation
import Logging
import StratusDomain
import StratusServer
import StratusTesting
import Testing

/// A server on a real socket, with clients that misbehave.
@Suite struct Socket {
  func withRunningServer(
    _ body: @Sendable @escaping (_ port: UInt16, _ query: String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-socket-" + Live().ambient.makeUUID())
    defer { try? FileManager.default.removeItem(at: folder) }
    var logger = Logger(label: "stratus")
    logger.logLevel = .critical
    let server = Server(
      settings: Settings(dataFolder: folder, port: 0, developerEmail: "anna@example.org"),
      logger: logger)
    let (ready, continuation) = AsyncStream.makeStream(of: Server.Ready.self)
    let running = Task {
      defer { continuation.finish() }
      try await server.run { continuation.yield($0) }
    }
    do {
      var iterator = ready.makeAsyncIterator()
      let address = try #require(await iterator.next(isolation: nil))
      let port = try #require(URL(string: address.url)?.port)
      let token = Client.encode(try #require(address.webAuthToken))
      let query = "ckAPIToken=\(try #require(address.apiToken))&ckWebAuthToken=\(token)"
      try await body(UInt16(port), query)
    } catch {
      running.cancel()
      _ = await running.result
      throw error
    }
    running.cancel()
    _ = await running.result
  }

  static func request(
    _ query: String, headers: String, endpoint: String = "records/lookup"
  ) -> [UInt8] {
    let path = "/database/1/iCloud.org.example.Notes/development/private/\(endpoint)?\(query)"
    return Array("POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n".utf8)
  }

  static func expectAlive(_ port: UInt16, _ query: String) async throws {
    let body = #"{"records":[{"recordName":"n"}]}"#
    let sent = request(
      query, headers: "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n")
    let answer = try await Wire(port: port).exchange(sent + Array(body.utf8))
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer.prefix(200))")
    #expect(answer.contains("Record not found"))
  }

  @Test func `a request body of ten megabytes is refused with a JSON error`() async throws {
    try await withRunningServer { port, query in
      let head = Self.request(query, headers: "Content-Length: 10000000\r\nConnection: close\r\n")
      let answer = try await Wire(port: port).exchange(
        head + [UInt8](repeating: 0x20, count: 10_000_000))
      #expect(answer.hasPrefix("HTTP/1.1 413"), "\(answer.prefix(200))")
      #expect(answer.contains(#""serverErrorCode":"BAD_REQUEST""#))
      try await Self.expectAlive(port, query)
    }
  }

  @Test func `a chunked request body of ten megabytes is refused`() async throws {
    try await withRunningServer { port, query in
      let head = Self.request(query, headers: "Transfer-Encoding: chunked\r\nConnection: close\r\n")
      let piece = Array("186A0\r\n".utf8) + [UInt8](repeating: 0x20, count: 100_000) + [13, 10]
      let pieces = (0..<100).flatMap { _ in piece }
      let answer = try await Wire(port: port).exchange(head + pieces + Array("0\r\n\r\n".utf8))
      #expect(answer.hasPrefix("HTTP/1.1 413"), "\(answer.prefix(200))")
      try await Self.expectAlive(port, query)
    }
  }

  @Test
  func `a chunked request is equivalent to a request with a content length`() async throws {
    try await withRunningServer { port, query in
      let head = Self.request(query, headers: "Transfer-Encoding: chunked\r\nConnection: close\r\n")
      let body = "c\r\n{\"records\":[\r\n1\r\n]\r\n1\r\n}\r\n0\r\n\r\n"
      let answer = try await Wire(port: port).exchange(head + Array(body.utf8))
      #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer.prefix(200))")
    }
  }

  /// RFC 9112 §6.3: such a request may be an attempt to smuggle another request past a proxy.
  @Test(arguments: [
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5, 6\r\n",
    "Content-Length: +5\r\n", "Transfer-Encoding : chunked\r\n",
    "Transfer-Encoding: chunked, identity\r\n",
  ])
  func `a request with two lengths never becomes two requests`(headers: String) async throws {
    try await withRunningServer { port, query in
      let second = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      let sent = Self.request(query, headers: headers) + Array(("0\r\n\r\n" + second).utf8)
      let answer = try await Wire(port: port).exchange(sent, leaves: true)
      #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(200))")
      #expect(answer.ranges(of: "HTTP/1.1 ").count == 1, "\(answer)")
    }
  }

  @Test func `a client that disconnects during its request changes nothing`() async throws {
    try await withRunningServer { port, query in
      let body =
        #"{"operations":[{"operationType":"create","record":"#
        + #"{"recordName":"n","recordType":"Note"}}]}"#
      let head = Self.request(
        query, headers: "Content-Length: \(body.utf8.count + 1)\r\n", endpoint: "records/modify")
      _ = try await Wire(port: port).exchange(head + Array(body.utf8), leaves: true)
      try await Self.expectAlive(port, query)
    }
  }

  @Test
  func `bytes that are not HTTP close only the connection that sent the bytes`() async throws {
    try await withRunningServer { port, query in
      let rubbish: [[UInt8]] = [
        Array("hello\r\n\r\n".utf8), [0x16, 0x03, 0x01, 0x02, 0x00, 0x01],
        Array("GET\r\n\r\n".utf8),
        Array("POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n".utf8),
        Array("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n".utf8),
        Array("GET / HTTP/9.9\r\n\r\n".utf8), [UInt8](repeating: 0, count: 1_000),
        Array("GET /\(String(repeating: "a", count: 200_000)) HTTP/1.1\r\n\r\n".utf8),
      ]
      for bytes in rubbish {
        let answer = try await Wire(port: port).exchange(bytes, leaves: true)
        #expect(answer.isEmpty || !answer.hasPrefix("HTTP/1.1 200"), "\(answer.prefix(200))")
      }
      try await Self.expectAlive(port, query)
    }
  }
}
