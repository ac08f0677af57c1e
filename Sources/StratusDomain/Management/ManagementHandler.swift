public import StratusWire

/// The handler of one operator endpoint.
public protocol ManagementHandler<Endpoint>: Sendable {
  associatedtype Endpoint: StratusWire.Endpoint

  /// Answers one request of the operator. The management token authenticates the request.
  ///
  /// - Throws: errors of the request.
  func answer(_ request: Endpoint.Request) async throws(ServerError) -> Endpoint.Response
}
