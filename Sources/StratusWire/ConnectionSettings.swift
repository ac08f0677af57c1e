/// The time-outs of a server for its clients, and its maximum number of connections.
///
/// Open streams and long polls are exempt from all these time-outs.
public struct ConnectionSettings: Sendable, Hashable {
  /// The time from the first byte of a request's head to its last byte.
  public var headTimeout: Duration
  /// The time within which a request's body must end, or ``Limits/progressBytesMin`` more bytes of
  /// it must arrive.
  public var bodyTimeout: Duration
  /// The time within which the client must read an answer, or ``Limits/progressBytesMin`` more
  /// bytes of it.
  public var answerTimeout: Duration
  /// The time between an answer and the first byte of the next request.
  public var idleTimeout: Duration
  /// The time that pending requests get when the server shuts down.
  public var gracePeriod: Duration
  /// The maximum number of connections from one address. nil: unlimited.
  public var connectionsPerAddressMax: Int?
  /// The maximum number of all connections together. nil: unlimited.
  public var connectionsMax: Int?

  public init(
    headTimeout: Duration = .seconds(Limits.headSecondsMax),
    bodyTimeout: Duration = .seconds(Limits.bodySecondsMax),
    answerTimeout: Duration = .seconds(Limits.answerSecondsMax),
    idleTimeout: Duration = .seconds(Limits.idleSecondsMax),
    gracePeriod: Duration = .seconds(Limits.graceSeconds),
    connectionsPerAddressMax: Int? = nil, connectionsMax: Int? = nil
  ) {
    self.headTimeout = headTimeout
    self.bodyTimeout = bodyTimeout
    self.answerTimeout = answerTimeout
    self.idleTimeout = idleTimeout
    self.gracePeriod = gracePeriod
    self.connectionsPerAddressMax = connectionsPerAddressMax
    self.connectionsMax = connectionsMax
  }
}
