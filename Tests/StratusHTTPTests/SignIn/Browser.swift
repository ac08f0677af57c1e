import Foundation
import HTTPTypes
import StratusAccounts
import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// A browser without JavaScript. It keeps cookies, and sends the forms of a page with the header
/// fields that the Fetch standard requires.
final class Browser {
  let router: Router
  var host = "localhost"
  var clientAddress = "192.0.2.7"
  private(set) var cookies: [String: String] = [:]
  /// The header fields of every request, such as `Origin`.
  var fields: [String: String] = [:]

  /// The page of an answer.
  struct Page {
    let status: Int
    let text: String
    let headers: HTTPFields

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    var location: String? { header("Location") }

    /// The text without the random challenge for passkeys.
    var textWithoutChallenge: String {
      text.replacing(/data-options="[^"]*"/, with: "")
        .replacing(/name="challenge" value="[^"]*"/, with: "")
    }

    /// The hidden and the prefilled fields of the form with this action.
    func form(_ action: String) -> [String: String]? {
      guard let begin = text.range(of: "action=\"\(action)\""),
        let end = text.range(of: "</form>", range: begin.upperBound..<text.endIndex)
      else { return nil }
      var fields: [String: String] = [:]
      for input in text[begin.upperBound..<end.lowerBound].split(separator: "<input").dropFirst() {
        guard let name = Self.attribute("name", of: input) else { continue }
        fields[name] = Self.attribute("value", of: input) ?? ""
      }
      return fields
    }

    private static func attribute(_ name: String, of element: Substring) -> String? {
      guard let begin = element.range(of: " \(name)=\"") else { return nil }
      return String(element[begin.upperBound...].prefix { $0 != "\"" })
        .replacing("&amp;", with: "&").replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
    }

    /// The value of the page's `data-` attribute with this name.
    func data(_ name: String) -> String? {
      guard let begin = text.range(of: "data-\(name)=\"") else { return nil }
      return String(text[begin.upperBound...].prefix { $0 != "\"" })
    }
  }

  init(_ server: TestServer) { router = server.router }

  func get(_ target: String) async throws -> Page { try await send(.get, target, nil) }

  /// Opens a page and follows redirects on this server.
  func open(_ target: String) async throws -> Page {
    var page = try await get(target)
    for _ in 0..<5 {
      guard page.status == 303, let next = page.location, next.hasPrefix("/") else { break }
      page = try await get(next)
    }
    return page
  }

  /// Sends the form of a page with some fields changed, and follows a redirect on this server.
  func submit(
    _ page: Page, _ action: String, _ changes: [String: String?] = [:], follows: Bool = true
  ) async throws -> Page {
    var form = try #require(page.form(action), "the page has no form \(action): \(page.text)")
    // A browser does not send an unchecked check box.
    form["keep"] = nil
    for (name, value) in changes { form[name] = value }
    let answer = try await send(.post, action, form, from: page)
    guard follows, answer.status == 303, let next = answer.location, next.hasPrefix("/") else {
      return answer
    }
    return try await open(next)
  }

  /// - Parameter page: the page of the form, or nil if the request does not come from a page.
  func send(
    _ method: HTTPRequest.Method, _ target: String, _ form: [String: String]?,
    from page: Page? = nil
  ) async throws -> Page {
    var head = HTTPRequest(method: method, scheme: "http", authority: host, path: target)
    if let page {
      head.headerFields[.origin] = origin(of: page)
      head.headerFields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
    }
    for (name, value) in fields { head.headerFields[try #require(HTTPField.Name(name))] = value }
    if !cookies.isEmpty {
      head.headerFields[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }
    var body: [UInt8] = []
    if let form {
      head.headerFields[.contentType] = "application/x-www-form-urlencoded"
      body = Array(
        form.map { "\(Self.encode($0.key))=\(Self.encode($0.value))" }.joined(separator: "&").utf8)
    }
    let (answer, contents) = await router.answer(
      head, body: WholeBody(body), from: clientAddress)
    for field in answer.headerFields[values: .setCookie] { keep(field) }
    return Page(
      status: answer.status.code,
      text: String(decoding: try await Self.bytes(of: contents), as: UTF8.self),
      headers: answer.headerFields)
  }

  /// All bytes of an answer, also of one that is sent piece by piece.
  private static func bytes(of contents: AnswerBody) async throws -> [UInt8] {
    guard case .events(let pieces) = contents else { return try await contents.collected() }
    var bytes: [UInt8] = []
    for await piece in pieces { bytes += piece }
    return bytes
  }

  /// The `Origin` of a form that a page sends to its own server (Fetch, "append a request Origin
  /// header").
  private func origin(of page: Page) -> String {
    page.header("Referrer-Policy") == "no-referrer" ? "null" : "http://\(host)"
  }

  private func keep(_ field: String) {
    let parts = field.split(separator: ";").map { $0.drop { $0 == " " } }
    guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return }
    let name = String(pair[..<equals])
    cookies[name] =
      parts.contains("Max-Age=0") ? nil : String(pair[pair.index(after: equals)...])
  }

  /// Copies the cookies of another browser into this one, as a thief could.
  func copying(_ other: Browser) -> Browser {
    cookies = other.cookies
    return self
  }

  func remove(cookie name: String) { cookies[name] = nil }

  static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
        ? String(UnicodeScalar(byte))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Signs in on the page at this target, and returns the next page.
  func signIn(
    _ target: String = "/auth/sign-in", email: String = SignInScene.email,
    password: String = SignInScene.password, keep: Bool = false
  ) async throws -> Page {
    try await submit(
      try await open(target), "/auth/sign-in",
      ["email": email, "password": password, "keep": keep ? "yes" : nil])
  }
}

/// A server with an account that has a password, and an app with an API token.
struct SignInScene {
  let server: TestServer
  let clock: MovedClock
  let apiToken: String
  let environment: String
  let log: CapturedLog

  static let email = "anna@example.org"
  static let password = "seven green bicycles"
  static let container = "iCloud.org.example.Notes"
  static let origin = "https://app.example.org"

  /// - Parameters:
  ///   - token: additional properties of the API token.
  ///   - mail: the settings for mails and sign-up, or nil for a server that offers neither.
  ///   - providers: the identity providers at which users can sign in, or nil if there are none.
  ///   - clock: the clock of the server.
  static func with(
    token: JSON = [:], environment: String = "development", mail: MailSettings? = nil,
    providers: ProviderClient? = nil, clock: MovedClock = MovedClock(),
    _ body: (SignInScene) async throws -> Void
  ) async throws {
    var limits = LimitSettings.unpaced
    limits.passwordLogRounds = 4
    let log = CapturedLog()
    try await withServer(
      live: clock.live, limits: limits, log: log, mail: mail, providers: providers
    ) { server in
      try await server.manage("containers/create", ["containerID": "\(container)"])
      try await server.manage(
        "accounts/create", ["email": "\(email)", "password": "\(password)"])
      var request = token.with("containerID", .string(container))
      request = request.with("environment", .string(environment))
      let made = try await server.manage("api-tokens/create", request)
      try await body(
        SignInScene(
          server: server, clock: clock, apiToken: try #require(made["token"].string),
          environment: environment, log: log))
    }
  }

  var browser: Browser { Browser(server) }

  /// The app's client with a web auth token.
  func client(_ webAuthToken: String?) -> Client {
    Client(
      router: server.router, container: Self.container, environment: environment,
      apiToken: apiToken, webAuthToken: webAuthToken)
  }

  /// The number of web auth tokens of all apps and accounts.
  func appSessionCount() async throws -> Int {
    let list = try await server.manage("web-tokens/list", [:])
    return try #require(list["webTokens"].array).count
  }

  /// The path of the sign-in page that the server gives to the app.
  func signInTarget(
    origin: String? = origin, fields: [String: String] = [:]
  ) async throws -> String {
    let client = client(nil)
    var headers = fields
    headers["Origin"] = origin
    let answer = try await client.send(.get, client.target("users/caller"), headers: headers)
    #expect(answer.status == 421)
    let url = try #require(answer.json["redirectURL"].string, "\(answer.json)")
    #expect(url.hasPrefix("http://stratus.test/auth/sign-in?request="))
    return String(url.dropFirst("http://stratus.test".count))
  }
}
