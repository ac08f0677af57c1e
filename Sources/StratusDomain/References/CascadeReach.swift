import StratusWire

/// The records that refer to some deleted records by `deleteSelf`, directly or indirectly.
/// References are followed only as far as one transaction can delete the records.
struct CascadeReach: Sendable {
  /// The names of the sources of stored links, by target.
  private(set) var sources: [ExactName: [String]] = [:]
  /// The records that are the sources of these links, by name.
  private(set) var records: [ExactName: StoredRecord] = [:]
  /// Targets that may have more sources than were loaded.
  private(set) var unexplored: Set<ExactName> = []

  init() {}

  /// Follows links backwards from records, level by level.
  ///
  /// - Parameters:
  ///   - roots: records that are deleted, or may be deleted.
  ///   - further: the links that the batch will write. For each target, the names of the records
  ///     that refer to it.
  ///   - budget: the number of records and bytes that may still be loaded. The initializer
  ///     subtracts the records and bytes that it loads.
  init(
    to roots: [String], further: [ExactName: [String]] = [:], in zone: StoredZone,
    within budget: inout CascadeBudget, of store: any RecordReading & LinkReading
  ) throws(ServerError) {
    var seen = Set(roots.map(ExactName.init))
    var frontier = roots
    let probeMax = max(1, budget.records)
    while !frontier.isEmpty {
      let isProbe = budget.isEmpty
      let limit = isProbe ? probeMax : budget.records
      if isProbe {
        // This last search also finds links to the sources of the links that the batch will write,
        // because no later search examines those sources.
        frontier += further.values.joined().filter { seen.insert(ExactName($0)).inserted }
      }
      let found = try store.links(.deleteSelf, to: frontier, in: zone, limit: limit)
      noteUnexplored(found, frontier: frontier, isFull: found.count >= limit)
      if isProbe {
        unexplored.formUnion(found.map { ExactName($0.target) })
        return
      }
      var level = found.map(\.source).filter { seen.insert(ExactName($0)).inserted }
      let left = try load(&level, in: zone, within: &budget, of: store)
      seen.subtract(left)
      for link in found {
        if left.contains(ExactName(link.source)) {
          unexplored.insert(ExactName(link.target))
        } else {
          sources[ExactName(link.target), default: []].append(link.source)
        }
      }
      for target in frontier {
        for source in further[target] ?? [] where seen.insert(ExactName(source)).inserted {
          level.append(source)
        }
      }
      frontier = level
    }
  }

  /// Loads the records of a level as far as the budget allows, and removes the other names from the
  /// level.
  ///
  /// - Returns: the names that were not loaded.
  private mutating func load(
    _ level: inout [String], in zone: StoredZone, within budget: inout CascadeBudget,
    of store: any RecordReading & LinkReading
  ) throws(ServerError) -> Set<ExactName> {
    let (found, count) = try store.records(
      firstOf: level, in: zone, takingFrom: &budget.sizeBytes)
    budget.records -= found.count
    records.merge(found) { first, _ in first }
    let left = Set(level[count...].map(ExactName.init))
    level.removeSubrange(count...)
    return left
  }

  /// Adds to ``unexplored`` the targets whose links may be incomplete. Links are sorted by the
  /// bytes of their targets, so a result that has reached its limit may lack links of its last
  /// target, and has no links of later targets.
  private mutating func noteUnexplored(
    _ found: [RecordLink], frontier: [String], isFull: Bool
  ) {
    guard isFull, let last = found.last?.target else { return }
    for target in frontier where !target.utf8.lexicographicallyPrecedes(last.utf8) {
      unexplored.insert(ExactName(target))
    }
  }

  /// Returns the records that are deleted with the records `gone`, the nearest first.
  ///
  /// - Parameters:
  ///   - saved: states that the batch will write, which replace the stored ones.
  ///   - newLinks: the links of those states, by target.
  func followers(
    of gone: [String], saved: [ExactName: StoredRecord] = [:],
    newLinks: [ExactName: [String]] = [:]
  ) -> [String] {
    var seen = Set(gone.map(ExactName.init))
    var found: [String] = []
    var targets = gone
    var next = 0
    while next < targets.count {
      let target = ExactName(targets[next])
      next += 1
      var leading = newLinks[target, default: []].filter { saved[$0] != nil }
      leading += sources[target, default: []].filter {
        // NB: user records are never deleted, whatever they refer to.
        saved[$0] == nil && records[$0].map { $0.type != UserRecords.recordType } ?? false
      }
      for source in leading where seen.insert(ExactName(source)).inserted {
        found.append(source)
        targets.append(source)
      }
    }
    return found
  }
}
