public import StratusWire

/// The handler of one endpoint.
public protocol EndpointHandler<Endpoint>: Sendable {
  associatedtype Endpoint: StratusWire.Endpoint

  /// Answers one request.
  ///
  /// - Throws: errors of the request as a whole. Errors of one item are part of the response.
  func answer(
    _ request: Endpoint.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> Endpoint.Response
}
