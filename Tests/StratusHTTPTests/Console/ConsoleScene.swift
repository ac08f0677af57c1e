import HTTPTypes
import StratusAccounts
import StratusConsole
import StratusDomain
import StratusHTTP
import StratusServer
import StratusTesting
import StratusWire
import Testing

/// A server with a console, and a browser that uses it.
struct ConsoleScene {
  static let container = "iCloud.org.example.Notes"
  static let password = "seven green bicycles"
  static let owner = "anna@example.org"

  let server: TestServer
  let clock: MovedClock
  let setupCode: String
  let router: Router
  let log: CapturedLog

  static func with(_ body: (ConsoleScene) async throws -> Void) async throws {
    let clock = MovedClock()
    var limits = LimitSettings.unpaced
    limits.passwordLogRounds = 4
    let log = CapturedLog()
    try await withServer(live: clock.live, limits: limits, log: log) { server in
      try await server.manage("containers/create", ["containerID": "\(container)"])
      let (console, code) = try await server.accounts.console(version: "1.2.3")
      server.requestLog.keep()
      var router = server.router
      router.pages = nil
      router.publicURL = nil
      router.console = ConsoleSite(
        console: console, files: ConsoleFiles(), consoleURL: nil, log: server.requestLog,
        news: server.news, version: "1.2.3"
      ) { _ in "http://stratus.test" }
      try await body(
        ConsoleScene(
          server: server, clock: clock, setupCode: try #require(code), router: router, log: log))
    }
  }

  var browser: ConsoleBrowser { ConsoleBrowser(router: router) }

  /// A browser in which the first owner is signed in.
  func ownersBrowser() async throws -> ConsoleBrowser {
    let browser = browser
    let answer = try await browser.call(
      "session/set-up",
      ["code": "\(setupCode)", "email": "\(Self.owner)", "password": "\(Self.password)"])
    #expect(answer.status == 200, "\(answer.json)")
    return browser
  }

  /// A browser in which a new member is signed in.
  func browser(of role: TeamRole, in containers: [String]? = nil) async throws -> ConsoleBrowser {
    let email = "\(role.rawValue)@example.org"
    try await server.manage(
      "accounts/create", ["email": "\(email)", "password": "\(Self.password)"])
    var member: JSON = ["email": "\(email)", "role": "\(role.rawValue)"]
    if let containers {
      member = member.with("containerIDs", .array(containers.map { JSON.string($0) }))
    }
    try await server.manage("team/add", member)
    let browser = browser
    let answer = try await browser.call(
      "session/sign-in", ["email": "\(email)", "password": "\(Self.password)"])
    #expect(answer.status == 200, "\(answer.json)")
    return browser
  }
}

/// A browser that keeps the console's cookie.
final class ConsoleBrowser {
  struct Answer {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    var json: JSON { (try? JSON(parsing: bytes)) ?? [:] }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
  }

  let router: Router
  var host = "localhost:8081"
  var cookie: String?
  var fields: [String: String] = ["Sec-Fetch-Site": "same-origin"]

  init(router: Router) { self.router = router }

  func get(_ path: String) async throws -> Answer { try await send(.get, path, []) }

  func call(_ path: String, _ body: JSON = [:]) async throws -> Answer {
    try await send(.post, "/console/1/" + path, body.bytes)
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]
  ) async throws -> Answer {
    var head = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
    if method == .post { head.headerFields[.contentType] = "application/json" }
    for (name, value) in fields { head.headerFields[try #require(HTTPField.Name(name))] = value }
    if let cookie { head.headerFields[.cookie] = "stratus-console=\(cookie)" }
    let (answer, contents) = await router.answer(
      head, body: WholeBody(body), from: "192.0.2.7")
    if let field = answer.headerFields[.setCookie],
      let value = field.split(separator: ";").first?.split(separator: "=").dropFirst().first
    {
      cookie = String(value)
    }
    return Answer(
      status: answer.status.code, headers: answer.headerFields,
      bytes: try await contents.collected())
  }
}
