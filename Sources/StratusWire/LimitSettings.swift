/// The limits that a server sets for its callers.
public struct LimitSettings: Sendable, Hashable {
  /// A rate with a burst allowance.
  public struct Rate: Sendable, Hashable {
    /// The sustained rate, per second.
    public var perSecond: Int
    /// The number of requests or operations that may arrive at once. It is at least 1.
    public var burst: Int

    /// - Parameters:
    ///   - perSecond: from 1 to 1,000,000. Other values become the nearest bound.
    ///   - burst: the burst allowance. nil means the number that the rate allows in
    ///     ``Limits/burstSeconds`` seconds.
    public init(perSecond: Int, burst: Int? = nil) {
      self.perSecond = min(max(1, perSecond), 1_000_000)
      self.burst = max(1, burst ?? self.perSecond * Limits.burstSeconds)
    }
  }

  /// The maximum rates of each signed-in user and each API token. nil means that a rate is
  /// unlimited.
  public var requestsPerUser: Rate?
  public var operationsPerUser: Rate?
  public var requestsPerAPIToken: Rate?
  public var operationsPerAPIToken: Rate?
  /// The maximum rates of anonymous requests, by address and by API token. nil means unlimited.
  public var anonymousRequestsPerAddress: Rate?
  public var anonymousRequestsPerAPIToken: Rate?
  /// The maximum number of notification streams that one user may have open. nil means unlimited.
  public var streamsPerUserMax: Int?
  /// The maximum number of concurrent `records/modify` requests to one zone.
  public var zoneWritersMax: Int
  /// The number of requests that may wait for the writer of one store. The same number may wait for
  /// the readers of the store.
  public var storeWaitingMax: Int
  /// The number of expensive requests of one caller that run at the same time while other callers
  /// are active. nil means unlimited.
  public var expensiveRequestsPerCallerMax: Int?
  /// The maximum number of records that one request reads to build indexes.
  public var indexBuildRowsMax: Int
  /// The maximum number of bytes of the files that one user has uploaded and that no record uses.
  public var unheldBytesPerUserMax: Int64
  /// In one store, the maximum number of bytes of the files that no record uses.
  public var unheldBytesPerStoreMax: Int64
  /// The maximum difference in seconds between the date of a signed request and the server's time.
  public var signatureWindowSeconds = Limits.signatureWindowSeconds
  /// The number of other users that one user may look up in an hour. nil means unlimited.
  public var userLookupsPerHour: Int?
  /// The number of days for which the audit log keeps an entry.
  public var auditDays = Limits.auditDays
  /// The binary logarithm of scrypt's cost N for passwords. Tests use a smaller value.
  public var passwordLogRounds = Limits.passwordLogRounds

  public init(
    requestsPerUser: Rate? = nil, operationsPerUser: Rate? = nil,
    requestsPerAPIToken: Rate? = nil, operationsPerAPIToken: Rate? = nil,
    anonymousRequestsPerAddress: Rate? = nil, anonymousRequestsPerAPIToken: Rate? = nil,
    streamsPerUserMax: Int? = nil, zoneWritersMax: Int = Limits.zoneWritersMax,
    storeWaitingMax: Int = Limits.storeWaitingMax,
    expensiveRequestsPerCallerMax: Int? = nil,
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
    self.expensiveRequestsPerCallerMax = expensiveRequestsPerCallerMax
    self.indexBuildRowsMax = indexBuildRowsMax
    self.unheldBytesPerUserMax = unheldBytesPerUserMax
    self.unheldBytesPerStoreMax = unheldBytesPerStoreMax
  }

  /// Settings without any rate limit.
  public static let unpaced = LimitSettings()

  /// The default limits of a server.
  public static let standard: LimitSettings = {
    var settings = pacedStandard
    settings.userLookupsPerHour = Limits.userLookupsPerHour
    return settings
  }()

  private static let pacedStandard = LimitSettings(
    requestsPerUser: Rate(perSecond: Limits.requestsPerUserPerSecond),
    operationsPerUser: Rate(perSecond: Limits.operationsPerUserPerSecond),
    requestsPerAPIToken: Rate(perSecond: Limits.requestsPerAPITokenPerSecond),
    operationsPerAPIToken: Rate(perSecond: Limits.operationsPerAPITokenPerSecond),
    anonymousRequestsPerAddress: Rate(
      perSecond: Limits.anonymousRequestsPerAddressPerSecond),
    anonymousRequestsPerAPIToken: Rate(
      perSecond: Limits.anonymousRequestsPerAPITokenPerSecond),
    streamsPerUserMax: Limits.streamsPerUserMax,
    expensiveRequestsPerCallerMax: Limits.expensiveRequestsPerCallerMax)
}

extension LimitSettings {
  /// Returns the settings of one of several processes that divide the rates among themselves.
  public func share(amongNodes count: Int) -> LimitSettings {
    if count <= 1 { return self }
    var share = self
    for rate in [
      \LimitSettings.requestsPerUser, \.operationsPerUser, \.requestsPerAPIToken,
      \.operationsPerAPIToken, \.anonymousRequestsPerAddress, \.anonymousRequestsPerAPIToken,
    ] {
      share[keyPath: rate] = self[keyPath: rate].map {
        Rate(perSecond: $0.perSecond / count, burst: $0.burst / count)
      }
    }
    return share
  }
}
