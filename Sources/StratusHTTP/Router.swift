public import HTTPTypes
public import Logging
public import StratusDomain
import StratusWire

/// Turns a request into an answer: who calls, where it goes, what comes back. Knows no socket.
public struct Router: Sendable {
  /// Who lets in those who listen.
  let listening: ListeningAccess
  /// Where they wait.
  public let hub: any NotificationListening
  private let routes: Routes
  private let assets: AssetRoutes
  let authentication: any Authentication
  let pace: CallerPace
  let ambient: Ambient
  private let managementToken: String
  private let publicURL: String?
  /// In every answer.
  private let fixedFields: HTTPFields
  private let logger: Logger

  /// - Parameters:
  ///   - hub: has what comes for those who listen for notifications.
  ///   - pace: what callers are held to.
  ///   - managementToken: lets the operator in.
  ///   - instance: names this process in answers.
  ///   - publicURL: what clients call the server; nil: what each of them calls it.
  public init(
    service: Service, hub: any NotificationListening, management: [any ManagementHandler],
    authentication: any Authentication, pace: CallerPace, ambient: Ambient,
    managementToken: String, instance: String, publicURL: String?, logger: Logger
  ) {
    listening = service.listening
    self.hub = hub
    routes = Routes(service: service, management: management)
    assets = AssetRoutes(uploads: service.uploads, downloads: service.downloads)
    self.authentication = authentication
    self.pace = pace
    self.ambient = ambient
    self.managementToken = managementToken
    self.publicURL = publicURL
    fixedFields = [
      .contentType: "application/json; charset=UTF-8", .cloudKitVersion: "1.0",
      .respondingInstance: instance,
    ]
    self.logger = logger
  }

  /// Answers one request; every answer but a file is JSON, whatever its status.
  ///
  /// - Parameter clientAddress: where it comes from, without a port; nil: not known.
  public func answer(
    _ request: HTTPRequest, body: any SentBody, clientAddress: String? = nil
  ) async -> (head: HTTPResponse, body: AnswerBody) {
    var exchange = Exchange(uuid: ambient.makeUUID())
    exchange.caller.clientAddress = clientAddress
    var answer: AnswerBody
    do throws(ServerError) {
      let target = RequestTarget(request.path ?? "/")
      guard let path = RequestPath(target.path) else {
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
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
          try await transfer(request, &exchange) { (_) throws(ServerError) in
            try await assets.download(ticket, request)
          }
      case .courier, .stream:
        exchange.isCourier = path.isCourier
        answer = .bytes(try refuseToListen(request))
      case .health, .management, .database:
        answer = .bytes(try await respond(to: request, path, target.query, body, &exchange))
      }
    } catch {
      let bytes = describe(error, &exchange)
      answer = request.method == .head ? .absent(size: Int64(bytes.count)) : .bytes(bytes)
    }
    return (head(for: request, exchange), answer)
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
    case .get, .post: break
    case .options: return Array("{}".utf8)
    default: throw .badRequest(Reason.methodNotAllowed)
    }
    switch path {
    case .upload, .download, .stream, .courier:
      throw ServerError(.notFound, Reason.endpointUnknown)
    case .health: return Array(#"{"status":"ok"}"#.utf8)
    case .management(let endpoint): return try await manage(endpoint, request, body)
    case .database(let address, let endpoint):
      guard let handler = routes.handler(for: endpoint) else {
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
      let subject = try await admit(request, query, to: address.store, &exchange)
      try pace.admitRequest(of: subject)
      let sent = try await body.bytes()
      var sizeBytes = sent.count
      defer { pace.charge(bytes: sizeBytes, steps: exchange.caller.work.steps, to: subject) }
      let answer = try await handler.answer(
        sent, to: exchange.caller, in: address
      ) { (count) throws(ServerError) in
        try pace.admitOperations(count, of: subject)
      }
      sizeBytes += answer.count
      return answer
    }
  }

  /// Finds out who is calling.
  ///
  /// - Returns: who is held to a pace.
  func admit(
    _ request: HTTPRequest, _ query: Substring?, to store: StoreAddress, _ exchange: inout Exchange
  ) async throws(ServerError) -> CallerPace.Subject {
    let query = RequestQuery(query)
    exchange.caller.serverURL = publicURL ?? "http://" + (request.authority ?? "localhost")
    exchange.caller.deviceID =
      query.clientID.map { String($0.prefix(Limits.clientIDLengthMax)) } ?? Caller.namelessDeviceID
    exchange.caller.wantsSyncToken = query.wantsSyncToken
    let admission = try await authentication.admit(query.credentials, to: store)
    exchange.caller.userRecordName = admission.userRecordName
    exchange.nextWebAuthToken = admission.nextWebAuthToken
    return CallerPace.Subject(
      userRecordName: admission.userRecordName, apiToken: query.credentials.apiToken,
      clientAddress: exchange.caller.clientAddress)
  }

  /// What is not a GET does not listen.
  private func refuseToListen(_ request: HTTPRequest) throws(ServerError) -> [UInt8] {
    if request.method == .options { return Array("{}".utf8) }
    if request.method == .get { throw .badRequest(Reason.listeningNeedsConnection) }
    throw .badRequest(Reason.methodNotAllowed)
  }

  private func manage(
    _ endpoint: String, _ request: HTTPRequest, _ body: any SentBody
  ) async throws(ServerError) -> [UInt8] {
    guard let sent = request.headerFields[.authorization],
      sent.isEqualInConstantTime(to: "Bearer \(managementToken)")
    else { throw ServerError(.authenticationFailed, Reason.authenticationFailed) }
    guard let handler = routes.managementHandler(for: endpoint) else {
      throw ServerError(.notFound, Reason.endpointUnknown)
    }
    return try await handler.answer(try await body.bytes())
  }

  func describe(_ error: ServerError, _ exchange: inout Exchange) -> [UInt8] {
    exchange.status = error.status
    exchange.retryAfterSeconds = error.retryAfterSeconds
    if error.code == .throttled || error.code == .tryAgainLater {
      exchange.fields[.limitRule] = LimitRule(reason: error.reason)?.rawValue
    }
    if error.code == .internalError {
      let facts = error.facts.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "; ")
      let hint = error.hint.map { "; \($0)" } ?? ""
      logger.error("\(error.reason) [\(facts)] request \(exchange.uuid)\(hint)")
    }
    return error.dictionary(for: exchange.caller).jsonBytes
  }

  func head(for request: HTTPRequest, _ exchange: Exchange) -> HTTPResponse {
    var fields = fixedFields
    fields.append(HTTPField(name: .requestUUID, value: exchange.uuid))
    if let token = exchange.nextWebAuthToken { fields[.webAuthToken] = token }
    if let seconds = exchange.retryAfterSeconds { fields[.retryAfter] = String(seconds) }
    for field in exchange.fields { fields[field.name] = field.value }
    if exchange.status == .methodNotAllowed { fields[.allow] = "GET, POST, OPTIONS" }
    if exchange.isAsset {
      CORSHeaders.addForAssets(to: &fields, for: request)
      if exchange.status == .methodNotAllowed { fields[.allow] = CORSHeaders.assetMethods }
      return HTTPResponse(status: exchange.status, headerFields: fields)
    }
    CORSHeaders.add(to: &fields, for: request.headerFields)
    if exchange.isCourier { CORSHeaders.addForCourier(to: &fields) }
    if request.method == .options {
      CORSHeaders.addPreflight(to: &fields, for: request.headerFields)
    }
    return HTTPResponse(status: exchange.status, headerFields: fields)
  }
}

/// What is known of one request while it is answered.
struct Exchange {
  let uuid: String
  var caller: Caller
  var status = HTTPResponse.Status.ok
  /// Fields of this answer's own.
  var fields = HTTPFields()
  var isAsset = false
  var isCourier = false
  var nextWebAuthToken: String?
  var retryAfterSeconds: Int?

  init(uuid: String) {
    self.uuid = uuid
    caller = Caller(userRecordName: nil, deviceID: Caller.namelessDeviceID, requestUUID: uuid)
  }
}

extension String {
  /// Takes as long for a near miss as for a far one.
  fileprivate func isEqualInConstantTime(to other: String) -> Bool {
    let (left, right) = (Array(utf8), Array(other.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
