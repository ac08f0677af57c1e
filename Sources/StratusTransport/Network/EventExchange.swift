/// Opens streams that a server answers bit by bit: beside ``HTTPExchange`` the only thing Transport
/// asks of a network.
///
/// Tests and servers in the same process put their own in its place.
public protocol EventExchange: Sendable {
  /// Sends a request and answers as soon as the head of the answer is there.
  ///
  /// Heeds cancellation of the task it runs in.
  /// - Parameter request: a GET. Its `timeoutSeconds` bound every silence, later ones included.
  /// - Throws: ``NetworkFailure`` if no answer came; an answer of any status is no failure.
  func open(_ request: HTTPRequest) async throws(NetworkFailure) -> EventAnswer
}

/// The head of an answer, and what its body comes from.
public struct EventAnswer: Sendable {
  public var status: Int
  /// Names in lower case.
  public var headers: [String: String]
  public var body: any EventBody

  public init(status: Int, headers: [String: String] = [:], body: any EventBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A body that arrives bit by bit; one task reads it.
public protocol EventBody: Sendable {
  /// The next bytes, some at least; nil: the server has ended it.
  ///
  /// Heeds cancellation of the task it runs in, as ``NetworkFailure/cancelled``.
  /// - Throws: ``NetworkFailure`` where the connection broke, or was silent for too long.
  func next() async throws(NetworkFailure) -> [UInt8]?
  /// Nobody reads on; the connection is closed. Once is enough, more do no harm.
  func close()
}
