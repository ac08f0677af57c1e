import StratusWire

/// Finds hierarchies by walking up the chains of parents, independently of stored ``Passage``s.
extension SharingReading where Self: ShareLinkReading {
  /// Returns the nearest shared root at or above each record. Records without such a root are left
  /// out.
  public func walkedHierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String] {
    try walkedHierarchies(of: names, in: zone, after: PlaceChanges())
  }

  /// Like ``walkedHierarchies(of:in:)``, but as if a batch had already been written.
  func walkedHierarchies(
    of names: [String], in zone: StoredZone, after changes: PlaceChanges
  ) throws(ServerError) -> [ExactName: String] {
    var found: [ExactName: String] = [:]
    var places: [ExactName: ExactName] = [:]
    for name in names { places[ExactName(name)] = ExactName(name) }
    for _ in 0...Limits.hierarchyDepthMax where !places.isEmpty {
      let here = Set(places.values)
      let roots = try sharedRoots(among: here.map(\.text), in: zone)
        .subtracting(changes.formerRoots).union(changes.newRoots)
      let unknown = here.filter { !roots.contains($0) && changes.parents[$0] == nil }
      let positions = try positions(of: unknown.map(\.text), in: zone)
      for (start, place) in places {
        if roots.contains(place) {
          found[start] = place.text
          places[start] = nil
          continue
        }
        let parent =
          if let written = changes.parents[place] { written } else {
            positions[place]?.parentName
          }
        places[start] = parent.map(ExactName.init)
      }
    }
    return found
  }

  /// Returns the hierarchies that the records' ``Passage``s name, without those that a record is
  /// about to leave.
  ///
  /// A record far below a moved record keeps its passage until a later step. Meanwhile,
  /// participants must not use this passage.
  public func consistentHierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String] {
    let stored = try hierarchies(of: names, in: zone)
    if stored.isEmpty { return stored }
    guard try !unfinishedParents(in: zone, limit: 1).isEmpty else { return stored }
    let walked = try walkedHierarchies(of: stored.keys.map(\.text), in: zone)
    return stored.filter { name, root in
      walked[name].map(ExactName.init) == ExactName(root)
    }
  }
}
