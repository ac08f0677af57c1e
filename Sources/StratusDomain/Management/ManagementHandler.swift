public import StratusWire

/// The handler of one operator endpoint.
public protocol ManagementHandler<Endpoint>: Sendable {
  associatedtype Endpoint: StratusWire.Endpoint

  /// Answers one request of the operator, or of a member of the team in the console. The caller of
  /// this method has checked that the sender of the request may send it.
  func answer(_ request: Endpoint.Request) async throws(ServerError) -> Endpoint.Response
}
