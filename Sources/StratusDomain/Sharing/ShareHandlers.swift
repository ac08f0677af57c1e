import StratusWire

/// Answers `records/resolve`.
struct ResolveSharesHandler: EndpointHandler {
  typealias Endpoint = ResolveShares

  let directory: ShareDirectory

  func answer(
    _ request: ResolveShares.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ResolveShares.Response {
    try await directory.answer(request, to: caller, in: address) {
      (shortGUID, search) async throws(ServerError) in
      try await search.database.store.read { (store) throws(ServerError) in
        try search.find(shortGUID, in: store)
      }
    }
  }
}

/// Answers `records/accept`. Each share is joined in a transaction of its own.
struct AcceptSharesHandler: EndpointHandler {
  typealias Endpoint = AcceptShares

  let directory: ShareDirectory
  let changes: any Signals

  func answer(
    _ request: AcceptShares.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> AcceptShares.Response {
    let origin = try caller.origin(now: directory.databases.ambient.now())
    let response = try await directory.answer(request, to: caller, in: address) {
      [directory] (shortGUID, search) async throws(ServerError) in
      let id = directory.databases.ambient.makeUUID()
      return try await search.database.store.write { (store) throws(ServerError) in
        switch try search.find(shortGUID, in: store) {
        case .share(let found):
          return .share(try search.accept(found, id: id, by: origin, in: store))
        case .hidden(let pending): return .hidden(pendingAddresses: pending)
        }
      }
    }
    changes.send(StoreSignal(address.store))
    return response
  }
}

/// Finds shares by the IDs of their URLs.
///
/// Choice: a directory covers one container in one environment, whose store contains the shares.
struct ShareDirectory: Sendable {
  let databases: DatabaseAccess
  let accounts: ShareAccounts

  typealias Find =
    @Sendable (ShortGUID, ShareSearch) async throws(ServerError) -> ShareSearch.Finding

  /// - Throws: `BAD_REQUEST` outside the public database; `AUTHENTICATION_REQUIRED` without a user.
  func answer(
    _ request: ResolveShares.Request, to caller: Caller, in address: DatabaseAddress,
    find: Find
  ) async throws(ServerError) -> ResolveShares.Response {
    switch address.scope {
    case .public: break
    case .private: throw .badRequest(Reason.endpointInPrivate)
    case .shared: throw .badRequest(Reason.endpointInShared)
    }
    let user = try caller.requireAccount()
    guard request.shortGUIDs.count <= Limits.sharesPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    let search = ShareSearch(
      database: database, user: user,
      address: try await accounts.address(user, address.store.container))
    var results: [ShareResult] = []
    var budget = AnswerBudget()
    for shortGUID in request.shortGUIDs {
      do throws(ServerError) {
        let found = try await visible(try await find(shortGUID, search))
        let shown = try search.shown(found, as: shortGUID)
        let size =
          AnswerBudget.sizeBytesMax(of: shown.share)
          + (shown.rootRecord.map { AnswerBudget.sizeBytesMax(of: $0) } ?? 0)
        guard budget.take(size) else { throw ServerError.badRequest(Reason.answerTooLarge) }
        results.append(.share(shown))
      } catch {
        if error.code == .internalError { throw error }
        results.append(.failure(shortGUID, error.dictionary(for: caller)))
      }
    }
    return ResolveShares.Response(results: results)
  }

  /// Returns the share that a search has found. A hidden share counts as missing, unless it invites
  /// an address that no account has. That address may be another address of the caller (sharing
  /// §1.2).
  ///
  /// - Throws: `NOT_FOUND`.
  private func visible(
    _ finding: ShareSearch.Finding
  ) async throws(ServerError) -> ShareSearch.Found {
    switch finding {
    case .share(let found): return found
    case .hidden(let pending):
      for address in pending where try await !accounts.hasAccount(address) {
        throw ServerError(.notFound, Reason.participantMayNeedVerification)
      }
      throw ServerError(.notFound, Reason.shareNotFound)
    }
  }
}

/// Finds one share for one caller.
struct ShareSearch: Sendable {
  let database: OpenDatabase
  let user: String
  /// The address of the caller's account, or nil if it has none.
  let address: String?

  /// A share that the caller may see.
  struct Found: Sendable {
    var zone: ZoneAddress
    var share: StoredRecord
    var state: ShareState
    var root: StoredRecord?
  }

  enum Finding: Sendable {
    case share(Found)
    /// The caller may not see the share, or there is none.
    ///
    /// - Parameter pendingAddresses: the invited addresses that have not accepted yet.
    case hidden(pendingAddresses: [String])
  }

  func find(
    _ shortGUID: ShortGUID, in store: any StoreReading
  ) throws(ServerError) -> Finding {
    guard let (link, address) = try store.shareLink(shortGUID.value),
      let name = link.shareName,
      let zone = try store.zone(named: address.name, in: address.database),
      let share = try store.records(named: [name], in: zone)[name],
      let state = try share.shareState()
    else { return .hidden(pendingAddresses: []) }
    let invitation = invitation(to: state, in: address)
    if case .none = invitation.part {
      return .hidden(pendingAddresses: invitation.pendingAddresses)
    }
    var root: StoredRecord?
    if let rootName = link.rootName, shortGUID.shouldFetchRootRecord {
      root = try store.records(named: [rootName], in: zone)[rootName]
    }
    return .share(Found(zone: address, share: share, state: state, root: root))
  }

  private func invitation(to state: ShareState, in zone: ZoneAddress) -> ShareInvitation {
    ShareInvitation(
      state: state, owner: zone.database.owner ?? "", user: user, address: address)
  }

  /// Joins the share.
  ///
  /// - Parameter id: the ID for a new participant.
  /// - Throws: `TRY_AGAIN_LATER` while records are leaving the share.
  func accept(
    _ found: Found, id: String, by origin: ChangeOrigin, in store: any StoreWriting
  ) throws(ServerError) -> Found {
    let accepted = try invitation(to: found.state, in: found.zone).accepted(id: id)
    if accepted == found.state { return found }
    guard let zone = try store.lockZone(named: found.zone.name, in: found.zone.database) else {
      throw ServerError(.notFound, Reason.shareNotFound)
    }
    try requireSettled(found.state.rootRecordName, in: zone, store)
    let effects = ShareEffects(
      address: found.zone, origin: origin, deviceID: ShareEffects.serviceDeviceID)
    var found = found
    let old = found.share
    try found.share.set(accepted)
    found.share = try effects.rewrite(found.share, replacing: old, in: store)
    try effects.settle(from: found.state, to: accepted, in: store)
    found.state = accepted
    return found
  }

  /// Refuses to join while records far below a moved record still count as shared. Otherwise the
  /// new participant would read these records, and would learn that they leave the share.
  private func requireSettled(
    _ root: String?, in zone: StoredZone, _ store: any StoreReading
  ) throws(ServerError) {
    guard let root else { return }
    let parents = try store.unfinishedParents(in: zone, limit: Limits.recordsReadTogether)
    if parents.isEmpty { return }
    let roots = try store.hierarchies(of: parents, in: zone)
    // Records below a parent that is in this hierarchy can only join the hierarchy.
    let isJoining =
      parents.count < Limits.recordsReadTogether
      && parents.allSatisfy { roots[$0].map(ExactName.init) == ExactName(root) }
    if isJoining { return }
    throw ServerError(.tryAgainLater, Reason.hierarchyUnsettled, retryAfterSeconds: 1)
  }

  /// Returns the form of a share in an answer.
  func shown(
    _ found: Found, as shortGUID: ShortGUID
  ) throws(ServerError) -> ResolvedShare {
    let owner = found.zone.database.owner ?? ""
    let invitation = invitation(to: found.state, in: found.zone)
    let presenter = RecordPresenter(found.zone, in: database)
    var share = try presenter.dictionary(found.share)
    var view = ShareView(state: found.state, owner: owner, reader: user)
    var (role, status) = (ShareParticipant.Role.publicUser, ShareParticipant.Status.invited)
    var permission = found.state.publicPermission
    switch invitation.part {
    case .owner: (role, status, permission) = (.owner, .accepted, .readWrite)
    case .participant(let index):
      let own = found.state.participants[index]
      view.readerID = own.participantID
      (role, status, permission) = (own.role, own.status, own.permission)
    case .visitor, .none: break
    }
    share.sharing = view.details
    let selection = FieldSelection(desiredKeys: shortGUID.rootRecordDesiredKeys.map(Set.init))
    var root: RecordDictionary?
    if let record = found.root { root = try presenter.dictionary(record, selection: selection) }
    return ResolvedShare(
      shortGUID: shortGUID, containerID: database.address.container,
      environment: database.environment.rawValue, scope: user == owner ? .private : .shared,
      zoneID: found.zone.id, share: share, rootRecordName: found.state.rootRecordName,
      rootRecord: root, owner: ParticipantIdentity(userRecordName: owner), participantRole: role,
      participantStatus: status, participantPermission: permission)
  }
}
