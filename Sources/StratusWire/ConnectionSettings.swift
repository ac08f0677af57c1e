/// How long a server waits for its clients, and how many connections it holds.
///
/// Open streams and long polls are exempt from all time-outs here.
public struct ConnectionSettings: Sendable, Hashable {
  /// From the first byte of a request's head to its last.
  public var headTimeout: Duration
  /// In which a request's body ends, or ``Limits/progressBytesMin`` more of it arrive.
  public var bodyTimeout: Duration
  /// In which the client takes an answer, or ``Limits/progressBytesMin`` more of it.
  public var answerTimeout: Duration
  /// Between an answer and the first byte of the next request.
  public var idleTimeout: Duration
  /// How long requests in progress may take after the server was told to end.
  public var gracePeriod: Duration
  /// nil: any number.
  public var connectionsPerAddressMax: Int?
  /// All connections together; nil: any number.
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
