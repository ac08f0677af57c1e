/// How much callers may ask of a server.
public struct LimitSettings: Sendable, Hashable {
  /// A pace, and how much may come at once after a rest.
  public struct Rate: Sendable, Hashable {
    /// Over time.
    public var perSecond: Int
    /// At once; at least 1.
    public var burst: Int

    /// - Parameters:
    ///   - perSecond: from 1 up to 1,000,000; beyond these the nearer one.
    ///   - burst: nil: as much as comes in ``Limits/burstSeconds``.
    public init(perSecond: Int, burst: Int? = nil) {
      self.perSecond = min(max(1, perSecond), 1_000_000)
      self.burst = max(1, burst ?? self.perSecond * Limits.burstSeconds)
    }
  }

  /// nil: without end, here as below.
  public var requestsPerUser: Rate?
  public var operationsPerUser: Rate?
  public var requestsPerAPIToken: Rate?
  public var operationsPerAPIToken: Rate?
  /// Streams of notifications that one user holds open.
  public var streamsPerUserMax: Int?
  /// Requests of `records/modify` to one zone at one time.
  public var zoneWritersMax: Int
  /// Requests that wait for one store's writer, and as many for its readers.
  public var storeWaitingMax: Int
  /// Records that one request looks at to build indexes.
  public var indexBuildRowsMax: Int

  public init(
    requestsPerUser: Rate? = nil, operationsPerUser: Rate? = nil,
    requestsPerAPIToken: Rate? = nil, operationsPerAPIToken: Rate? = nil,
    streamsPerUserMax: Int? = nil, zoneWritersMax: Int = Limits.zoneWritersMax,
    storeWaitingMax: Int = Limits.storeWaitingMax,
    indexBuildRowsMax: Int = Limits.indexBuildRequestRows
  ) {
    self.requestsPerUser = requestsPerUser
    self.operationsPerUser = operationsPerUser
    self.requestsPerAPIToken = requestsPerAPIToken
    self.operationsPerAPIToken = operationsPerAPIToken
    self.streamsPerUserMax = streamsPerUserMax
    self.zoneWritersMax = zoneWritersMax
    self.storeWaitingMax = storeWaitingMax
    self.indexBuildRowsMax = indexBuildRowsMax
  }

  /// No pace is too fast.
  public static let unpaced = LimitSettings()

  /// What a server has unless it is told otherwise.
  public static let standard = LimitSettings(
    requestsPerUser: Rate(perSecond: Limits.requestsPerUserPerSecond),
    operationsPerUser: Rate(perSecond: Limits.operationsPerUserPerSecond),
    requestsPerAPIToken: Rate(perSecond: Limits.requestsPerAPITokenPerSecond),
    operationsPerAPIToken: Rate(perSecond: Limits.operationsPerAPITokenPerSecond),
    streamsPerUserMax: Limits.streamsPerUserMax)
}
