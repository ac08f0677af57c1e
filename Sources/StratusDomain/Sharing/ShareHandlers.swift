import StratusWire

/// Answers `records/resolve`.
struct ResolveSharesHandler: EndpointHandler {
  typealias Endpoint = ResolveShares

  let directory: ShareDirectory

  func answer(
    _ request: ResolveShares.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ResolveShares.Response {
    try await directory.answer(request, to: caller, in: address, shortens: false) {
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
    let response = try await directory.answer(
      request, to: caller, in: address, shortens: true
    ) {
      [directory] (shortGUID, search) async throws(ServerError) in
      let (id, now) = (directory.databases.ambient.makeUUID(), origin.time)
      // NB: only a user who joins needs a write transaction.
      let known = try await search.database.store.read { (store) throws(ServerError) in
        let finding = try search.find(shortGUID, in: store)
        return (finding: finding, joins: try search.joins(finding, now: now, in: store))
      }
      guard known.joins else { return known.finding }
      return try await search.database.store.write { (store) throws(ServerError) in
        switch try search.find(shortGUID, in: store) {
        case .share(let found):
          return .share(try search.accept(found, id: id, by: origin, in: store))
        case .hidden(let mayNeedVerification):
          return .hidden(mayNeedVerification: mayNeedVerification)
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

  /// - Parameter shortens: what happens if a share is too large for the answer. If true, the share
  ///   is shown without its fields, its root and its other participants. If false, the answer has
  ///   an error in place of the share.
  /// - Throws: `BAD_REQUEST` outside the public database; `AUTHENTICATION_REQUIRED`.
  func answer(
    _ request: ResolveShares.Request, to caller: Caller, in address: DatabaseAddress,
    shortens: Bool, find: Find
  ) async throws(ServerError) -> ResolveShares.Response {
    let search = try await search(for: request, by: caller, in: address)
    var results: [ShareResult] = []
    var budget = AnswerBudget()
    for shortGUID in request.shortGUIDs {
      do throws(ServerError) {
        let found = try visible(try await find(shortGUID, search))
        let shown = try search.shown(found, as: shortGUID)
        let size =
          AnswerBudget.sizeBytesMax(of: shown.share)
          + (shown.rootRecord.map { AnswerBudget.sizeBytesMax(of: $0) } ?? 0)
        if budget.take(size) {
          results.append(.share(shown))
        } else if shortens {
          results.append(.share(shown.shortened))
        } else {
          throw ServerError.badRequest(Reason.answerTooLarge)
        }
      } catch {
        if error.code == .internalError { throw error }
        var failure = error.dictionary(for: caller)
        failure.webpageURL = try await search.fallbackURL()
        results.append(.failure(shortGUID, failure))
      }
    }
    return ResolveShares.Response(results: results)
  }

  /// Opens the store of a request's shares.
  ///
  /// - Throws: `BAD_REQUEST` outside the public database; `AUTHENTICATION_REQUIRED`.
  func search(
    for request: ResolveShares.Request, by caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ShareSearch {
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
    return ShareSearch(
      database: database, user: user,
      address: try await accounts.address(user, address.store.container))
  }

  /// Returns the share that was found. A share that the caller may not see is refused as if it did
  /// not exist. There is one exception: if the share has an open invitation to an address, the
  /// reason says so, because that may be another address of the caller (sharing §1.2).
  ///
  /// - Throws: `NOT_FOUND`.
  private func visible(
    _ finding: ShareSearch.Finding
  ) throws(ServerError) -> ShareSearch.Found {
    switch finding {
    case .share(let found): return found
    case .hidden(let mayNeedVerification):
      throw ServerError(
        .notFound,
        mayNeedVerification ? Reason.participantMayNeedVerification : Reason.shareNotFound)
    }
  }
}

/// Finds one share for one caller.
struct ShareSearch: Sendable {
  let database: OpenDatabase
  let user: String
  /// The address of the caller's account, or nil if the account has none.
  let address: String?

  /// A share that the caller may see.
  struct Found: Sendable {
    var zone: ZoneAddress
    var share: StoredRecord
    var state: ShareState
    var root: StoredRecord?
    /// The ID by which the caller found the share.
    var shortGUID: String
  }

  enum Finding: Sendable {
    case share(Found)
    /// The caller may not see the share, or there is none.
    ///
    /// - Parameter mayNeedVerification: whether the share has an open invitation to an address.
    case hidden(mayNeedVerification: Bool)
  }

  /// Returns the operator's web page for people who cannot open a share. It does not depend on the
  /// share, so the answer for a hidden share equals that for an unknown one.
  func fallbackURL() async throws(ServerError) -> String? {
    try await database.store.read { (store) throws(ServerError) in
      try store.schema().settings.shareFallbackURL
    }
  }

  func find(
    _ shortGUID: ShortGUID, in store: any StoreReading
  ) throws(ServerError) -> Finding {
    guard var found = try stored(shortGUID.value, in: store) else {
      return .hidden(mayNeedVerification: false)
    }
    let invitation = invitation(to: found)
    if case .none = invitation.part {
      return .hidden(mayNeedVerification: invitation.mayNeedVerification)
    }
    if let rootName = found.state.rootRecordName, shortGUID.shouldFetchRootRecord,
      let zone = try store.zone(named: found.zone.name, in: found.zone.database)
    {
      found.root = try store.records(named: [rootName], in: zone)[rootName]
    }
    return .share(found)
  }

  /// Returns the share with this ID, whether or not the caller may see it. An ID of a one-time URL
  /// leads to a share only while the share has the participant of this URL.
  private func stored(
    _ shortGUID: String, in store: any StoreReading
  ) throws(ServerError) -> Found? {
    var known = try store.shareLink(shortGUID)
    var isOneTime = false
    if known == nil, let share = ShareGUID.share(inOneTime: shortGUID) {
      known = try store.shareLink(share)
      isOneTime = true
    }
    guard let (link, address) = known, let name = link.shareName,
      let zone = try store.zone(named: address.name, in: address.database),
      let share = try store.records(named: [name], in: zone)[name],
      let state = try share.shareState()
    else { return nil }
    if isOneTime, !state.participants.contains(where: { $0.oneTimeShortGUID == shortGUID }) {
      return nil
    }
    return Found(zone: address, share: share, state: state, root: nil, shortGUID: shortGUID)
  }

  private func invitation(to found: Found) -> ShareInvitation {
    ShareInvitation(
      state: found.state, owner: found.zone.database.owner ?? "", user: user, address: address,
      shortGUID: found.shortGUID)
  }

  /// Whether the caller's request for access would change a share.
  ///
  /// - Returns: nil if the share does not take requests of the caller, or if there is no such
  ///   share. Otherwise, whether the share changes.
  /// - Throws: the errors of ``ShareInvitation/requested(now:)``.
  func mayRequest(
    _ shortGUID: String, now: Int64, in store: any StoreReading
  ) throws(ServerError) -> Bool? {
    guard let found = try stored(shortGUID, in: store) else { return nil }
    switch try invitation(to: found).requested(now: now) {
    case .hidden: return nil
    case .unchanged: return false
    case .requested: return true
    }
  }

  /// Adds the caller to the requesters of a share, in the transaction that checks the share.
  ///
  /// - Throws: `NOT_FOUND`; the errors of ``ShareInvitation/requested(now:)``.
  func request(
    _ shortGUID: String, by origin: ChangeOrigin, in store: any StoreWriting
  ) throws(ServerError) {
    guard var found = try stored(shortGUID, in: store),
      try store.lockZone(named: found.zone.name, in: found.zone.database) != nil
    else { throw ServerError(.notFound, Reason.shareNotFound) }
    switch try invitation(to: found).requested(now: origin.time) {
    case .hidden: throw ServerError(.notFound, Reason.shareNotFound)
    case .unchanged: return
    case .requested(let state):
      let old = found.share
      try found.share.set(state)
      let effects = ShareEffects(
        address: found.zone, origin: origin, deviceID: ShareEffects.serviceDeviceID)
      try effects.rewrite(found.share, replacing: old, in: store)
    }
  }

  /// Whether the caller's acceptance would change the share.
  ///
  /// - Throws: the errors of ``ShareInvitation/accepted(id:now:)``.
  func joins(
    _ finding: Finding, now: Int64, in store: any StoreReading
  ) throws(ServerError) -> Bool {
    guard case .share(let found) = finding else { return false }
    let invitation = invitation(to: found)
    if case .owner = invitation.part { return false }
    if try invitation.accepted(id: "", now: now) != found.state { return true }
    return try !participates(in: found, store)
  }

  /// Whether the caller's shared database contains the share.
  private func participates(
    in found: Found, _ store: any StoreReading
  ) throws(ServerError) -> Bool {
    guard let zone = try store.zone(named: found.zone.name, in: found.zone.database),
      let participation = try store.participation(of: user, in: zone)
    else { return false }
    return participation.shares.contains {
      $0.rootName.map(ExactName.init) == found.state.rootRecordName.map(ExactName.init)
    }
  }

  /// Joins the share.
  ///
  /// - Parameter id: the ID for a new participant.
  /// - Throws: `TRY_AGAIN_LATER` while records are leaving the share.
  func accept(
    _ found: Found, id: String, by origin: ChangeOrigin, in store: any StoreWriting
  ) throws(ServerError) -> Found {
    let invitation = invitation(to: found)
    if case .owner = invitation.part { return found }
    let accepted = try invitation.accepted(id: id, now: origin.time)
    if accepted == found.state, try participates(in: found, store) { return found }
    guard let zone = try store.lockZone(named: found.zone.name, in: found.zone.database) else {
      throw ServerError(.notFound, Reason.shareNotFound)
    }
    try requireRoom(in: zone, store)
    try requireSettled(found.state.rootRecordName, in: zone, store)
    let effects = ShareEffects(
      address: found.zone, origin: origin, deviceID: ShareEffects.serviceDeviceID)
    var found = found
    let old = found.share
    try found.share.set(accepted)
    found.share = try effects.rewrite(found.share, replacing: old, in: store)
    // NB: the state may list the caller although the caller's participation has ended.
    var before = found.state
    before.participants.removeAll { $0.identity.userRecordName == user }
    try effects.settle(from: before, to: accepted, in: store)
    found.state = accepted
    return found
  }

  /// Refuses to join a share if the user has already joined as many as one request can read.
  private func requireRoom(
    in zone: StoredZone, _ store: any StoreReading
  ) throws(ServerError) {
    let isFull =
      if let known = try store.participation(of: user, in: zone) {
        known.shares.count >= Limits.joinedSharesPerZoneMax
      } else {
        try store.sharedZones(of: user, after: 0, limit: Limits.sharedZonesPerUserMax).count
          >= Limits.sharedZonesPerUserMax
      }
    if isFull { throw .badRequest(Reason.tooManyJoinedShares) }
  }

  /// Refuses to join while some records are about to leave the hierarchy, but still count as
  /// shared. The new participant would read them, and would later learn that they have left.
  private func requireSettled(
    _ root: String?, in zone: StoredZone, _ store: any StoreReading
  ) throws(ServerError) {
    // If a parent in this hierarchy still has children to move, those children can only join the
    // hierarchy. Only parents outside it matter here.
    guard let root, try store.hasUnfinishedHierarchies(outside: root, in: zone) else { return }
    throw ServerError(.tryAgainLater, Reason.hierarchyUnsettled, retryAfterSeconds: 1)
  }

  /// Returns the parts of a share that the answer shows to the caller.
  func shown(
    _ found: Found, as shortGUID: ShortGUID
  ) throws(ServerError) -> ResolvedShare {
    let owner = found.zone.database.owner ?? ""
    let invitation = invitation(to: found)
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

extension ResolvedShare {
  /// The share without its fields and without its root. Of the participants, it contains only the
  /// owner and the caller.
  fileprivate var shortened: ResolvedShare {
    var short = self
    short.rootRecord = nil
    short.share.fields = .empty
    if let sharing = share.sharing {
      let own = sharing.currentUserParticipant?.participantID
      short.share.sharing?.participants = sharing.participants.filter {
        $0.role == .owner || $0.participantID == own
      }
    }
    return short
  }
}
