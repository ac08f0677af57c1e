import Foundation
import Testing

/// Stops a server that has open streams.
@Suite struct `Open streams` {
  static let container = "iCloud.test.crash"

  static func target(_ server: ServerProcess, _ endpoint: String, device: String) -> String {
    "/device/1/\(container)/development/\(endpoint)?\(server.query)&clientId=\(device)"
  }

  /// Opens streams, and returns when the answer of each stream has begun.
  static func open(_ count: Int, at server: ServerProcess) async throws -> [AssetLine] {
    let port = UInt16(try #require(URL(string: server.url)?.port))
    let targets = (0..<count).map {
      target(server, "notifications/stream", device: "d\($0)")
    }
    return try await AssetLine.apart {
      let lines = try targets.map { target in
        let line = try AssetLine(port: port)
        line.send(AssetLine.head("GET", target, [])[...])
        return line
      }
      for line in lines { try line.waitForByte() }
      return lines
    }
  }

  @Test func `open streams do not delay the server's stop`() async throws {
    let binary = try #require(
      ServerBinary.find(), "build the product stratus first, or set STRATUS_RELEASE_BINARY")
    let name = "stratus-streams-\(ProcessInfo.processInfo.processIdentifier)"
    let data = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    defer { try? FileManager.default.removeItem(at: data) }
    let server = try await ServerProcess.start(binary, data: data)
    let lines = try await Self.open(200, at: server)
    let begin = ContinuousClock.now
    kill(server.processID, SIGTERM)
    let took = await server.waitForEnd() - begin
    for line in lines {
      let (status, body) = try await AssetLine.apart { try line.answer() }
      #expect(status == 200)
      #expect(body.suffix(5) == Array("0\r\n\r\n".utf8)[...])
      line.close()
    }
    // NB: the stop takes a second on an idle machine, but this machine runs other tests.
    #expect(took < .seconds(binary.isRelease ? 10 : 60), "\(took)")
  }
}
