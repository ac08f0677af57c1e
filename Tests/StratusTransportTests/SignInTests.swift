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

  @Test func `counts from the next request on`() async throws {
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

  /// Signs in somebody else while it answers the first request.
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

  @Test func `is not undone by a late answer to the account before`() async throws {
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

  /// Answers that the server is busy, while somebody else signs in; then lists nothing.
  private final class Busy: HTTPExchange {
    let connection = Mutex<Connection?>(nil)
    let queries = Mutex<[String]>([])

    func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
      let isFirst = queries.withLock { queries in
        queries.append(request.url.query ?? "")
        return queries.count == 1
      }
      if !isFirst { return HTTPResponse(status: 200, body: Array(emptyList.utf8)) }
      connection.withLock { $0?.signIn(webAuthToken: "bob") }
      return HTTPResponse(status: 503, body: Array(refusal("TRY_AGAIN_LATER").utf8))
    }
  }

  @Test func `leaves repetitions of a request to the account that asked`() async throws {
    let exchange = Busy()
    let connection = Connection(
      to: Connection.Address(
        url: "https://cloud.example.org", container: "iCloud.a", environment: .development,
        deviceID: "D"),
      apiToken: "api", webAuthToken: "ann", exchange: exchange, timing: FakeTime().timing())
    exchange.connection.withLock { $0 = connection }
    try await send(connection)
    #expect(
      exchange.queries.withLock { $0 }
        == Array(repeating: "clientId=D&ckAPIToken=api&ckWebAuthToken=ann", count: 2))
  }

  @Test func `keeps back what is for the account before`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList)])
    let connection = connection(exchange)
    let options = Connection.Options(generation: connection.generation)
    connection.signIn(webAuthToken: "bob")
    await #expect { () async throws in
      _ = try await connection.send(
        ListZones.self, EmptyRequest(), to: .private, isIdempotent: true, options: options)
    } throws: { error in
      guard case .network(.cancelled)? = error as? TransportFailure else { return false }
      return true
    }
    #expect(exchange.requests.isEmpty)
  }

  @Test func `has a digest that a newer token of the session does not change`() async throws {
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
