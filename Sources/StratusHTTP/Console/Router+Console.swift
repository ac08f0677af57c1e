import HTTPTypes
public import StratusConsole
public import StratusDomain
import StratusWire

/// The parts that serve the console.
public final class ConsoleSite: Sendable {
  public let console: any WebConsole
  public let files: any ConsoleFileSource
  /// The console's URL without a path, or nil if none is configured. Without a configured URL, the
  /// console answers at any name if TLS is used, and otherwise only at local names.
  public let consoleURL: String?
  /// Returns the URL at which apps call the server. Its parameter is the URL at which a browser has
  /// reached the console. URLs of files begin with the returned URL.
  public let serverURL: @Sendable (_ consoleURL: String) -> String

  let live: LiveUpdates

  /// - Parameters:
  ///   - log: the requests that the pages show as they arrive.
  ///   - news: the changes after which the pages draw themselves again.
  ///   - version: the server's version. An open page of another version offers to reload itself.
  public init(
    console: any WebConsole, files: any ConsoleFileSource, consoleURL: String?,
    log: RequestLog, news: ConsoleNews, version: String,
    serverURL: @escaping @Sendable (_ consoleURL: String) -> String
  ) {
    self.console = console
    self.files = files
    self.consoleURL = consoleURL
    self.serverURL = serverURL
    live = LiveUpdates(log: log, news: news, version: version)
  }
}

/// Answers requests to the console's own address.
///
/// NB: these answers have no CORS fields, so no other origin can read them.
extension Router {
  private static let interfacePrefix = "/console/1/"
  /// The beginning of the paths to which the browser sends files.
  static let consoleUploadPath = interfacePrefix + ConsoleRequestCheck.uploadPrefix

  /// Answers one request. The front end's screens have different paths, and all these paths get the
  /// same page.
  func answerConsole(
    _ request: HTTPRequest, _ target: RequestTarget, _ body: any SentBody,
    _ exchange: inout Exchange, _ site: ConsoleSite
  ) async -> (head: HTTPResponse, body: AnswerBody) {
    let path = String(target.path)
    guard path.hasPrefix(Self.interfacePrefix) else {
      return file(at: path, request, exchange, site)
    }
    var head = consoleHead(exchange)
    head.headerFields[.contentType] = "application/json; charset=UTF-8"
    head.headerFields[.cacheControl] = "no-store"
    do throws(ServerError) {
      let endpoint = String(path.dropFirst(Self.interfacePrefix.count))
      if endpoint == ConsoleRequestCheck.livePath {
        let sendsRequests = target.query.map { $0 == "requests" } ?? false
        let events = try await listen(
          request, exchange, site, sendsRequests: sendsRequests)
        head.headerFields[.contentType] = "text/event-stream; charset=UTF-8"
        head.headerFields[.proxyBuffering] = "no"
        return (head, .events(events))
      }
      let (bytes, cookie) = try await interface(
        endpoint, request, body, &exchange, site)
      if let field = cookieField(cookie, exchange) {
        head.headerFields.append(HTTPField(name: .setCookie, value: field))
      }
      return (head, .bytes(bytes))
    } catch {
      let bytes = describe(error, &exchange)
      // NB: the API's status would be 421, after which a browser may send the request again.
      head.status = error.code == .authenticationRequired ? .unauthorized : exchange.status
      if let seconds = exchange.retryAfterSeconds {
        head.headerFields[.retryAfter] = String(seconds)
      }
      return (head, .bytes(bytes))
    }
  }

  private func file(
    at path: String, _ request: HTTPRequest, _ exchange: Exchange, _ site: ConsoleSite
  ) -> (head: HTTPResponse, body: AnswerBody) {
    var head = consoleHead(exchange)
    guard request.method == .get || request.method == .head else {
      head.status = .methodNotAllowed
      return (head, .bytes([]))
    }
    let isFile = path.hasPrefix(ConsoleFiles.folder)
    guard let file = isFile ? site.files.file(at: path) : site.files.page else {
      head.status = .notFound
      return (head, .bytes([]))
    }
    head.headerFields[.contentType] = file.contentType
    // The name of the folder in the path changes if one of the files changes.
    head.headerFields[.cacheControl] =
      isFile && site.files.isFixed ? "public, max-age=31536000, immutable" : "no-store"
    let size = Int64(file.bytes.count)
    return (head, request.method == .head ? .absent(size: size) : .bytes(file.bytes))
  }

  /// The head of each answer of the console.
  func consoleHead(_ exchange: Exchange) -> HTTPResponse {
    var head = HTTPResponse(status: .ok)
    head.headerFields.append(HTTPField(name: .requestUUID, value: exchange.uuid))
    if requiresEncryption { head.headerFields[.strictTransportSecurity] = "max-age=31536000" }
    for field in ConsoleHeaders.all {
      guard let name = HTTPField.Name(field.name) else { continue }
      head.headerFields[name] = field.value
    }
    return head
  }

  private func interface(
    _ endpoint: String, _ request: HTTPRequest, _ body: any SentBody,
    _ exchange: inout Exchange, _ site: ConsoleSite
  ) async throws(ServerError) -> ([UInt8], ConsoleCookie) {
    try checkHead(endpoint, request, exchange, site)
    if endpoint.hasPrefix(ConsoleRequestCheck.uploadPrefix) {
      // The ticket in the path authorizes the upload, as at the API.
      let ticket = String(endpoint.dropFirst(ConsoleRequestCheck.uploadPrefix.count))
      let answer = try await assets.upload(ticket, request, body, exchange.caller)
      return (try await answer.body.collected(), .unchanged)
    }
    let sent = try await body.bytes()
    let decision = try await site.console.decide(
      consoleRequest(endpoint, request, sent, exchange, site))
    switch decision {
    case .answer(let bytes, let cookie): return (bytes, cookie)
    case .manage(let endpoint, let view):
      exchange.caller.principal = .management
      guard let handler = routes.managementHandler(for: endpoint) else {
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
      reports.flush()
      let answer = try await AuditActor.member(email: view.member).perform {
        () async throws(ServerError) in try await handler.answer(sent)
      }
      news?.note(managementEndpoint: endpoint, sent: sent)
      return (try view.part(of: answer, to: endpoint), .unchanged)
    case .listen:
      throw ServerError(.notFound, Reason.endpointUnknown)
    case .open(let address, let endpoint, let principal):
      exchange.caller.principal = principal
      // The page uploads files to the console's origin, because it may connect to no other origin.
      // It downloads files from the API's origin, so that their contents can do nothing in the
      // console.
      exchange.caller.serverURL =
        endpoint == UploadAssets.path
        ? exchange.serverURL + String(Self.interfacePrefix.dropLast())
        : site.serverURL(exchange.serverURL)
      let answer = try await open(address, endpoint, sent, exchange.caller)
      news?.note(endpoint: endpoint, in: address)
      return (answer, .unchanged)
    }
  }

  /// Opens the stream of events of a page.
  private func listen(
    _ request: HTTPRequest, _ exchange: Exchange, _ site: ConsoleSite, sendsRequests: Bool
  ) async throws(ServerError) -> AsyncStream<[UInt8]> {
    let path = ConsoleRequestCheck.livePath
    try checkHead(path, request, exchange, site)
    let asked = consoleRequest(path, request, [], exchange, site)
    guard case .listen(let member, let view) = try await site.console.decide(asked) else {
      throw ServerError(.notFound, Reason.endpointUnknown)
    }
    return try site.live.open(
      for: member, view, sendsRequests: sendsRequests
    ) { [console = site.console] in
      // NB: this check does not count as a use of the session, so an open page does not keep its
      // session alive.
      guard case .listen(_, let view) = try? await console.decide(asked) else { return nil }
      return view
    }
  }

  private func consoleRequest(
    _ endpoint: String, _ request: HTTPRequest, _ body: [UInt8], _ exchange: Exchange,
    _ site: ConsoleSite
  ) -> ConsoleRequest {
    let cookies = CookieText.cookies(Self.cookieField(of: request.headerFields))
    return ConsoleRequest(
      path: endpoint, body: body, cookie: cookies[Self.cookieName(exchange)],
      clientAddress: exchange.caller.clientAddress,
      userAgent: request.headerFields[.userAgent],
      isAutomatic: request.headerFields[.consoleRefresh] != nil,
      serverURL: site.serverURL(exchange.serverURL))
  }

  private func checkHead(
    _ endpoint: String, _ request: HTTPRequest, _ exchange: Exchange, _ site: ConsoleSite
  ) throws(ServerError) {
    let url = exchange.serverURL.lowercased()
    // NB: an attacker's host name may resolve to this address (DNS rebinding). Without TLS, only
    // the configured name and the machine's local names are safe.
    let isEncrypted = url.hasPrefix("https://")
    let isKnownHost = site.consoleURL != nil || isEncrypted || LocalName.isLocal(url)
    let ownHost = url.split(separator: "/").last.map(String.init)
    let fields = request.headerFields
    let head = ConsoleRequestCheck.Head(
      method: request.method.rawValue, path: endpoint, contentType: fields[.contentType],
      host: isEncrypted ? ownHost : request.authority,
      origin: fields[.origin], fetchSite: fields[.fetchSite])
    guard isKnownHost, ConsoleRequestCheck(consoleURL: url).allows(head) else {
      throw ServerError(.accessDenied, Reason.accessDenied)
    }
  }

  private func open(
    _ address: DatabaseAddress, _ endpoint: String, _ body: [UInt8], _ caller: Caller
  ) async throws(ServerError) -> [UInt8] {
    guard let handler = routes.handler(for: endpoint) else {
      throw ServerError(.notFound, Reason.endpointUnknown)
    }
    let subject = CallerPace.Subject(
      userRecordName: caller.userRecordName, apiToken: nil, clientAddress: caller.clientAddress)
    try pace.admitRequest(of: subject)
    return try await serve(endpoint, by: handler, body, in: address, as: subject, caller)
  }

  private static func cookieName(_ exchange: Exchange) -> String {
    (exchange.serverURL.hasPrefix("https://") ? "__Host-" : "") + "stratus-console"
  }

  private func cookieField(_ cookie: ConsoleCookie, _ exchange: Exchange) -> String? {
    let isSecure = exchange.serverURL.hasPrefix("https://")
    let attributes = "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    switch cookie {
    case .unchanged: return nil
    case .set(let text): return "\(Self.cookieName(exchange))=\(text)\(attributes)"
    case .removed: return "\(Self.cookieName(exchange))=\(attributes); Max-Age=0"
    }
  }
}

/// The names by which a browser reaches a server on its own machine.
public enum LocalName {
  /// Whether the host of a URL is a name or an address that always means this machine.
  public static func isLocal(_ url: String) -> Bool {
    guard let scheme = url.firstRange(of: "://") else { return false }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" }
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } == "[::1" }
    let host = authority.prefix { $0 != ":" }.lowercased()
    return host == "localhost" || host.hasSuffix(".localhost")
      || host.wholeMatch(of: /127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/) != nil
  }
}
