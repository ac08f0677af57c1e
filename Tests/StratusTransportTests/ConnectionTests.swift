import Foundation
import StratusTransport
import StratusWire
import Testing

@Suite struct `A connection` {
  @Test
  func `a request's URL has the database in its path and the caller in its query`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList)])
    _ = try await connection(exchange, webAuthToken: "a+b/c=").send(
      ListZones.self, EmptyRequest(), to: .private, isIdempotent: true)
    let request = try #require(exchange.requests.first)
    #expect(
      request.url.absoluteString == "https://cloud.example.org/database/1/iCloud.org.example.App"
        + "/development/private/zones/list?clientId=D-1&ckAPIToken=api&ckWebAuthToken=a%2Bb%2Fc%3D")
    #expect(String(decoding: request.body, as: UTF8.self) == "{}")
  }

  @Test func `a request omits the tokens that the connection does not have`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList)])
    let connection = connection(exchange, apiToken: nil, webAuthToken: nil)
    _ = try await connection.send(
      ListZones.self, EmptyRequest(), to: .public, isIdempotent: true)
    #expect(exchange.requests.first?.url.query == "clientId=D-1")
    #expect(!connection.hasUser)
  }

  @Test func `a request has the newest token of the server's answers`() async throws {
    let exchange = ScriptedExchange([
      .answer(200, emptyList, headers: ["x-apple-cloudkit-web-auth-token": "next"]),
      .answer(200, emptyList),
    ])
    let connection = connection(exchange)
    for _ in 0..<2 {
      _ = try await connection.send(
        ListZones.self, EmptyRequest(), to: .private, isIdempotent: true)
    }
    #expect(exchange.requests.last?.url.query?.contains("ckWebAuthToken=next") == true)
  }

  @Test func `a call throws the server's refusal`() async throws {
    let exchange = ScriptedExchange([.answer(404, refusal("ZONE_NOT_FOUND"))])
    let failure = await failure(of: connection(exchange))
    guard case .refused(let error, let status, let seconds) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(error.code == .zoneNotFound)
    #expect(status == 404)
    #expect(seconds == nil)
    #expect(exchange.requests.count == 1)
  }

  @Test(arguments: [(200, "<html>"), (200, "{}"), (500, "<html>"), (404, "")])
  func `an answer that cannot be decoded is reported as unreadable`(status: Int, body: String)
    async throws
  {
    let exchange = ScriptedExchange([.answer(status, body)])
    guard case .unreadable(let found, _, _) = await failure(of: connection(exchange)) else {
      Issue.record("not unreadable")
      return
    }
    #expect(found == status)
  }

  @Test func `a connection waits for the server's retry delay`() async throws {
    let exchange = ScriptedExchange([
      .answer(503, refusal("TRY_AGAIN_LATER", retryAfter: 2)), .answer(200, emptyList),
    ])
    let time = FakeTime()
    #expect(await failure(of: connection(exchange, time)) == nil)
    #expect(time.sleeps == [2])
  }

  @Test
  func `a connection reads the retry delay from the header if the body has none`() async throws {
    let exchange = ScriptedExchange([
      .answer(429, refusal("THROTTLED"), headers: ["retry-after": "3"]),
      .answer(200, emptyList),
    ])
    let time = FakeTime()
    #expect(await failure(of: connection(exchange, time)) == nil)
    #expect(time.sleeps == [3])
  }

  @Test(
    arguments: [
      ("inf", nil), ("nan", nil), ("-1", nil), ("1e19", 86_400), ("1e400", nil), ("7.5", 7.5),
      ("99999999999999999999", 86_400), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
    ] as [(String, Double?)])
  func `invalid retry delays in the header are ignored, and long delays are limited`(
    header: String, seconds: Double?
  ) async throws {
    let exchange = ScriptedExchange([.answer(503, "busy", headers: ["retry-after": header])])
    let failure = await failure(of: connection(exchange), Connection.Options(patience: .short))
    if seconds == nil {
      // The header is ignored. The connection waits for its own delay and sends the request again.
      #expect(exchange.requests.count > 1)
    } else {
      #expect(failure?.retryAfterSeconds == seconds)
    }
  }

  @Test func `a request limits the size of the answer and the total time`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList)])
    _ = await failure(
      of: connection(exchange), Connection.Options(resourceTimeoutSeconds: 5))
    #expect(exchange.requests.first?.totalSeconds == 5)
    #expect(exchange.requests.first?.answerBytesMax == Limits.clientAnswerBytesMax)
  }

  @Test func `an answer that is too large is reported as unreadable`() async throws {
    let exchange = ScriptedExchange([.tooLarge(200)])
    guard case .unreadable(200, let reason, nil) = await failure(of: connection(exchange)) else {
      Issue.record("it was read")
      return
    }
    #expect(reason.contains("larger"))
  }

  @Test
  func `a caller that waits for the result gets an error if the retry delay is long`()
    async throws
  {
    let exchange = ScriptedExchange([
      .answer(503, refusal("TRY_AGAIN_LATER", retryAfter: 30)), .answer(200, emptyList),
    ])
    let time = FakeTime()
    #expect(await failure(of: connection(exchange, time))?.retryAfterSeconds == 30)
    #expect(time.sleeps.isEmpty)
  }

  @Test
  func `a connection doubles the delay between retries until the resource timeout`() async throws {
    let exchange = ScriptedExchange(Array(repeating: .fail(.notConnected), count: 20))
    let time = FakeTime()
    let options = Connection.Options(resourceTimeoutSeconds: 10, patience: .long)
    let failure = await failure(of: connection(exchange, time), options)
    guard case .network(.notConnected) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    // The delays are the halves of 0.5, 1, 2, 4 and 8 s, because `chance` is 0. With one more
    // delay, the sum of the delays would exceed the resource timeout of 10 s.
    #expect(time.sleeps == [0.25, 0.5, 1, 2, 4])
  }

  @Test func `the time-out of an attempt is at most the remaining time`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList)])
    _ = await failure(
      of: connection(exchange),
      Connection.Options(requestTimeoutSeconds: 60, resourceTimeoutSeconds: 5))
    #expect(exchange.requests.first?.timeoutSeconds == 5)
  }

  @Test func `a connection sends nothing for a cancelled task`() async throws {
    let exchange = ScriptedExchange([.answer(200, emptyList)])
    let connection = connection(exchange)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await failure(of: connection)
    }
    guard case .network(.cancelled) = await task.value else {
      Issue.record("not cancelled")
      return
    }
    #expect(exchange.requests.isEmpty)
  }

  private func failure(
    of connection: Connection, _ options: Connection.Options = Connection.Options()
  ) async -> TransportFailure? {
    do throws(TransportFailure) {
      _ = try await connection.send(
        ListZones.self, EmptyRequest(), to: .private, isIdempotent: true, options: options)
      return nil
    } catch {
      return error
    }
  }
}
