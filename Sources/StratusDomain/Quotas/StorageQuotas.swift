import StratusWire

/// Reads the usage of a container's databases, and changes their quotas, for the operator.
public struct StorageQuotas: Sendable {
  /// The maximum number of users in a report.
  public static let usersMax = 20

  /// The usage of a database.
  public struct Report: Sendable {
    public var types: [TypeUsage]
    public var settings: ContainerSettings
    /// The quota of the database in bytes, or nil if there is no limit.
    public var quotaBytes: Int64?
    /// The users that use the most bytes. The list is empty in the report of a single user.
    public var users: [(user: String, bytes: Int64, quotaBytes: Int64?)]
  }

  private let stores: any StoreCatalog

  public init(stores: any StoreCatalog) { self.stores = stores }

  /// Returns the usage of the public database and the users that use the most bytes, or the usage
  /// of one user's private database.
  public func report(
    ofUser user: String?, at address: StoreAddress
  ) async throws(ServerError) -> Report {
    try await stores.storeToRead(at: address).store.read { (store) throws(ServerError) in
      let settings = try store.schema().settings
      func quota(of user: String) throws(ServerError) -> Int64? {
        if let own = try store.quota(ofUser: user) { return own.bytes }
        return settings.userQuotaBytes
      }
      if let user {
        return Report(
          types: try store.usage(of: .private(owner: user)), settings: settings,
          quotaBytes: try quota(of: user), users: [])
      }
      var users: [(user: String, bytes: Int64, quotaBytes: Int64?)] = []
      for (user, bytes) in try store.largestUsers(limit: Self.usersMax) {
        users.append((user, bytes, try quota(of: user)))
      }
      return Report(
        types: try store.usage(of: .public), settings: settings,
        quotaBytes: settings.publicQuotaBytes, users: users)
    }
  }

  /// Sets the quota of the public database.
  public func set(
    _ quota: StorageQuota, ofPublicDatabaseAt address: StoreAddress
  ) async throws(ServerError) {
    try await change(at: address) { $0.publicQuotaBytes = quota.bytes }
  }

  /// Sets the quota of the private database of each user for whom no other quota was set.
  public func set(
    _ quota: StorageQuota, ofEachUserAt address: StoreAddress
  ) async throws(ServerError) {
    try await change(at: address) { $0.userQuotaBytes = quota.bytes }
  }

  private func change(
    at address: StoreAddress, _ edit: @escaping @Sendable (inout ContainerSettings) -> Void
  ) async throws(ServerError) {
    try await stores.store(at: address).write { (store) throws(ServerError) in
      var settings = try store.schema().settings
      edit(&settings)
      try store.set(settings)
    }
  }

  /// Sets the quota of one user. nil means that the quota of all users applies again.
  public func set(
    _ quota: StorageQuota?, ofUser user: String, at address: StoreAddress
  ) async throws(ServerError) {
    try await stores.store(at: address).write { (store) throws(ServerError) in
      try store.set(quota, ofUser: user)
    }
  }
}
