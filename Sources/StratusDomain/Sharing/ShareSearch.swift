import StratusWire

/// Finds one share for one caller.
struct ShareSearch: Sendable {
  let database: OpenDatabase
  let user: String
  /// The addresses of the caller's account, as in ``ShareAccounts``.
  let addresses: [String]

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
    /// - Parameter matches: the open invitations of the share, one of which may be for the caller.
    case hidden(matches: [PotentialMatch])
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
      return .hidden(matches: [])
    }
    let invitation = invitation(to: found)
    if case .none = invitation.part {
      return .hidden(matches: invitation.potentialMatches)
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
  func stored(
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

  func invitation(to found: Found) -> ShareInvitation {
    ShareInvitation(
      state: found.state, owner: found.zone.database.owner ?? "", user: user,
      addresses: addresses, shortGUID: found.shortGUID)
  }
}

/// The answer about a share.
extension ShareSearch {
  /// Returns the parts of a share that the answer shows to the caller.
  func shown(
    _ found: Found, as shortGUID: ShortGUID
  ) throws(ServerError) -> ResolvedShare {
    let owner = found.zone.database.owner ?? ""
    let invitation = invitation(to: found)
    // NB: the read of the store has ended, so the files of these records come from this server.
    let presenter = RecordPresenter(found.zone, in: database, files: nil)
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
