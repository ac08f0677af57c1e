import Foundation
import NIOCore
import NIOSSL
import StratusHTTP
import StratusPush
import StratusTesting
import StratusWire
import Testing

/// A server that speaks TLS on a real socket.
@Suite(.timeLimit(.minutes(5))) struct `A server with TLS` {
  private static let health = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

  /// Runs a server with a new certificate.
  private func withServer(
    key: [String]? = nil,
    _ change: @escaping @Sendable (inout ConnectionSettings) -> Void = { _ in },
    _ body:
      @escaping @Sendable (ConnectionScene, TLSClient, Certificates, TLSIdentity) async throws
      -> Void
  ) async throws {
    try await Certificates.with { certificates in
      if let key {
        try certificates.make("first", key: key)
      } else {
        try certificates.make("first")
      }
      try certificates.install("first")
      let identity = try certificates.identity()
      try await ConnectionScene.with(tls: identity, change) { scene in
        let client = TLSClient(port: scene.port, trusted: certificates.path("first.pem"))
        try await body(scene, client, certificates, identity)
      }
    }
  }

  @Test
  func `a TLS server answers requests and requires browsers to keep using TLS`() async throws {
    try await withServer { scene, client, _, _ in
      let answer = try await client.exchange(
        Self.health.replacing("localhost", with: "cloud.example.org"))
      #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.text.contains("Strict-Transport-Security: max-age=31536000\r\n"))
      // For `localhost`, the server must not require TLS. Other servers on this machine may have no
      // certificate.
      let local = try await client.exchange(Self.health)
      #expect(!local.text.contains("Strict-Transport-Security"))
      let body = #"{"tokens":[{"recordName":"p","recordType":"Note","fieldName":"photo"}]}"#
      let upload = try await client.exchange(
        "POST \(scene.anna.target("assets/upload")) HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
      #expect(
        upload.text.contains(#""url":"https:\/\/localhost\/assets\/upload\/"#)
          || upload.text.contains(#""url":"https://localhost/assets/upload/"#), "\(upload.text)")
    }
  }

  @Test func `a TLS server agrees on HTTP/1.1 and on TLS 1.2 or later`() async throws {
    try await withServer { _, client, _, _ in
      let modern = TLSClient(
        port: client.port, trusted: client.trusted, protocols: ["h2", "http/1.1"])
      let old = TLSClient(port: client.port, trusted: client.trusted, maximumVersion: .tlsv12)
      let oldest = TLSClient(port: client.port, trusted: client.trusted, maximumVersion: .tlsv11)
      let protocolName = try await modern.exchange(Self.health).applicationProtocol
      #expect(protocolName == "http/1.1")
      let answer = try await old.exchange(Self.health)
      #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      await #expect(throws: (any Error).self) { _ = try await oldest.open() }
    }
  }

  @Test func `a TLS server refuses a connection over the limit before its handshake`() async throws
  {
    try await withServer {
      $0.connectionsPerAddressMax = 1
    } _: { scene, client, _, _ in
      let first = try await client.open()
      // The time-outs are an hour, so this returns only if the server refuses immediately.
      #expect(try await Wire(port: scene.port).exchange([]).isEmpty)
      try await first.channel.writeAndFlush(ByteBuffer(string: Self.health))
      #expect(try await first.answer.get().text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test(arguments: ["RSA+AESGCM", "ECDHE+AES:!AESGCM"])
  func `a TLS server refuses ciphers without forward secrecy or authenticated encryption`(
    suites: String
  ) async throws {
    try await withServer(key: ["rsa:2048"]) { _, client, _, _ in
      let good = TLSClient(
        port: client.port, trusted: client.trusted, maximumVersion: .tlsv12,
        cipherSuites: "ECDHE+AESGCM")
      let answer = try await good.exchange(Self.health)
      #expect(answer.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      let old = TLSClient(
        port: client.port, trusted: client.trusted, maximumVersion: .tlsv12,
        cipherSuites: suites)
      await #expect(throws: (any Error).self) { _ = try await old.open() }
    }
  }

  @Test func `a TLS server gives no answer to a client without TLS`() async throws {
    try await withServer { scene, client, _, _ in
      let answer = try await scene.exchange(Self.health)
      #expect(!answer.contains("HTTP/1.1"))
      #expect(try await client.exchange(Self.health).text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test(arguments: [[], [0x16], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]] as [[UInt8]])
  func `a TLS server closes a connection whose handshake does not end`(sent: [UInt8]) async throws {
    try await withServer {
      $0.headTimeout = .milliseconds(100)
    } _: { scene, _, _, _ in
      let answer = try await Wire(port: scene.port).exchange(sent)
      #expect(answer.isEmpty)
    }
  }

  @Test func `a TLS connection without a request stays open for the idle time-out`() async throws {
    try await withServer {
      $0.headTimeout = .milliseconds(50)
      $0.idleTimeout = .milliseconds(400)
    } _: { _, client, _, _ in
      let connection = try await client.open()
      // Without a request, the connection closes at the end of the idle time, without an answer.
      #expect(try await connection.answer.get().text.isEmpty)
    }
  }

  @Test func `a TLS server refuses an incomplete request head after the handshake`() async throws {
    try await withServer {
      $0.headTimeout = .milliseconds(300)
    } _: { _, client, _, _ in
      let answer = try await client.exchange("GET /health HTTP/1.1\r\nHo")
      #expect(answer.text.hasPrefix("HTTP/1.1 408 "), "\(answer.text)")
    }
  }

  @Test
  func `a TLS server uses a reloaded certificate and key for new connections only`() async throws {
    try await withServer { _, client, certificates, identity in
      let open = try await client.open()
      try certificates.make("second")
      try certificates.install("second")
      try identity.reload()
      await #expect(throws: (any Error).self) { _ = try await client.open() }
      let next = TLSClient(port: client.port, trusted: certificates.path("second.pem"))
      #expect(try await next.exchange(Self.health).text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      try await open.channel.writeAndFlush(ByteBuffer(string: Self.health))
      #expect(try await open.answer.get().text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test
  func `a TLS server keeps its certificate and key if the new files are unusable`() async throws {
    try await withServer { _, client, certificates, identity in
      try certificates.make("second")
      try certificates.install("first", key: "second")
      #expect(throws: TLSFailure.self) { try identity.reload() }
      #expect(try await client.exchange(Self.health).text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test func `a TLS server can stop while connections are open`() async throws {
    try await withServer { scene, client, _, _ in
      let idle = try await client.open()
      let stalled = try await client.open()
      try await stalled.channel.writeAndFlush(
        ByteBuffer(string: scene.head(length: 500) + #"{"rec"#))
      _ = try scene.stalled("")
      scene.end()
      #expect(try await idle.answer.get().text.isEmpty)
      _ = try await stalled.answer.get()
    }
  }

  @Test func `a TLS server sends large files and notification events`() async throws {
    try await withServer { scene, client, _, _ in
      let target = try await scene.fileTarget(bytes: 3_000_000)
      let file = try await client.exchange(
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(file.text.utf8.count > 3_000_000)
      let stream = try await client.open()
      let path = scene.anna.deviceTarget("notifications/stream", clientID: "c")
      try await stream.channel.writeAndFlush(
        ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"))
      while scene.server.hub.listenerCount != 1 { await LiveWire.turn() }
      try await scene.server.queue("1", for: try await scene.anna.userName())
      await stream.received.wait(for: #""nid":"1""#)
      scene.end()
      _ = try await stream.answer.get()
    }
  }
}
