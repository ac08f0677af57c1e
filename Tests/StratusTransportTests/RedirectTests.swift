import Foundation
import StratusWire
import Testing

@testable import StratusTransport

@Suite struct `A redirect` {
  private func target(
    _ status: Int, _ location: String?, method: HTTPRequest.Method = .post,
    of url: String = "https://cloud.example.org/a?ckWebAuthToken=secret"
  ) throws -> String? {
    let request = HTTPRequest(
      method: method, url: try #require(URL(string: url)), body: [], timeoutSeconds: 1)
    let headers = location.map { ["location": $0] } ?? [:]
    return Redirect.target(status: status, headers: headers, of: request)?.absoluteString
  }

  @Test(arguments: [
    ("/b?c", "https://cloud.example.org/b?c"),
    ("https://cloud.example.org/b", "https://cloud.example.org/b"),
    ("https://CLOUD.example.org:443/b", "https://CLOUD.example.org:443/b"),
  ])
  func `a redirect within one server is followed`(location: String, target: String) throws {
    #expect(try self.target(307, location) == target)
    #expect(try self.target(308, location) == target)
    #expect(try self.target(302, location, method: .get) == target)
  }

  @Test(arguments: [
    "https://elsewhere.example.org/b", "http://cloud.example.org/b",
    "https://cloud.example.org:8443/b", "//elsewhere.example.org/b", "ftp://cloud.example.org/b",
  ])
  func `a redirect to another host, port or scheme is not followed`(location: String) throws {
    #expect(try target(307, location) == nil)
    #expect(try target(302, location, method: .get) == nil)
  }

  @Test func `a redirect that would drop the body of a request is not followed`() throws {
    for status in [301, 302, 303, 304, 200] { #expect(try target(status, "/b") == nil) }
    #expect(try target(307, nil) == nil)
  }

  @Test
  func `the error of a refused redirect names its target and the variable STRATUS_URL`()
    async throws
  {
    let exchange = ScriptedExchange([
      .answer(308, "", headers: ["location": "https://new.example.org/database/1?x=secret"])
    ])
    let failure = await #expect(throws: TransportFailure.self) {
      try await connection(exchange).send(
        ListZones.self, EmptyRequest(), to: .private, isIdempotent: true)
    }
    guard case .unreadable(308, let reason, nil) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("https://new.example.org:443"))
    #expect(reason.contains("set STRATUS_URL"))
    #expect(!reason.contains("secret"))
  }
}
