public import HTTPTypes
public import Logging
public import StratusDomain
public import StratusWire

/// Answers requests: it authenticates the caller and calls the endpoint. It uses no socket.
public struct Router: Sendable {
  /// The set of requests that a router answers.
  public enum EndpointSet: Sendable {
    /// All requests, for tests.
    case all
    /// The requests of clients, but not those of the operator.
    case clients
    /// Only the requests of the operator.
    case management
  }

  /// The server's own web pages, or nil if there are none.
  public var pages: (any WebPages)?
  /// The console, or nil. A router with a console answers only the requests of the console.
  public var console: ConsoleSite?
  /// Gets the report of each request, except for the requests of the console.
  public let reports: ReportQueue
  /// Returns the nanoseconds since a fixed moment, for the durations in reports.
  public var stopwatch: @Sendable () -> Int64 = { 0 }
  /// Returns the metrics as text. A router with this function answers only requests for metrics.
  public var metrics: (@Sendable () async -> [UInt8])?
  /// Gets the changes that requests make, for the pages of the console.
  public var news: ConsoleNews?
  /// The proxies whose statements about the client, the host and the scheme are accepted.
  public var trustedProxies: [AddressRange] = []
  /// Whether the connections use TLS.
  public var isEncrypted = false
  /// Whether answers tell browsers to connect only with TLS (RFC 6797).
  public var requiresEncryption = false
  /// The requests that this router answers. Other endpoints count as unknown.
  public var endpointSet = EndpointSet.all
  /// Authorizes requests to listen for notifications.
  let listening: ListeningAccess
  /// Delivers notifications to the requests that listen for them.
  public let hub: any NotificationListening
  let routes: Routes
  let assets: AssetRoutes
  let authentication: any Authentication
  let pace: CallerPace
  let expensive: ExpensiveRequests
  let ambient: Ambient
  private let managementToken: String
  /// The URL at which browsers and clients call this router, or nil to use the host that each
  /// request names.
  public var publicURL: String?
  private let readiness: ReadinessProbe
  private let radar: ProductionRadar
  private let homePage: HomePage
  /// The header fields that answers have by default.
  private let fixedFields: HTTPFields
  private let logger: Logger

  /// - Parameters:
  ///   - hub: delivers notifications to requests that listen for them.
  ///   - pace: the rate limits of callers.
  ///   - expensive: lets the expensive requests of a caller run one at a time while other callers
  ///     are active.
  ///   - managementToken: authorizes the operator's commands.
  ///   - instance: the name of this process. Each answer contains it.
  ///   - publicURL: the URL at which clients call the server. If it is nil, the server uses the
  ///     host that each request names.
  ///   - readiness: the checks of `/health/ready`.
  ///   - radar: counts the requests that production refused because it lacks a part of the schema.
  ///   - version: the server's version, for the page at `/`.
  ///   - reports: gets the report of each request.
  public init(
    service: Service, hub: any NotificationListening, management: [any ManagementHandler],
    authentication: any Authentication, pace: CallerPace, expensive: ExpensiveRequests,
    ambient: Ambient,
    managementToken: String, instance: String, publicURL: String?,
    readiness: [any ReadinessCheck] = [], radar: ProductionRadar, version: String = "",
    reports: ReportQueue = ReportQueue(), logger: Logger
  ) {
    self.radar = radar
    self.reports = reports
    homePage = HomePage(version: version)
    self.readiness = ReadinessProbe(readiness, ambient: ambient)
    listening = service.listening
    self.hub = hub
    routes = Routes(service: service, management: management)
    var uploads = service.uploads
    uploads.turns = expensive
    assets = AssetRoutes(uploads: uploads, downloads: service.downloads)
    self.authentication = authentication
    self.pace = pace
    self.expensive = expensive
    self.ambient = ambient
    self.managementToken = managementToken
    self.publicURL = publicURL
    fixedFields = [
      .contentType: "application/json; charset=UTF-8", .cloudKitVersion: "1.0",
      .respondingInstance: instance, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
      .contentSecurityPolicy: Self.emptyPolicy,
    ]
    self.logger = logger
  }

  /// Answers one request. The body of an answer is JSON, whatever the status. The exceptions are
  /// files, web pages, streams of events and metrics.
  ///
  /// - Parameter clientAddress: the address of the connection's client, or nil if it has none.
  public func answer(
    _ request: HTTPRequest, body: any SentBody, from clientAddress: String? = nil
  ) async -> (head: HTTPResponse, body: AnswerBody) {
    if let metrics { return await show(metrics, to: request) }
    var exchange = exchange(for: request, from: clientAddress)
    guard console == nil, let details = reports.details else {
      return await reply(to: request, body, &exchange)
    }
    if details.hasQueries || details.plansFrom != nil { exchange.caller.work.reportQueries() }
    let (beganAt, beginning) = (ambient.now(), stopwatch())
    let answer = await reply(to: request, body, &exchange)
    reports.add(
      report(
        request, exchange, answer.head.status, answer.body, since: beganAt,
        after: stopwatch() - beginning, details))
    return answer
  }

  private func reply(
    to request: HTTPRequest, _ body: any SentBody, _ exchange: inout Exchange
  ) async -> (head: HTTPResponse, body: AnswerBody) {
    if let console {
      let target = RequestTarget(request.path ?? "/")
      return await answerConsole(request, target, body, &exchange, console)
    }
    var answer: AnswerBody
    do throws(ServerError) {
      let target = RequestTarget(request.path ?? "/")
      guard let path = RequestPath(target.path), isAnswered(path) else {
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
      exchange.path = path
      switch path {
      case .upload(let ticket):
        exchange.isAsset = true
        answer =
          try await transfer(request, &exchange) { (caller) throws(ServerError) in
            try await assets.upload(ticket, request, body, caller)
          }
      case .download(let ticket):
        exchange.isAsset = true
        answer =
          try await transfer(request, &exchange) { (caller) throws(ServerError) in
            try await assets.download(ticket, request, caller)
          }
      case .courier, .stream:
        exchange.isCourier = path.isCourier
        answer = .bytes(try refuseToListen(request))
      case .home: answer = .bytes(try showHomePage(to: request, &exchange))
      case .openAPI: answer = .bytes(try showDescription(to: request))
      case .page(let path):
        exchange.isPage = true
        guard let pages else { throw ServerError(.notFound, Reason.endpointUnknown) }
        return try await page(path, target.query, request, body, exchange, by: pages)
      case .health, .management, .database:
        answer = .bytes(try await respond(to: request, path, target.query, body, &exchange))
      }
    } catch {
      if error.code == .authenticationRequired {
        exchange.caller.signInURL = await signInURL(for: request, exchange)
      }
      answer = .bytes(describe(error, &exchange))
    }
    if exchange.refusal == nil, let news, let (address, endpoint) = exchange.target {
      news.note(endpoint: endpoint, in: address)
    }
    let lacks = exchange.caller.lacks.all
    if !lacks.isEmpty, let store = exchange.store {
      radar.note(lacks, at: store, app: exchange.app)
    }
    if request.method == .head, case .bytes(let bytes) = answer {
      answer = .absent(size: Int64(bytes.count))
    }
    return (head(for: request, exchange), answer)
  }

  /// - Parameter clientAddress: the address of the connection's client, or nil if it has none.
  func exchange(for request: HTTPRequest, from clientAddress: String?) -> Exchange {
    let forwarded = ForwardedRequest(
      request, from: clientAddress, isEncrypted: isEncrypted, proxies: trustedProxies)
    var exchange = Exchange(uuid: ambient.makeUUID())
    exchange.caller.clientAddress = forwarded.clientAddress
    exchange.serverURL =
      publicURL ?? forwarded.scheme + "://" + (forwarded.authority ?? "localhost")
    return exchange
  }

  private func isAnswered(_ path: RequestPath) -> Bool {
    switch endpointSet {
    case .all: true
    case .clients: !path.isManagement
    case .management: path.isManagement
    }
  }

  private func transfer(
    _ request: HTTPRequest, _ exchange: inout Exchange,
    _ body: (Caller) async throws(ServerError) -> AssetRoutes.Answer
  ) async throws(ServerError) -> AnswerBody {
    if request.method == .options { return .bytes(Array("{}".utf8)) }
    let answer = try await body(exchange.caller)
    exchange.status = answer.status
    exchange.fields = answer.fields
    return answer.body
  }

  private func respond(
    to request: HTTPRequest, _ path: RequestPath, _ query: Substring?, _ body: any SentBody,
    _ exchange: inout Exchange
  ) async throws(ServerError) -> [UInt8] {
    switch request.method {
    case .get, .head, .post: break
    case .options: return await preflight(path, query, &exchange)
    default: throw .badRequest(Reason.methodNotAllowed)
    }
    switch path {
    case .upload, .download, .stream, .courier, .home, .openAPI, .page:
      throw ServerError(.notFound, Reason.endpointUnknown)
    case .health(.live): return Array(#"{"status":"ok"}"#.utf8)
    case .health(.ready): return await reportReadiness(&exchange)
    case .management(let endpoint): return try await manage(endpoint, request, body, &exchange)
    case .database(let address, let endpoint):
      guard let handler = routes.handler(for: endpoint) else {
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
      exchange.target = (address, endpoint)
      // The signature depends on the body, so the body is read both for the check and for the
      // handler.
      let body: any SentBody =
        request.headerFields[.requestKeyID] == nil ? body : KeptBody(body)
      let subject = try await admit(request, query, to: address.store, body, &exchange)
      try exchange.requireOrigin(of: request)
      try pace.admitRequest(of: subject)
      let sent = try await body.bytes()
      exchange.sentBytes = sent.count
      return try await serve(
        endpoint, by: handler, sent, in: address, as: subject, exchange.caller)
    }
  }

  /// Calls an endpoint of a database for an admitted caller.
  func serve(
    _ endpoint: String, by handler: any EndpointHandler, _ sent: [UInt8],
    in address: DatabaseAddress, as subject: CallerPace.Subject, _ caller: Caller
  ) async throws(ServerError) -> [UInt8] {
    var sizeBytes = sent.count
    defer { pace.charge(bytes: sizeBytes, steps: caller.work.steps, to: subject) }
    let answer = try await inTurn(
      subject, endpoint, bodySize: sent.count, caller
    ) { (caller) throws(ServerError) in
      try await handler.answer(sent, to: caller, in: address) { (count) throws(ServerError) in
        try pace.admitOperations(count, of: subject)
      }
    }
    sizeBytes += answer.count
    return answer
  }

  /// Answers a request. An expensive request may have to wait for other expensive requests of its
  /// caller, and runs on threads of low priority.
  private func inTurn(
    _ subject: CallerPace.Subject, _ endpoint: String, bodySize: Int, _ caller: Caller,
    _ answer: @Sendable (Caller) async throws(ServerError) -> [UInt8]
  ) async throws(ServerError) -> [UInt8] {
    let isExpensive = expensive.isExpensive(subject, endpoint: endpoint, bodySize: bodySize)
    var answerSize = 0
    defer {
      expensive.note(
        subject, endpoint: endpoint, answerSize: answerSize, steps: caller.work.steps)
    }
    let origin = WriteOrigin(subject, isExpensive: isExpensive)
    let bytes: [UInt8]
    if isExpensive {
      bytes = try await expensive.run(as: subject) { () async throws(ServerError) in
        try await withTaskExecutorPreference(QuietThreads.shared) { () async throws(ServerError) in
          try await origin.perform { () async throws(ServerError) in try await answer(caller) }
        }
      }
    } else {
      bytes = try await origin.perform { () async throws(ServerError) in try await answer(caller) }
    }
    answerSize = bytes.count
    return bytes
  }

  /// Authenticates the caller.
  ///
  /// - Parameter body: is read only if the request is signed.
  /// - Returns: the subject whose rate limits apply to the request.
  func admit(
    _ request: HTTPRequest, _ query: Substring?, to store: StoreAddress,
    _ body: any SentBody, _ exchange: inout Exchange
  ) async throws(ServerError) -> CallerPace.Subject {
    let query = RequestQuery(query)
    exchange.store = store
    exchange.app = ClientApp.name(query, userAgent: request.headerFields[.userAgent])
    exchange.caller.serverURL = exchange.serverURL
    exchange.caller.deviceID =
      query.clientID.map { String($0.prefix(Limits.clientIDLengthMax)) } ?? Caller.namelessDeviceID
    exchange.caller.wantsSyncToken = query.wantsSyncToken
    var admissionRequest = AdmissionRequest(
      credentials: query.credentials, store: store, method: request.method.rawValue,
      target: request.path ?? "/", origin: request.headerFields[.origin],
      clientAddress: exchange.caller.clientAddress)
    if request.headerFields[.requestKeyID] != nil {
      for name in AdmissionRequest.signatureHeaderNames {
        guard let field = HTTPField.Name(name) else { continue }
        admissionRequest.signatureHeaders[name] = request.headerFields[field]
      }
      admissionRequest.body = { () throws(ServerError) in try await body.bytes() }
    }
    let admission = try await self.admission(of: admissionRequest, exchange.caller)
    exchange.caller.principal = admission.principal
    exchange.caller.createsContainer = admission.createsContainer
    exchange.nextWebAuthToken = admission.nextWebAuthToken
    exchange.allowedOrigins = admission.allowedOrigins
    return CallerPace.Subject(
      userRecordName: admission.userRecordName,
      // The API token of a signed request is not checked.
      apiToken: exchange.caller.isServerKey ? nil : query.credentials.apiToken,
      clientAddress: admission.userRecordName == nil ? exchange.caller.subscriber : nil)
  }

  /// Examines credentials. Wrong credentials count against the caller's address, because the
  /// examination costs more than most requests.
  private func admission(
    of request: AdmissionRequest, _ caller: Caller
  ) async throws(ServerError) -> Admission {
    var request = request
    request.suspicionSeconds = { [pace] in pace.suspicionSeconds(of: caller.subscriber) }
    do throws(ServerError) { return try await authentication.admit(request) } catch {
      if error.code == .authenticationFailed { pace.noteWrongCredentials(from: caller.subscriber) }
      throw error
    }
  }

  /// Answers a browser's preflight request. If the URL contains an API token, the answer depends on
  /// the origins that the token allows.
  private func preflight(
    _ path: RequestPath, _ query: Substring?, _ exchange: inout Exchange
  ) async -> [UInt8] {
    if case .database(let address, _) = path, let token = RequestQuery(query).credentials.apiToken {
      let credentials = Credentials(apiToken: token, webAuthToken: nil)
      // An invalid token does not make the preflight fail. The actual request is refused later.
      let admission = try? await self.admission(
        of: AdmissionRequest(credentials: credentials, store: address.store), exchange.caller)
      exchange.allowedOrigins = admission?.allowedOrigins
    }
    return Array("{}".utf8)
  }

  private func showHomePage(
    to request: HTTPRequest, _ exchange: inout Exchange
  ) throws(ServerError) -> [UInt8] {
    switch request.method {
    case .get, .head: break
    case .options: return Array("{}".utf8)
    default: throw .badRequest(Reason.methodNotAllowed)
    }
    exchange.fields = homePage.fields
    return homePage.body
  }

  private func showDescription(to request: HTTPRequest) throws(ServerError) -> [UInt8] {
    switch request.method {
    case .get, .head: return OpenAPIDocument.jsonBytes
    case .options: return Array("{}".utf8)
    default: throw .badRequest(Reason.methodNotAllowed)
    }
  }

  /// The paths of all endpoints of databases, for tests.
  package var endpointPaths: [String] { routes.endpointPaths }

  /// The number of faults that the checks of `/health/ready` found, at most five seconds ago.
  ///
  /// NB: the checks flush a file to the disk, which delays writes of clients.
  public var readinessFaultsCount: Int {
    get async { await readiness.faults(ageMaxMilliseconds: 5_000).count }
  }

  private func reportReadiness(_ exchange: inout Exchange) async -> [UInt8] {
    let answer = ReadinessAnswer(faults: await readiness.faults())
    if !answer.isReady { exchange.status = .serviceUnavailable }
    return answer.jsonBytes
  }

  /// Handles a request for a stream or a long poll that was not passed to ``listen(_:from:)``.
  /// Answers a preflight request, and refuses any other request.
  private func refuseToListen(_ request: HTTPRequest) throws(ServerError) -> [UInt8] {
    if request.method == .options { return Array("{}".utf8) }
    if request.method == .get { throw .badRequest(Reason.listeningNeedsConnection) }
    throw .badRequest(Reason.methodNotAllowed)
  }

  private func manage(
    _ endpoint: String, _ request: HTTPRequest, _ body: any SentBody, _ exchange: inout Exchange
  ) async throws(ServerError) -> [UInt8] {
    guard let sent = request.headerFields[.authorization],
      sent.isEqualInConstantTime(to: "Bearer \(managementToken)")
    else { throw ServerError(.authenticationFailed, Reason.authenticationFailed) }
    exchange.caller.principal = .management
    guard let handler = routes.managementHandler(for: endpoint) else {
      throw ServerError(.notFound, Reason.endpointUnknown)
    }
    let contents = try await body.bytes()
    reports.flush()
    let answer = try await handler.answer(contents)
    news?.note(managementEndpoint: endpoint, sent: contents)
    return answer
  }

  /// Creates the answer to a request that was refused before it reached the router.
  func refusal(_ status: HTTPResponse.Status, _ error: ServerError) -> (HTTPResponse, [UInt8]) {
    var exchange = Exchange(uuid: ambient.makeUUID())
    let body = describe(error, &exchange)
    exchange.status = status
    if console != nil {
      var head = consoleHead(exchange)
      head.status = status
      head.headerFields[.contentType] = "application/json; charset=UTF-8"
      return (head, body)
    }
    return (head(for: Self.unknownRequest, exchange), body)
  }

  private static let unknownRequest = HTTPRequest(
    method: .get, scheme: nil, authority: nil, path: nil)

  /// The paths of all management endpoints, for tests.
  package var managementPaths: [String] { routes.managementPaths }

  /// Whether the endpoint of a request reads the body piece by piece.
  func readsPieces(of request: HTTPRequest) -> Bool {
    guard let path = request.path?.utf8 else { return false }
    if console != nil { return path.starts(with: Self.consoleUploadPath.utf8) }
    return path.starts(with: "/assets/".utf8)
  }

  func describe(_ error: ServerError, _ exchange: inout Exchange) -> [UInt8] {
    exchange.status = error.status
    exchange.refusal = error
    exchange.retryAfterSeconds = error.retryAfterSeconds
    if error.code == .throttled || error.code == .tryAgainLater {
      exchange.fields[.limitRule] = LimitRule(reason: error.reason)?.rawValue
    }
    if error.code == .internalError {
      let facts = error.facts.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "; ")
      let hint = error.hint.map { "; \($0)" } ?? ""
      logger.error(
        "\(error.reason) [\(facts)]\(hint)", metadata: ["request": "\(exchange.uuid)"])
    }
    return error.dictionary(for: exchange.caller).jsonBytes
  }

  func head(for request: HTTPRequest, _ exchange: Exchange) -> HTTPResponse {
    var fields = fixedFields
    fields.append(HTTPField(name: .requestUUID, value: exchange.uuid))
    fields[.strictTransportSecurity] = strictTransport(exchange)
    if let token = exchange.nextWebAuthToken { fields[.webAuthToken] = token }
    if let seconds = exchange.retryAfterSeconds { fields[.retryAfter] = String(seconds) }
    for field in exchange.fields { fields[field.name] = field.value }
    if exchange.status == .methodNotAllowed { fields[.allow] = CORSHeaders.methods }
    if exchange.isAsset {
      CORSHeaders.addForAssets(to: &fields, for: request)
      if exchange.status == .methodNotAllowed { fields[.allow] = CORSHeaders.assetMethods }
      return HTTPResponse(status: exchange.status, headerFields: fields)
    }
    if exchange.isPage {
      return HTTPResponse(status: exchange.status, headerFields: fields)
    }
    CORSHeaders.add(to: &fields, for: request.headerFields, allowed: exchange.allowedOrigins)
    if exchange.isCourier { CORSHeaders.addForCourier(to: &fields) }
    if request.method == .options {
      CORSHeaders.addPreflight(to: &fields, for: request.headerFields)
    }
    return HTTPResponse(status: exchange.status, headerFields: fields)
  }
}

extension String {
  /// Compares texts in a time that does not depend on the number of equal characters.
  fileprivate func isEqualInConstantTime(to other: String) -> Bool {
    let (left, right) = (Array(utf8), Array(other.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
