import StratusWire

/// Requests for access, and acceptances.
extension ShareSearch {
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
  /// - Throws: `NOT_FOUND` if there is no such share, or if it takes no requests of the caller; the
  ///   errors of ``ShareInvitation/requested(now:)``.
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

  /// Whether the caller's acceptance would change the share or the caller's shared database.
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
  /// - Throws: `TRY_AGAIN_LATER` while records are leaving the share; `BAD_REQUEST` if the user has
  ///   joined too many shares; `NOT_FOUND` if the zone was deleted; the errors of
  ///   ``ShareInvitation/accepted(id:now:)``.
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

  /// Refuses to join a share if the user has already joined the maximum number of shares of the
  /// zone, or shares of the maximum number of zones.
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
    // hierarchy. Therefore only parents outside the hierarchy matter here.
    guard let root, try store.hasUnfinishedHierarchies(outside: root, in: zone) else { return }
    throw ServerError(.tryAgainLater, Reason.hierarchyUnsettled, retryAfterSeconds: 1)
  }
}
