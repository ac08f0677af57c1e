import StratusWire

/// Lets a participant leave shares by deleting the share records.
///
/// A participant that leaves a share often deletes the records of its hierarchy in the same
/// request. These deletions succeed, but no record of the owner is deleted.
struct LeaveShares {
  let database: OpenDatabase
  let effects: ShareEffects
  let user: String

  /// Leaves the shares whose records the operations delete.
  ///
  /// - Returns: the positions of the operations that are finished, because their records no longer
  ///   exist for the caller. The result is empty if no operation leaves a share.
  /// - Throws: `ZONE_NOT_FOUND` if the caller participates in no share of the zone; `BAD_REQUEST`
  ///   if the request leaves a share and also saves records, or if it leaves too many shares. In
  ///   these cases, nothing is changed.
  func leave(
    by operations: [RecordOperation], in store: any StoreWriting
  ) throws(ServerError) -> Set<Int> {
    let names = operations.filter(\.isDeletion).compactMap(\.recordName)
    if names.isEmpty { return [] }
    let access = try database.lockedAccess(to: effects.address, of: store)
    var shares: [(record: StoredRecord, state: ShareState)] = []
    for record in try store.readableRecords(named: names, access).values {
      // If the user is not a member of a share, the policy decides about the share's record as
      // about any other record.
      guard let state = try record.shareState(), state.members[user] != nil else { continue }
      shares.append((record, state))
    }
    if shares.isEmpty { return [] }
    guard names.count == operations.count else { throw .badRequest(Reason.leaveAlone) }
    guard shares.count <= Limits.sharesChangedPerRequestMax else {
      throw .badRequest(Reason.batchTooMuchWork)
    }
    for share in shares.sorted(by: { $0.record.number < $1.record.number }) {
      try effects.leave(share.record, share.state, user: user, in: store)
    }
    let left = Set(shares.map { ExactName($0.record.name) })
    let rest = try readable(names, in: store).subtracting(left)
    return Set(
      operations.indices.filter { index in
        !rest.contains(ExactName(operations[index].recordName ?? ""))
      })
  }

  /// Returns the records that the caller may still read.
  private func readable(
    _ names: [String], in store: any StoreWriting
  ) throws(ServerError) -> Set<ExactName> {
    do throws(ServerError) {
      let access = try database.access(to: effects.address, of: store)
      return Set(try store.readableRecords(named: names, access).keys)
    } catch {
      guard error.code == .zoneNotFound else { throw error }
      return []
    }
  }

  /// Leaves all shares of a zone. Their number is limited; see ``Limits/joinedSharesPerZoneMax``.
  ///
  /// - Throws: `ZONE_NOT_FOUND` if the caller participates in no share of the zone.
  func leaveZone(in store: any StoreWriting) throws(ServerError) {
    let access = try database.lockedAccess(to: effects.address, of: store)
    guard let zone = access.zone, let participation = access.participation else { return }
    try effects.leaveZone(zone, user: user, in: store)
    for joined in participation.shares { try store.retireKeys(of: zone, root: joined.rootName) }
    for joined in participation.shares {
      guard let name = try store.shareLink(ofRoot: joined.rootName, in: zone)?.shareName,
        let share = try store.records(named: [name], in: zone)[name],
        let state = try share.shareState()
      else { continue }
      try effects.strike(user, from: share, state, in: store)
    }
  }
}
