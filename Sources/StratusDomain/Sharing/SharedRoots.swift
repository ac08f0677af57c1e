import StratusWire

extension StoreWriting {
  /// Begins to share the hierarchy of a record. This transaction writes the passages of at most
  /// `limit` records. Later steps write the others.
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970 UTC.
  ///   - limit: the maximum number of records whose passages are written in this transaction.
  func beginHierarchy(
    of rootName: String, in address: ZoneAddress, at time: Int64,
    limit: Int = Limits.hierarchyStepMax
  ) throws(ServerError) {
    guard let zone = try lockZone(named: address.name, in: address.database) else { return }
    try addSharedRoot(rootName, in: zone)
    try changeHierarchy(of: rootName, in: address, at: time, limit: limit)
  }

  /// Ends the sharing of a hierarchy. Its participants leave it at once. This transaction writes
  /// the passages of at most `limit` records. Later steps write the others.
  ///
  /// - Parameters: the same as those of ``beginHierarchy(of:in:at:limit:)``.
  func endHierarchy(
    of rootName: String, in address: ZoneAddress, at time: Int64,
    limit: Int = Limits.hierarchyStepMax
  ) throws(ServerError) {
    guard let zone = try lockZone(named: address.name, in: address.database) else { return }
    while true {
      let users = try participants(
        ofShare: rootName, in: zone, limit: Limits.zonesPerRequestMax)
      for user in users { try leave(zone, root: rootName, user: user, at: time) }
      if users.isEmpty { break }
    }
    try removeSharedRoot(rootName, in: zone)
    try changeHierarchy(of: rootName, in: address, at: time, limit: limit)
  }

  private func changeHierarchy(
    of rootName: String, in address: ZoneAddress, at time: Int64, limit: Int
  ) throws(ServerError) {
    guard let zone = try zone(named: address.name, in: address.database) else { return }
    let reach = try HierarchyReach(
      ofRoot: rootName, in: zone, at: time, limit: limit, of: self)
    try apply(ChangeSet(zone: zone, records: [], passages: reach.passages))
    for rest in reach.unfinished { try addUnfinished(rest) }
  }
}
