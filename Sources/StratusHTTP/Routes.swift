import StratusDomain
import StratusWire

/// Maps endpoint paths to their handlers.
struct Routes: Sendable {
  private var handlers: [String: any EndpointHandler] = [:]
  private var managementHandlers: [String: any ManagementHandler] = [:]

  init(service: Service, management: [any ManagementHandler]) {
    for handler in service.handlers { handlers[handler.path] = handler }
    for handler in management { managementHandlers[handler.path] = handler }
  }

  func handler(for endpoint: String) -> (any EndpointHandler)? { handlers[endpoint] }

  /// The paths of all endpoints of databases.
  var endpointPaths: [String] { handlers.keys.sorted() }

  /// The paths of all management endpoints.
  var managementPaths: [String] { managementHandlers.keys.sorted() }

  func managementHandler(for endpoint: String) -> (any ManagementHandler)? {
    managementHandlers[endpoint]
  }
}

extension EndpointHandler {
  fileprivate var path: String { Endpoint.path }

  /// Decodes a request, calls its handler, and encodes the answer.
  ///
  /// - Parameter admit: is called with the number of saves and deletions before the handler runs.
  func answer(
    _ body: [UInt8], to caller: Caller, in database: DatabaseAddress,
    admit: (_ operationsCount: Int) throws(ServerError) -> Void
  ) async throws(ServerError) -> [UInt8] {
    let request = try Endpoint.Request(body: body)
    try admit(Endpoint.operationsCount(of: request))
    let bytes = try await answer(request, to: caller, in: database).jsonBytes
    guard bytes.count <= Limits.answerSizeBytesMax else {
      throw .badRequest(Reason.answerTooLarge)
    }
    return bytes
  }
}

extension ManagementHandler {
  fileprivate var path: String { Endpoint.path }

  func answer(_ body: [UInt8]) async throws(ServerError) -> [UInt8] {
    try await answer(try Endpoint.Request(body: body)).jsonBytes
  }
}

extension JSONReadable {
  /// Reads the body of a request. An empty body counts as an empty dictionary.
  fileprivate init(body: [UInt8]) throws(ServerError) {
    do throws(WireError) {
      let json = try JSONView(parsing: body.isEmpty ? Array("{}".utf8) : body)
      guard json.isObject else { throw WireError("the request body must be a JSON object") }
      self = try Self(json: json)
    } catch {
      throw ServerError(error)
    }
  }
}
