/// Opens streams of server responses. This protocol and ``HTTPExchange`` are the transport's only
/// access to a network.
///
/// Tests and servers in the same process provide their own implementations.
public protocol EventExchange: Sendable {
  /// Sends a request, and returns as soon as the head of the response has arrived.
  ///
  /// If the current task is cancelled, the call ends early.
  /// - Parameter request: a GET request. Its `timeoutSeconds` limits each period without a received
  ///   byte, both before the body and during the body.
  /// - Throws: ``NetworkFailure`` if no response arrived. A response with an error status is not a
  ///   failure.
  func open(_ request: HTTPRequest) async throws(NetworkFailure) -> EventAnswer
}

/// The head of a response, and the source of its body.
public struct EventAnswer: Sendable {
  public var status: Int
  /// The header fields, with names in lower case.
  public var headers: [String: String]
  public var body: any EventBody

  public init(status: Int, headers: [String: String] = [:], body: any EventBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A body that arrives in pieces. Only one task may read it.
public protocol EventBody: Sendable {
  /// Returns the next bytes, at least one. Returns nil if the server has ended the body.
  ///
  /// Cancellation of the current task throws ``NetworkFailure/cancelled``.
  /// - Throws: ``NetworkFailure`` if the connection broke, or was silent for too long.
  func next() async throws(NetworkFailure) -> [UInt8]?
  /// Closes the connection when the body is no longer needed. Repeated calls have no effect.
  func close()
}
