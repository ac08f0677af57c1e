import StratusWire

extension StoreWriting {
  /// Begins to share the hierarchy of a record. This transaction writes the passages of as many
  /// records as the budget allows; later steps write the others.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func beginHierarchy(
    of rootName: String, in address: ZoneAddress, at time: Int64,
    within budget: FollowerBudget = FollowerBudget()
  ) throws(ServerError) {
    guard let zone = try lockZone(named: address.name, in: address.database) else { return }
    try addSharedRoot(rootName, in: zone)
    try changeHierarchy(of: rootName, in: address, at: time, within: budget)
  }

  /// Ends the sharing of a hierarchy. Its participants leave it at once. This transaction writes
  /// the passages of as many records as the budget allows; later steps write the others.
  ///
  /// - Parameters: as for ``beginHierarchy(of:in:at:within:)``.
  func endHierarchy(
    of rootName: String, in address: ZoneAddress, at time: Int64,
    within budget: FollowerBudget = FollowerBudget()
  ) throws(ServerError) {
    guard let zone = try lockZone(named: address.name, in: address.database) else { return }
    while true {
      let users = try participants(
        ofShare: rootName, in: zone, limit: Limits.zonesPerRequestMax)
      for user in users { try leave(zone, root: rootName, user: user, at: time) }
      if users.isEmpty { break }
    }
    try removeSharedRoot(rootName, in: zone)
    try changeHierarchy(of: rootName, in: address, at: time, within: budget)
  }

  private func changeHierarchy(
    of rootName: String, in address: ZoneAddress, at time: Int64, within budget: FollowerBudget
  ) throws(ServerError) {
    guard let zone = try zone(named: address.name, in: address.database) else { return }
    let reach = try HierarchyReach(
      ofRoot: rootName, in: zone, at: time, limit: budget.left, of: self)
    budget.take(reach.examinedCount)
    try apply(ChangeSet(zone: zone, records: [], passages: reach.passages))
    for rest in reach.unfinished { try addUnfinished(rest) }
  }
}
