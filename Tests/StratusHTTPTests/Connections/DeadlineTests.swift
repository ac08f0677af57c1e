import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import StratusAccounts
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusHTTP

/// The time-outs of a connection, with a clock that the test advances.
@Suite(.timeLimit(.minutes(15))) struct `Time-outs of a connection` {
  /// A connection handler on a channel without a socket.
  private struct Scene {
    let channel: NIOAsyncTestingChannel

    init(_ server: TestServer) async throws {
      channel = NIOAsyncTestingChannel()
      let gate = ConnectionGate(
        router: server.router, settings: ConnectionSettings(),
        group: EventLoopDelivery(channel.eventLoop), dates: DateText(), plumbing: [],
        isUnwelcome: false,
        clientAddress: nil)
      try await channel.pipeline.addHandler(gate).get()
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    }

    func send(_ part: HTTPServerRequestPart) async throws { try await channel.writeInbound(part) }

    func head(
      _ method: HTTPMethod, _ target: String, _ fields: HTTPHeaders = [:]
    ) async throws {
      var fields = fields
      fields.add(name: "Host", value: "localhost")
      try await send(
        .head(HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: fields)))
    }

    func move(_ seconds: Int64) async {
      await channel.testingEventLoop.advanceTime(by: .seconds(seconds))
    }

    /// Waits for the first bytes of the next answer.
    func answer() async throws -> String {
      String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
    }
  }

  private static func body(_ count: Int) -> HTTPServerRequestPart {
    .body(ByteBuffer(repeating: 0x20, count: count))
  }

  @Test func `An idle connection closes at its time-out, not before`() async throws {
    try await withServer { server in
      let scene = try await Scene(server)
      await scene.move(Limits.idleSecondsMax - 1)
      #expect(scene.channel.isActive)
      try await scene.head(.GET, "/health")
      try await scene.send(.end(nil))
      #expect(try await scene.answer().hasPrefix("HTTP/1.1 200 "))
      await scene.move(Limits.idleSecondsMax - 1)
      #expect(scene.channel.isActive, "each answer restarts the time-out")
      await scene.move(1)
      #expect(!scene.channel.isActive)
    }
  }

  @Test func `A request body may take any time if its bytes arrive fast enough`() async throws {
    try await withServer { server in
      let scene = try await Scene(server)
      try await scene.head(
        .POST, server.developer.target("records/lookup"), ["Content-Length": "1000000"])
      for _ in 0..<6 {
        await scene.move(Limits.bodySecondsMax - 1)
        try await scene.send(Self.body(Limits.progressBytesMin))
      }
      #expect(scene.channel.isActive)
      await scene.move(Limits.bodySecondsMax)
      #expect(try await scene.answer().hasPrefix("HTTP/1.1 400 "))
    }
  }

  @Test func `A request body that arrives too slowly is refused at the time-out`() async throws {
    try await withServer { server in
      let scene = try await Scene(server)
      try await scene.head(
        .POST, server.developer.target("records/lookup"), ["Content-Length": "1000000"])
      for _ in 0..<Limits.bodySecondsMax {
        await scene.move(1)
        try await scene.send(Self.body(1_000))
      }
      #expect(try await scene.answer().contains("the request did not arrive in time"))
    }
  }

  @Test
  func `A connection whose client does not read an answer closes at its time-out`() async throws {
    try await withServer { server in
      let scene = try await Scene(server)
      scene.channel.isWritable = false
      try await scene.head(.GET, "/health")
      try await scene.send(.end(nil))
      _ = try await scene.answer()
      // The next pipelined request waits.
      try await scene.head(.GET, "/health")
      try await scene.send(.end(nil))
      await scene.move(Limits.answerSecondsMax - 1)
      #expect(scene.channel.isActive)
      #expect(try await scene.channel.readOutbound(as: ByteBuffer.self) == nil)
      await scene.move(1)
      #expect(!scene.channel.isActive)
    }
  }

  @Test
  func `The next request is answered after the client has read the previous answer`() async throws {
    try await withServer { server in
      let scene = try await Scene(server)
      scene.channel.isWritable = false
      for _ in 0..<2 {
        try await scene.head(.GET, "/health")
        try await scene.send(.end(nil))
      }
      _ = try await scene.answer()
      #expect(try await scene.channel.readOutbound(as: ByteBuffer.self) == nil)
      scene.channel.isWritable = true
      try await scene.channel.testingEventLoop.executeInContext {
        scene.channel.pipeline.fireChannelWritabilityChanged()
      }
      #expect(try await scene.answer().hasPrefix("HTTP/1.1 200 "))
    }
  }
}

extension Accounts.DeveloperTokens {
  /// The path of an endpoint of the private database, with its query.
  fileprivate func target(_ endpoint: String) -> String {
    "/database/1/iCloud.org.example.Notes/development/private/\(endpoint)?ckAPIToken=\(apiToken)"
      + "&ckWebAuthToken=\(Client.encode(webAuthToken))"
  }
}
