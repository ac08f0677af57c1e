import HTTPTypes
import StratusHTTP
import StratusTesting
import Testing

/// Statuses, headers and methods.
@Suite struct HTTPAnswers {
  @Test(arguments: ["records/nothing", "records", "records/modify/more", "tokens/forget"])
  func `a request to an unknown endpoint gives status 404`(endpoint: String) async throws {
    try await withAnna { anna in
      let answer = try await anna.answer(endpoint, [:])
      #expect(answer.status == 404)
      answer.expectRefusal(endpoint)
      #expect(answer.reason == "could not find handler for endpoint")
    }
  }

  @Test(arguments: [
    "", "//", "/database", "/database/1", "/database/2/iCloud.a/development/public/zones/list",
    "/database/1/iCloud.a/staging/public/zones/list", "/wp-login.php",
    "/database/1/iCloud.a/development/secret/zones/list", "/%00", "/../../etc/passwd", "?",
  ])
  func `a request to an unknown path gives status 404 with a JSON body`(path: String) async throws {
    try await withServer { server in
      let answer = try await server.otherUser.send(.get, path)
      #expect(answer.status == 404)
      answer.expectRefusal(path)
    }
  }

  @Test(arguments: [HTTPRequest.Method.put, .delete, .patch, .trace])
  func `a request with a wrong method gives status 405 and the allowed methods`(
    method: HTTPRequest.Method
  ) async throws {
    try await withAnna { anna in
      let answer = try await anna.send(method, anna.target("records/modify"))
      #expect(answer.status == 405)
      answer.expectRefusal("\(method)")
      let allowed = try #require(try answer.header("Allow"))
      #expect(allowed.contains("GET") && allowed.contains("POST"))
    }
  }

  @Test
  func `answers of the web service have a version, an instance and a request ID`() async throws {
    try await withServer { server in
      let good = try await server.otherUser.answer("zones/list", [:])
      let bad = try await server.otherUser.answer("records/modify", [:])
      for answer in [good, bad] {
        #expect(try answer.header("X-Apple-CloudKit-Version") == "1.0")
        #expect(try answer.header("Cache-Control") == "no-store")
        #expect(try answer.header("X-Responding-Instance")?.isEmpty == false)
      }
      let first = try #require(try good.header("X-Apple-Request-UUID"))
      let second = try #require(try bad.header("X-Apple-Request-UUID"))
      #expect(first != second)
      #expect(bad.json["uuid"].string == second)
    }
  }

  /// The header fields of an answer of any content type.
  private func fields(
    _ method: HTTPRequest.Method, _ path: String, of server: TestServer
  ) async -> HTTPFields {
    let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
    return await server.router.answer(head, body: WholeBody([])).head.headerFields
  }

  /// Requests whose answers are of many kinds.
  private func requests(to server: TestServer) -> [(HTTPRequest.Method, String)] {
    let target = server.otherUser.target("zones/list")
    return [
      (.get, target), (.post, server.otherUser.target("records/modify")), (.options, target),
      (.put, target), (.get, "/nothing"), (.get, "/health"), (.get, "/openapi.json"),
      (.get, "/assets/download/x"), (.get, "/auth/style.css"), (.get, "/auth/sign-in"),
      (.get, "/account"), (.post, "/auth/token"), (.get, "/share/none"), (.get, "/"),
    ]
  }

  /// OWASP ASVS 3.2.1 and 3.4.4.
  @Test func `answers of many kinds forbid browsers to guess the content type`() async throws {
    try await withServer { server in
      for (method, path) in requests(to: server) {
        let fields = await fields(method, path, of: server)
        #expect(fields[.xContentTypeOptions] == "nosniff", "\(method) \(path)")
      }
    }
  }

  /// OWASP ASVS 3.4.3 and 3.4.6.
  @Test func `answers of many kinds forbid frames and, by default, resources`() async throws {
    try await withServer { server in
      for (method, path) in requests(to: server) {
        let fields = await fields(method, path, of: server)
        let policy = fields[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'"), "\(method) \(path)")
        #expect(policy.contains("frame-ancestors 'none'"), "\(method) \(path)")
      }
    }
  }

  /// OWASP ASVS 4.1.1.
  @Test(arguments: [
    "/", "/auth/sign-in", "/auth/style.css", "/auth/callback.js", "/auth/share.js",
    "/auth/passkeys.js", "/auth/share-panel.js", "/health", "/openapi.json", "/nothing",
  ])
  func `the texts that browsers load name their character encoding`(path: String) async throws {
    try await withServer { server in
      let type = await fields(.get, path, of: server)[.contentType]
      #expect(type?.lowercased().hasSuffix("; charset=utf-8") == true, "\(type ?? "")")
    }
  }

  @Test func `a web page of any origin may send requests and read answers`() async throws {
    try await withServer { server in
      let origin = "https://notes.example.org"
      let target = server.otherUser.target("users/caller")
      let answer = try await server.otherUser.send(.get, target, headers: ["Origin": origin])
      #expect(answer.status == 421)
      #expect(try answer.header("Access-Control-Allow-Origin") == origin)
      // The API token lists no origins, so a browser must not send credentials.
      #expect(try answer.header("Access-Control-Allow-Credentials") == nil)
      let exposed = try #require(try answer.header("Access-Control-Expose-Headers"))
      for name in ["X-Apple-CloudKit-Web-Auth-Token", "X-Apple-Request-UUID"] {
        #expect(exposed.contains(name))
      }
      let local = try await server.otherUser.send(.get, target)
      #expect(try local.header("Access-Control-Allow-Origin") == nil)
    }
  }

  @Test func `a CORS preflight needs no token and allows the requested headers`() async throws {
    try await withServer { server in
      let asked = "content-type,x-apple-cloudkit-request-keyid"
      let answer = try await Client(router: server.router).send(
        .options, "/database/1/iCloud.org.example.Notes/development/private/records/modify",
        headers: [
          "Origin": "https://a.example", "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": asked,
        ])
      #expect([200, 204].contains(answer.status))
      #expect(try answer.header("Access-Control-Allow-Origin") == "https://a.example")
      #expect(try answer.header("Access-Control-Allow-Headers") == asked)
      #expect(try answer.header("Access-Control-Max-Age") != nil)
      let methods = try #require(try answer.header("Access-Control-Allow-Methods"))
      for method in ["GET", "POST", "OPTIONS"] { #expect(methods.contains(method)) }
    }
  }
}
