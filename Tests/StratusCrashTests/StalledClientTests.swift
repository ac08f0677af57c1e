import Foundation
import Testing

/// Stops a server while clients stall in the middle of a request or an answer.
@Suite struct `Clients that stall` {
  /// Opens connections that send only a part of a request, or do not read their answers.
  static func open(at server: ServerProcess) async throws -> [AssetLine] {
    let port = UInt16(try #require(URL(string: server.url)?.port))
    let target = "/database/1/iCloud.test.crash/development/private/records/lookup?\(server.query)"
    let body = "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
    let texts = [
      "GET /hea", "\(body)500\r\n\r\n{\"rec", "\(body)500000\r\n\r\n{\"rec",
      String(repeating: "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 2_000),
    ]
    return try await AssetLine.apart {
      try texts.map { text in
        let line = try AssetLine(port: port)
        line.send(Array(text.utf8)[...])
        return line
      }
    }
  }

  @Test func `stalled clients do not delay the server's stop`() async throws {
    let binary = try #require(
      ServerBinary.find(), "build the product stratus first, or set STRATUS_RELEASE_BINARY")
    let name = "stratus-stalled-\(ProcessInfo.processInfo.processIdentifier)"
    let data = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    defer { try? FileManager.default.removeItem(at: data) }
    let server = try await ServerProcess.start(binary, data: data)
    let lines = try await Self.open(at: server)
    let begin = ContinuousClock.now
    kill(server.processID, SIGTERM)
    let took = await server.waitForEnd() - begin
    for line in lines { line.close() }
    // NB: the server waits ten seconds for clients. The limit is longer in a debug build, because
    // other tests run at the same time.
    #expect(took < .seconds(binary.isRelease ? 15 : 60), "\(took)")
  }
}
