import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import StratusDomain
import StratusWire

/// Turns an HTTP request into an answer: who calls, where it goes, what comes back.
struct Responder: HTTPResponder {
  typealias Context = BasicRequestContext

  let routes: Routes
  let authentication: any Authentication
  let ambient: Ambient
  /// Lets the operator in.
  let managementToken: String
  /// Names this process in answers.
  let instance: String

  func respond(to request: Request, context: Context) async throws -> Response {
    var exchange = Exchange(uuid: ambient.makeUUID())
    let body: [UInt8]
    do throws(ServerError) {
      body = try await answer(request, &exchange)
    } catch {
      body = describe(error, &exchange, context)
    }
    var fields = HTTPFields()
    fields[.contentType] = "application/json; charset=UTF-8"
    fields[.requestUUID] = exchange.uuid
    fields[.cloudKitVersion] = "1.0"
    fields[.respondingInstance] = instance
    if let token = exchange.nextWebAuthToken { fields[.webAuthToken] = token }
    if let seconds = exchange.retryAfterSeconds { fields[.retryAfter] = String(seconds) }
    if exchange.status == .methodNotAllowed { fields[.allow] = "GET, POST, OPTIONS" }
    CORSHeaders.add(to: &fields, for: request.headers)
    if request.method == .options { CORSHeaders.addPreflight(to: &fields, for: request.headers) }
    return Response(
      status: exchange.status, headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  private func answer(
    _ request: Request, _ exchange: inout Exchange
  ) async throws(ServerError) -> [UInt8] {
    guard let path = RequestPath(request.uri.path) else {
      throw ServerError(.notFound, Reason.endpointUnknown)
    }
    switch request.method {
    case .get, .post: break
    case .options: return Array("{}".utf8)
    default: throw .badRequest(Reason.methodNotAllowed)
    }
    switch path {
    case .health: return Array(#"{"status":"ok"}"#.utf8)
    case .management(let endpoint): return try await manage(endpoint, request)
    case .database(let address, let endpoint):
      guard let handler = routes.handler(for: endpoint) else {
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
      let query = RequestQuery(request.uri.query)
      exchange.caller.deviceID = query.clientID.map { String($0.prefix(64)) } ?? "1"
      let admission = try await authentication.admit(query.credentials, to: address.store)
      exchange.caller.userRecordName = admission.userRecordName
      exchange.nextWebAuthToken = admission.nextWebAuthToken
      return try await handler.answer(
        try await bytes(of: request), to: exchange.caller, in: address)
    }
  }

  private func manage(
    _ endpoint: String, _ request: Request
  ) async throws(ServerError) -> [UInt8] {
    guard let sent = request.headers[.authorization],
      sent.isEqualInConstantTime(to: "Bearer \(managementToken)")
    else { throw ServerError(.authenticationFailed, Reason.authenticationFailed) }
    guard let handler = routes.managementHandler(for: endpoint) else {
      throw ServerError(.notFound, Reason.endpointUnknown)
    }
    return try await handler.answer(try await bytes(of: request))
  }

  /// The body, up to the limit.
  private func bytes(of request: Request) async throws(ServerError) -> [UInt8] {
    let limit = Limits.requestSizeBytesMax
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw .badRequest(Reason.requestTooLarge)
    }
    do {
      return Array(buffer: try await request.body.collect(upTo: limit))
    } catch is NIOTooManyBytesError {
      throw .badRequest(Reason.requestTooLarge)
    } catch {
      throw .badRequest("the request body ended early")
    }
  }

  private func describe(
    _ error: ServerError, _ exchange: inout Exchange, _ context: Context
  ) -> [UInt8] {
    exchange.status = error.status
    exchange.retryAfterSeconds = error.retryAfterSeconds
    if error.code == .internalError {
      let facts = error.facts.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "; ")
      context.logger.error("\(error.reason) [\(facts)] request \(exchange.uuid)")
    }
    return error.dictionary(for: exchange.caller).jsonBytes
  }
}

/// What is known of one request while it is answered.
private struct Exchange {
  let uuid: String
  var caller: Caller
  var status = HTTPResponse.Status.ok
  var nextWebAuthToken: String?
  var retryAfterSeconds: Int?

  init(uuid: String) {
    self.uuid = uuid
    caller = Caller(userRecordName: nil, deviceID: "1", requestUUID: uuid)
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
