import StratusWire

/// Assigns custom roles to users.
///
/// The field `roles` of the user's public record contains the numbers of the user's roles. The
/// store also keeps the names of the roles, which are part of its ``Schema``.
public struct UserRoles: Sendable {
  /// A user who can have roles.
  public struct Holder: Sendable, Hashable {
    public var userRecordName: String
    /// Whether the user belongs to a server-to-server key, and therefore has no private database.
    public var isServerKey: Bool

    public init(_ userRecordName: String, isServerKey: Bool = false) {
      self.userRecordName = userRecordName
      self.isServerKey = isServerKey
    }
  }

  private let stores: any StoreCatalog
  private let users: UserRecords
  private let ambient: Ambient
  private let changes: any Signals

  /// - Parameter changes: gets a signal when subscriptions may report a changed user record.
  public init(stores: any StoreCatalog, ambient: Ambient, changes: any Signals) {
    self.stores = stores
    users = UserRecords(ambient: ambient)
    self.ambient = ambient
    self.changes = changes
  }

  /// Returns the custom roles of an environment, and the roles of each user that has any.
  public func assignments(
    at address: StoreAddress
  ) async throws(ServerError) -> (roles: Set<String>, ofUsers: [String: Set<String>]) {
    try await stores.store(at: address).read { (store) throws(ServerError) in
      let schema = try store.schema()
      return (schema.customRoles, schema.rolesOfUsers)
    }
  }

  /// Gives a role to a user.
  ///
  /// - Returns: false if the user had the role already.
  /// - Throws: `NOT_FOUND` if the environment has no such role; `BAD_REQUEST` if too many users
  ///   have roles.
  public func grant(
    _ role: String, to user: Holder, at address: StoreAddress
  ) async throws(ServerError) -> Bool {
    try await change(user, at: address) { (roles, schema) throws(ServerError) in
      try schema.requireRole(role, at: address)
      if roles.isEmpty, schema.rolesOfUsers.count >= Limits.usersWithRolesMax {
        throw .badRequest(
          "\(Limits.usersWithRolesMax) users have roles, the most allowed; grant the permissions "
            + "that more users need to _icloud")
      }
      roles.insert(role)
    }
  }

  /// Takes a role from a user.
  ///
  /// - Returns: false if the user did not have the role.
  /// - Throws: `NOT_FOUND` if the environment has no such role.
  public func revoke(
    _ role: String, from user: Holder, at address: StoreAddress
  ) async throws(ServerError) -> Bool {
    try await change(user, at: address) { (roles, schema) throws(ServerError) in
      try schema.requireRole(role, at: address)
      roles.remove(role)
    }
  }

  /// Changes the roles of a user together with the user's record.
  private func change(
    _ holder: Holder, at address: StoreAddress,
    _ edit: @escaping @Sendable (inout Set<String>, Schema) throws(ServerError) -> Void
  ) async throws(ServerError) -> Bool {
    let store = try await stores.store(at: address)
    let user = holder.userRecordName
    try await users.ensure(
      user, in: store, at: address, hasPrivateDatabase: !holder.isServerKey)
    let origin = ChangeOrigin(
      user: user, deviceID: nil, notificationID: ambient.makeUUID(), time: ambient.now())
    let usersZone = ZoneAddress(database: .public, name: ZoneID.defaultZoneName)
    let (hasChanged, isWatched) = try await store.write(to: [usersZone]) {
      (store) throws(ServerError) in
      let zone = try store.lockZone(named: ZoneID.defaultZoneName, in: .public)
      let schema = try store.schema()
      let before = schema.customRoles(of: user)
      var roles = before
      try edit(&roles, schema)
      guard roles != before else { return (false, false) }
      guard let zone, let stored = try store.records(named: [user], in: zone).values.first else {
        throw .fault("a user has no record")
      }
      let numbers = try store.set(roles: roles, ofUser: user)
      return (true, try Self.write(numbers, to: stored, in: zone, by: origin, of: store))
    }
    if isWatched { changes.send(StoreSignal(address)) }
    return hasChanged
  }

  /// - Returns: whether subscriptions may report the change.
  private static func write(
    _ numbers: [Int64], to stored: StoredRecord, in zone: StoredZone, by origin: ChangeOrigin,
    of store: any StoreWriting
  ) throws(ServerError) -> Bool {
    var record = stored
    record.follow(stored, change: zone.change + 1)
    record.modified = Stamp(
      timestamp: origin.time, userRecordName: origin.user, deviceID: Caller.namelessDeviceID)
    let value = numbers.isEmpty ? nil : FieldValue.list(.int64, numbers.map { .int64($0) })
    do throws(WireError) {
      record.fields = try stored.fields.merging([(UserRecords.rolesField, value)])
    } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
    var rows = RowChanges()
    try rows.note(record, replacing: stored, schema: try store.schema())
    let watched = try store.watchForWriting(of: zone.database).change(
      of: [record], in: zone, by: origin
    ) { _ in stored }
    try store.apply(ChangeSet(zone: zone, records: [record], rows: rows, watched: watched))
    return watched != nil
  }
}

extension UserRoles {
  /// Returns the fields of a user's record that a save never changes: the roles.
  static func fields(of stored: StoredRecord?) throws(ServerError) -> FieldsJSON {
    let values = try stored?.fields.storedValues(of: [UserRecords.rolesField]) ?? []
    return values.isEmpty ? .empty : FieldsJSON(values)
  }

  /// Refuses an operation that changes the roles. The stored roles are accepted, because a client
  /// that sends a whole record sends its roles, too.
  ///
  /// - Throws: `ACCESS_DENIED`: roles decide a user's rights, so users must not assign roles.
  static func requireUnchanged(
    by operation: RecordOperation, _ stored: StoredRecord?
  ) throws(ServerError) {
    let inputs: [FieldInput]
    do { inputs = try FieldInput.all(in: operation.fields) } catch { throw ServerError(error) }
    let name = UserRecords.rolesField
    guard let input = inputs.first(where: { $0.name == name }) else { return }
    let known = try stored?.fields.storedValues(of: [name]).first?.value
    if let known, let value = try? input.decode(schemaType: UserRecords.rolesType),
      value == known
    {
      return
    }
    throw ServerError(.accessDenied, Reason.rolesAreFixed)
  }
}

extension Schema {
  /// - Throws: `NOT_FOUND` if the schema has no such custom role.
  fileprivate func requireRole(_ role: String, at address: StoreAddress) throws(ServerError) {
    if customRoles.contains(role) { return }
    let names = customRoles.sorted().prefix(10).joined(separator: ", ")
    throw ServerError(
      .notFound,
      "the \(address.environment.rawValue) schema of '\(address.container)' has no role "
        + "'\(role.prefix(64))'; "
        + (names.isEmpty
          ? "add 'CREATE ROLE \(role.prefix(64));' to it with 'stratus schema import'"
          : "its roles are \(names)"))
  }
}
