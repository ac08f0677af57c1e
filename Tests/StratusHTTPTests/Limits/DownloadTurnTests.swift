import StratusTesting
import StratusWire
import Synchronization
import Testing

@testable import StratusDomain
@testable import StratusHTTP

/// Downloads over real sockets while another caller is active.
@Suite(.timeLimit(.minutes(15))) struct `Downloads in turns` {
  /// Runs a server whose clock stands still, so that every caller stays active.
  private static func withBusyServer(
    proxies: [AddressRange] = [],
    _ body: @escaping @Sendable (ConnectionScene) async throws -> Void
  ) async throws {
    try await ConnectionScene.with(
      live: MovedClock().live, limits: LimitSettings(expensiveRequestsPerCallerMax: 1),
      proxies: proxies
    ) { scene in
      let subject = CallerPace.Subject(userRecordName: "_ann", apiToken: nil)
      _ = scene.server.router.expensive.isExpensive(subject, endpoint: "e", bodySize: 0)
      try await body(scene)
    }
  }

  @Test func `a piece of a file waits for the turn of the address`() async throws {
    try await Self.withBusyServer { scene in
      let target = try await scene.fileTarget(bytes: 1_000)
      try await scene.holdTurn(of: "127.0.0.1") { turns, end in
        let isComplete = Mutex(false)
        let download = Task {
          defer { isComplete.withLock { $0 = true } }
          return try await scene.download(target)
        }
        while turns.count < 2, !isComplete.withLock({ $0 }) { await LiveWire.turn() }
        #expect(turns.count == 2, "the download must wait")
        end()
        let answer = try await download.value
        #expect(answer.hasSuffix("\r\n\r\n" + scene.contents(1_000)))
      }
    }
  }

  @Test func `the address of a client behind a trusted proxy is the forwarded one`() async throws {
    let proxy = try #require(AddressRange("127.0.0.1"))
    try await Self.withBusyServer(proxies: [proxy]) { scene in
      let target = try await scene.fileTarget(bytes: 1_000)
      try await scene.holdTurn(of: "127.0.0.1") { _, end in
        let answer = try await scene.download(target, "X-Forwarded-For: 192.0.2.1\r\n")
        #expect(answer.hasSuffix("\r\n\r\n" + scene.contents(1_000)))
        end()
      }
    }
  }

  @Test func `a client that does not read delays no other download of its address`() async throws {
    try await Self.withBusyServer { scene in
      let target = try await scene.fileTarget(bytes: 40_000_000)
      let wire = try LiveWire(port: scene.port)
      wire.get(target)
      try await wire.wait(for: "HTTP/1.1 200 OK\r\n")
      let answer = try await scene.download(target, "Range: bytes=0-999999\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 206 "), "\(answer.prefix(300))")
      #expect(answer.hasSuffix("\r\n\r\n" + scene.contents(1_000_000)))
    }
  }
}

extension ConnectionScene {
  /// Runs a step of a download during the body, until the body calls `end`.
  fileprivate func holdTurn(
    of subscriber: String,
    _ body: (_ turns: ExpensiveRequests, _ end: () -> Void) async throws -> Void
  ) async throws {
    let turns = server.router.expensive
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let step = Task {
      await turns.runDownloadStep(to: subscriber) {
        begin.finish()
        for await _ in ends {}
      }
    }
    for await _ in begins {}
    defer { end.finish() }
    try await body(turns) { end.finish() }
    await step.value
  }

  fileprivate func download(_ target: String, _ fields: String = "") async throws -> String {
    try await exchange(
      "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n")
  }

  /// The first bytes of the file that ``fileTarget(bytes:)`` saves.
  fileprivate func contents(_ count: Int) -> String { String(repeating: "\u{7}", count: count) }
}
