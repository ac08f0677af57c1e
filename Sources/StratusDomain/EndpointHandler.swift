public import StratusWire

/// The server's answer to one endpoint.
public protocol EndpointHandler<Endpoint>: Sendable {
  associatedtype Endpoint: StratusWire.Endpoint

  /// Answers one request.
  ///
  /// - Throws: what concerns the request as a whole; what concerns one item stands in the response.
  func answer(
    _ request: Endpoint.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> Endpoint.Response
}
