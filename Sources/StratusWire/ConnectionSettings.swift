/// The server's time-outs for its connections, and the maximum number of connections.
///
/// Of these time-outs, only ``gracePeriod`` can end an open stream or a long poll.
public struct ConnectionSettings: Sendable, Hashable {
  /// The time from the first byte of a request's head to its last byte.
  public var headTimeout: Duration
  /// The time within which the next ``Limits/progressBytesMin`` bytes of a request's body must
  /// arrive. If the rest of the body is shorter, the whole rest must arrive.
  public var bodyTimeout: Duration
  /// The time within which the client must read the next ``Limits/progressBytesMin`` bytes of an
  /// answer. If the rest of the answer is shorter, the client must read the whole rest.
  public var answerTimeout: Duration
  /// The time between an answer and the first byte of the next request.
  public var idleTimeout: Duration
  /// The time in which pending requests may finish when the server shuts down.
  public var gracePeriod: Duration
  /// The maximum number of connections from one address. nil means unlimited.
  public var connectionsPerAddressMax: Int?
  /// The maximum number of all connections together. nil means unlimited.
  public var connectionsMax: Int?
  /// The proxies that the server trusts. On their connections, the server reads the client's
  /// address, and the host and the scheme of a request, from header fields. Connections from these
  /// proxies do not count towards ``connectionsPerAddressMax``.
  public var trustedProxies: [AddressRange] = []

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
