public import StratusWire

/// The server's answer to one endpoint of its operator.
public protocol ManagementHandler<Endpoint>: Sendable {
  associatedtype Endpoint: StratusWire.Endpoint

  /// Answers one request of who holds the management token.
  ///
  /// - Throws: what is wrong with the request.
  func answer(_ request: Endpoint.Request) async throws(ServerError) -> Endpoint.Response
}
