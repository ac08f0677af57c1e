import StratusWire

/// Finds users who have agreed to be found.
struct UserDiscovery: Sendable {
  let databases: DatabaseAccess
  let people: any UserDirectory
  let pace: LookupPace
  let ambient: Ambient

  /// Finds the users of some lookups.
  ///
  /// - Returns: one result for each lookup, in the same order.
  /// - Throws: `AUTHENTICATION_REQUIRED`; `AUTHENTICATION_FAILED` for a server-to-server key;
  ///   `BAD_REQUEST` outside the public database, or if there are too many lookups; `THROTTLED` if
  ///   the user has looked up too many users.
  func find(
    _ lookups: [ParticipantLookup], for caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> [UserIdentity?] {
    let user = try caller.requireAccount()
    switch address.scope {
    case .public: break
    case .private: throw .badRequest(Reason.endpointInPrivate)
    case .shared: throw .badRequest(Reason.endpointInShared)
    }
    guard lookups.count <= Limits.userLookupsPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    _ = try await databases.open(address, for: caller, to: .read)
    // NB: the lookups are counted before the work, so that a refused request does none of it.
    try pace.take(lookups.count, by: user, now: ambient.now())
    return try await people.discover(lookups, in: address.store.container)
  }
}

/// Answers `users/discover`.
struct DiscoverUsersHandler: EndpointHandler {
  typealias Endpoint = DiscoverUsers

  let discovery: UserDiscovery

  func answer(
    _ request: DiscoverUsers.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> DiscoverUsers.Response {
    let found = try await discovery.find(request.lookups ?? [], for: caller, in: database)
    return DiscoverUsers.Response(users: found.compactMap { $0 })
  }
}

/// Answers `users/lookup/email` and `users/lookup/id`, which differ only in their paths.
struct LookupUsersHandler<Endpoint: StratusWire.Endpoint>: EndpointHandler
where Endpoint.Request == LookupUsers.Request, Endpoint.Response == LookupUsers.Response {
  let discovery: UserDiscovery

  init(_ endpoint: Endpoint.Type, discovery: UserDiscovery) { self.discovery = discovery }

  func answer(
    _ request: Endpoint.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> Endpoint.Response {
    let found = try await discovery.find(request.users, for: caller, in: database)
    let missing = ServerError(.notFound, Reason.userNotFound).dictionary(for: caller)
    return LookupUsers.Response(
      users: zip(request.users, found).map { lookup, user -> LookupUsers.Result in
        guard let user else { return .failure(lookup, missing) }
        var earlier = EarlierUser(userRecordName: user.userRecordName, name: user.name)
        if case .emailAddress(let address) = lookup { earlier.emailAddress = address }
        return .user(earlier)
      })
  }
}

/// Answers `users/lookup/contacts`.
struct LookupContactsHandler: EndpointHandler {
  typealias Endpoint = LookupContacts

  let discovery: UserDiscovery

  func answer(
    _ request: LookupContacts.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> LookupContacts.Response {
    _ = try await discovery.find([], for: caller, in: database)
    return LookupContacts.Response(users: [])
  }
}
