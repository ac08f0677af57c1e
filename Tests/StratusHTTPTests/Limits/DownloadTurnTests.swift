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
    _ body: @escaping @Sendable (ConnectionScene) async throws -> Void
  ) async throws {
    try await ConnectionScene.with(
      live: MovedClock().live, limits: LimitSettings(expensiveRequestsPerCallerMax: 1)
    ) { scene in
      for name in ["_ann", "_bob"] {
        _ = scene.server.router.expensive.isExpensive(
          CallerPace.Subject(userRecordName: name, apiToken: nil), endpoint: "e", bodySize: 0)
      }
      try await body(scene)
    }
  }

  @Test func `a piece of a file waits for the turn of the address`() async throws {
    try await Self.withBusyServer { scene in
      let target = try await scene.fileTarget(bytes: 1_000)
      let turns = scene.server.router.expensive
      let (begins, begin) = AsyncStream.makeStream(of: Void.self)
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      let first = Task {
        await turns.runDownloadStep(from: "127.0.0.1") {
          begin.finish()
          for await _ in ends {}
        }
      }
      for await _ in begins {}
      let isComplete = Mutex(false)
      let download = Task {
        defer { isComplete.withLock { $0 = true } }
        return try await scene.exchange(
          "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      }
      while turns.count < 2, !isComplete.withLock { $0 } { await LiveWire.turn() }
      #expect(turns.count == 2, "the download must wait")
      end.finish()
      await first.value
      #expect(
        try await download.value.hasSuffix("\r\n\r\n" + String(repeating: "\u{7}", count: 1_000)))
    }
  }

  @Test func `a client that does not read delays no other download of its address`() async throws {
    try await Self.withBusyServer { scene in
      let target = try await scene.fileTarget(bytes: 40_000_000)
      let wire = try LiveWire(port: scene.port)
      wire.get(target)
      try await wire.wait(for: "HTTP/1.1 200 OK\r\n")
      let answer = try await scene.exchange(
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1000000\r\n"
          + "Connection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 206 "), "\(answer.prefix(300))")
      #expect(answer.utf8.count > 1_000_001)
    }
  }
}
