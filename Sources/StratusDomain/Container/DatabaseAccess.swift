public import StratusWire

/// Leads a request to the database it may use.
struct DatabaseAccess: Sendable {
  let stores: any StoreCatalog
  let users: UserRecords
  let tickets: AssetTickets
  let ambient: Ambient

  /// Opens the database a request names.
  ///
  /// - Parameter needsUser: whether someone must be signed in, whatever the database.
  /// - Throws: `AUTHENTICATION_REQUIRED` for the private database without a user; `BAD_REQUEST` for
  ///   the shared one.
  func open(
    _ address: DatabaseAddress, for caller: Caller, needsUser: Bool = false
  ) async throws(ServerError) -> OpenDatabase {
    if needsUser { _ = try caller.requireUser() }
    guard caller.serverURL.utf8.count <= Limits.serverURLBytesMax else {
      throw .badRequest(Reason.hostTooLong)
    }
    let key: DatabaseKey
    switch address.scope {
    case .public: key = .public
    case .private: key = .private(owner: try caller.requireUser())
    case .shared: throw .badRequest(Reason.endpointInShared)
    }
    let store = try await stores.store(at: address.store)
    if let user = caller.userRecordName {
      try await users.ensure(user, in: store, at: address.store)
    }
    return OpenDatabase(
      store: store, key: key, environment: address.store.environment, caller: caller,
      assets: AssetLinks(
        tickets: tickets, address: address.store, database: key, serverURL: caller.serverURL,
        now: ambient.now()))
  }
}

extension Caller {
  /// The user's record name.
  ///
  /// - Throws: `AUTHENTICATION_REQUIRED` if nobody is signed in.
  func requireUser() throws(ServerError) -> String {
    guard let userRecordName else {
      throw ServerError(.authenticationRequired, Reason.authenticationRequired)
    }
    return userRecordName
  }
}

/// A database a caller may use.
struct OpenDatabase: Sendable {
  let store: any Store
  let key: DatabaseKey
  let environment: ContainerEnvironment
  let caller: Caller
  /// What is said about its files.
  let assets: AssetLinks

  var address: StoreAddress { assets.address }

  /// The name of a zone of this database, from a zone ID of a request; nil means the default zone.
  ///
  /// - Throws: `ZONE_NOT_FOUND` if the zone is another user's.
  func zoneName(_ zoneID: ZoneID?) throws(ServerError) -> String {
    guard let zoneID else { return ZoneID.defaultZoneName }
    if let owner = zoneID.ownerRecordName, let own = key.owner, owner != own {
      throw ServerError(.zoneNotFound, Reason.zoneNotFound)
    }
    return zoneID.zoneName
  }

  /// The full ID of a zone of this database.
  func zoneID(_ zoneName: String) -> ZoneID {
    ZoneID(zoneName: zoneName, ownerRecordName: key.owner ?? "_defaultOwner")
  }

  /// Refuses what a database with nothing but a default zone cannot do.
  func requirePrivate() throws(ServerError) {
    if key == .public { throw .badRequest(Reason.endpointInPublic) }
  }
}

extension ServerError {
  /// The error as the caller sees it.
  public func dictionary(for caller: Caller) -> ErrorDictionary {
    ErrorDictionary(
      code: code, reason: reason, uuid: caller.requestUUID,
      retryAfterSeconds: retryAfterSeconds,
      redirectURL: code == .authenticationRequired ? caller.signInURL : nil,
      userDidResetEncryptedData: userDidResetEncryptedData)
  }
}
