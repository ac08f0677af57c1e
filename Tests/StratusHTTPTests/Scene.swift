import HTTPTypes
import StratusAccounts
import StratusDomain
import StratusServer
import StratusTesting
import StratusWire
import Synchronization
import Testing

/// Runs a test with a server.
func withServer(
  live: Live = Live(), limits: LimitSettings = .unpaced, log: CapturedLog? = nil,
  mail: MailSettings? = nil, providers: ProviderClient? = nil,
  _ body: (TestServer) async throws -> Void
) async throws {
  let server = try await TestServer(
    live: live, limits: limits, log: log, mail: mail, providers: providers)
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// Runs a test with a server and one signed-in user of its container.
func withAnna(_ body: (Client) async throws -> Void) async throws {
  try await withServer { try await body($0.client("anna@example.org")) }
}

extension TestServer {
  /// A signed-in user whose tokens are valid for every container.
  func client(_ email: String) async throws -> Client {
    let tokens = try await tokens(email: email)
    return Client(
      router: router, apiToken: tokens.apiToken, webAuthToken: tokens.webAuthToken)
  }

  /// A caller with an API token who is not signed in.
  var otherUser: Client {
    Client(router: router, database: "public", apiToken: developer.apiToken)
  }

  /// Sends an operator's request.
  @discardableResult
  func manage(_ endpoint: String, _ body: JSON) async throws -> JSON {
    let answer = try await managementAnswer(endpoint, body)
    try #require(answer.status == 200, "\(answer.json)")
    return answer.json
  }

  /// The answer to an operator's request, which may be a refusal.
  func managementAnswer(_ endpoint: String, _ body: JSON) async throws -> Client.Answer {
    try await Client(router: router).send(
      .post, "/management/1/\(endpoint)", headers: ["Authorization": "Bearer \(managementToken)"],
      body: body.bytes)
  }
}

/// A clock that a test advances.
final class MovedClock: Sendable {
  private let milliseconds = Mutex<Int64>(1_767_225_600_000)

  var now: Int64 { milliseconds.withLock { $0 } }

  func move(bySeconds seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }

  /// The real environment with the time of this clock.
  var live: Live {
    Live(ambient: Ambient(now: { self.now }, makeUUID: Ambient.live.makeUUID))
  }
}
