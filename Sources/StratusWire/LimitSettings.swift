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
  /// Of those who are not signed in, as below.
  public var anonymousRequestsPerAddress: Rate?
  public var anonymousRequestsPerAPIToken: Rate?
  /// Streams of notifications that one user holds open.
  public var streamsPerUserMax: Int?
  /// Requests of `records/modify` to one zone at one time.
  public var zoneWritersMax: Int
  /// Requests that wait for one store's writer, and as many for its readers.
  public var storeWaitingMax: Int
  /// Records that one request looks at to build indexes.
  public var indexBuildRowsMax: Int
  /// Bytes that one user has uploaded and that no record holds.
  public var unheldBytesPerUserMax: Int64
  /// Bytes in one store that no record holds.
  public var unheldBytesPerStoreMax: Int64

  public init(
    requestsPerUser: Rate? = nil, operationsPerUser: Rate? = nil,
    requestsPerAPIToken: Rate? = nil, operationsPerAPIToken: Rate? = nil,
    anonymousRequestsPerAddress: Rate? = nil, anonymousRequestsPerAPIToken: Rate? = nil,
    streamsPerUserMax: Int? = nil, zoneWritersMax: Int = Limits.zoneWritersMax,
    storeWaitingMax: Int = Limits.storeWaitingMax,
    indexBuildRowsMax: Int = Limits.indexBuildRequestRows,
    unheldBytesPerUserMax: Int64 = Limits.unheldBytesPerUserMax,
    unheldBytesPerStoreMax: Int64 = Limits.unheldBytesPerStoreMax
  ) {
    self.requestsPerUser = requestsPerUser
    self.operationsPerUser = operationsPerUser
    self.requestsPerAPIToken = requestsPerAPIToken
    self.operationsPerAPIToken = operationsPerAPIToken
    self.anonymousRequestsPerAddress = anonymousRequestsPerAddress
    self.anonymousRequestsPerAPIToken = anonymousRequestsPerAPIToken
    self.streamsPerUserMax = streamsPerUserMax
    self.zoneWritersMax = zoneWritersMax
    self.storeWaitingMax = storeWaitingMax
    self.indexBuildRowsMax = indexBuildRowsMax
    self.unheldBytesPerUserMax = unheldBytesPerUserMax
    self.unheldBytesPerStoreMax = unheldBytesPerStoreMax
  }

  /// No pace is too fast.
  public static let unpaced = LimitSettings()

  /// What a server has unless it is told otherwise.
  public static let standard = LimitSettings(
    requestsPerUser: Rate(perSecond: Limits.requestsPerUserPerSecond),
    operationsPerUser: Rate(perSecond: Limits.operationsPerUserPerSecond),
    requestsPerAPIToken: Rate(perSecond: Limits.requestsPerAPITokenPerSecond),
    operationsPerAPIToken: Rate(perSecond: Limits.operationsPerAPITokenPerSecond),
    anonymousRequestsPerAddress: Rate(
      perSecond: Limits.anonymousRequestsPerAddressPerSecond),
    anonymousRequestsPerAPIToken: Rate(
      perSecond: Limits.anonymousRequestsPerAPITokenPerSecond),
    streamsPerUserMax: Limits.streamsPerUserMax)
}
