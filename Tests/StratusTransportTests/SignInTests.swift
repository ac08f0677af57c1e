import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@Suite struct `Signing in` {
  private func send(_ connection: Connection) async throws {
    _ = try await connection.send(
      ListZones.self, EmptyRequest(), to: .private, isIdempotent: true)
  }

  @Test func `a request has the tokens of the newest sign-in or sign-out`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList), .answer(200, emptyList)])
    let connection = connection(exchange)
    connection.signIn(apiToken: "api2", webAuthToken: "web2")
    try await send(connection)
    #expect(
      exchange.requests.last?.url.query == "clientId=D-1&ckAPIToken=api2&ckWebAuthToken=web2")
    connection.signIn(webAuthToken: nil)
    #expect(!connection.hasUser)
    try await send(connection)
    #expect(exchange.requests.last?.url.query == "clientId=D-1&ckAPIToken=api2")
  }

  @Test func `requests of the previous user fail without being sent`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList), .answer(200, emptyList)])
    let connection = connection(exchange)
    let before = Connection.Options(generation: connection.generation)
    func send() async throws {
      _ = try await connection.send(
        ListZones.self, EmptyRequest(), to: .private, isIdempotent: true, options: before)
    }
    try await send()
    connection.signIn(webAuthToken: "bob")
    await #expect {
      try await send()
    } throws: { error in
      if case .accountChanged? = error as? TransportFailure { true } else { false }
    }
    #expect(exchange.requests.count == 1)
  }

  /// A network that signs in another user while it answers the first request.
  private final class Meanwhile: HTTPExchange {
    let connection = Mutex<Connection?>(nil)
    let queries = Mutex<[String]>([])

    func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
      queries.withLock { $0.append(request.url.query ?? "") }
      let first = connection.withLock { connection in
        defer { connection = nil }
        return connection
      }
      guard let first else { return HTTPResponse(status: 200, body: Array(emptyList.utf8)) }
      first.signIn(webAuthToken: "bob")
      return HTTPResponse(
        status: 200, headers: ["x-apple-cloudkit-web-auth-token": "ann2"],
        body: Array(emptyList.utf8))
    }
  }

  @Test func `a late answer to the previous account does not undo a sign-in`() async throws {
    let exchange = Meanwhile()
    let connection = Connection(
      to: Connection.Address(
        url: "https://cloud.example.org", container: "iCloud.a", environment: .development,
        deviceID: "D"),
      apiToken: "api", webAuthToken: "ann", exchange: exchange, timing: FakeTime().timing())
    exchange.connection.withLock { $0 = connection }
    for _ in 0..<2 { try await send(connection) }
    #expect(exchange.queries.withLock { $0.last } == "clientId=D&ckAPIToken=api&ckWebAuthToken=bob")
  }

  @Test func `a connection reports each newer token with the digest of its sign-in`() async throws {
    let next = ["x-apple-cloudkit-web-auth-token": "next"]
    let exchange = ScriptedExchange([
      .answer(200, emptyList, headers: next), .answer(200, emptyList, headers: next),
    ])
    let connection = connection(exchange)
    let kept = Mutex<[String]>([])
    connection.keepTokens { token, signIn in kept.withLock { $0 += [token, signIn] } }
    for _ in 0..<2 { try await send(connection) }
    let digest = try #require(connection.accountDigest)
    #expect(kept.withLock { $0 } == ["next", digest])
  }

  @Test func `a newer token of the same session is not a new sign-in`() {
    let connection = connection(ScriptedExchange([]))
    let digest = connection.accountDigest
    #expect(connection.renew(apiToken: "api", webAuthToken: "next", signIn: digest))
    #expect(connection.accountDigest == digest)
    #expect(connection.generation == 0)
    #expect(!connection.renew(apiToken: "api", webAuthToken: "other", signIn: nil))
    #expect(!connection.renew(apiToken: "else", webAuthToken: "next", signIn: digest))
    #expect(!connection.renew(apiToken: "api", webAuthToken: nil, signIn: nil))
    #expect(connection.accountDigest == digest)
  }

  @Test func `a newer token of the session does not change the account digest`() async throws {
    let exchange = ScriptedExchange([
      .answer(200, emptyList, headers: ["x-apple-cloudkit-web-auth-token": "next"])
    ])
    let connection = connection(exchange)
    let digest = connection.accountDigest
    #expect(digest != nil && digest?.contains("web") == false)
    try await send(connection)
    #expect(connection.accountDigest == digest)
    connection.signIn(webAuthToken: "other")
    #expect(connection.accountDigest != digest)
    connection.signIn(webAuthToken: nil)
    #expect(connection.accountDigest == nil)
  }
}
