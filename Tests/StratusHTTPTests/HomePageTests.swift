import Foundation
import HTTPTypes
import StratusAccounts
import StratusServer
import StratusTesting
import StratusWire
import Testing

@testable import StratusHTTP

@Suite struct `The server's home page` {
  @Test func `the home page shows the version of the server`() async throws {
    try await withServer { server in
      let (head, body) = await server.router.answer(request(.get), body: WholeBody([]))
      #expect(head.status == .ok)
      #expect(head.headerFields[.contentType] == "text/html; charset=UTF-8")
      let text = String(decoding: try await body.collected(), as: UTF8.self)
      #expect(text.contains("<h1>Stratus \(ServerVersion.current)</h1>"))
    }
  }

  @Test func `the home page loads no resources and runs no script`() async throws {
    try await withServer { server in
      let (head, body) = await server.router.answer(request(.get), body: WholeBody([]))
      let policy = try #require(head.headerFields[.contentSecurityPolicy])
      #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
      for word in ["script-src", "unsafe", "http", "*"] { #expect(!policy.contains(word)) }
      let text = String(decoding: try await body.collected(), as: UTF8.self)
      for word in ["<script", "<img", "<link", "<form", "style=", "onclick", "url(", "src="] {
        #expect(!text.contains(word), "\(word)")
      }
    }
  }

  @Test func `the home page has a security policy that permits its style sheet`() throws {
    let text = String(decoding: HomePage(version: "1").body, as: UTF8.self)
    let style = try #require(text.firstMatch(of: #/<style>([^<]*)<\/style>/#)).output.1
    let hash = Data(Digest.sha256(Array(style.utf8))).base64EncodedString()
    #expect(HomePage.styleHash == "sha256-" + hash)
  }

  @Test func `the home page escapes the special characters of the version`() {
    let text = String(decoding: HomePage(version: "1<b>&").body, as: UTF8.self)
    #expect(text.contains("<h1>Stratus 1&lt;b&gt;&amp;</h1>"))
  }

  @Test func `the home page answers HEAD requests without a body`() async throws {
    try await withServer { server in
      let (head, body) = await server.router.answer(request(.head), body: WholeBody([]))
      #expect(head.status == .ok)
      let bytes = try await body.collected()
      #expect(bytes.isEmpty)
    }
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .delete])
  func `the home page refuses POST, PUT and DELETE requests`(_ method: HTTPRequest.Method)
    async throws
  {
    try await withServer { server in
      let (head, _) = await server.router.answer(request(method), body: WholeBody([]))
      #expect(head.status == .methodNotAllowed)
      #expect(head.headerFields[.contentType] == "application/json; charset=UTF-8")
    }
  }

  @Test func `the operator's socket does not serve the home page`() async throws {
    try await withServer { server in
      var router = server.router
      router.endpointSet = .management
      let (head, _) = await router.answer(request(.get), body: WholeBody([]))
      #expect(head.status == .notFound)
    }
  }

  private func request(_ method: HTTPRequest.Method) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "http", authority: "stratus.test", path: "/")
  }
}
