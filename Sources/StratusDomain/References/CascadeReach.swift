import StratusWire

/// The records that lead to some others by `deleteSelf`, and those that lead to them, as far as one
/// transaction follows them.
struct CascadeReach: Sendable {
  /// Stored links, by target.
  private(set) var sources: [ExactName: [String]] = [:]
  /// The records at the beginnings of those links.
  private(set) var records: [ExactName: StoredRecord] = [:]
  /// Targets to which more records lead than are here.
  private(set) var unexplored: Set<ExactName> = []

  init() {}

  /// Follows links back from records, level by level.
  ///
  /// - Parameters:
  ///   - roots: records that go, or may.
  ///   - further: links that are about to be written, by target.
  ///   - limit: how many records are loaded at most.
  init(
    to roots: [String], further: [ExactName: [String]] = [:], in zone: StoredZone, limit: Int,
    of store: any RecordReading & LinkReading
  ) throws(ServerError) {
    var seen = Set(roots.map(ExactName.init))
    var frontier = roots
    while !frontier.isEmpty {
      let room = limit - records.count
      let isProbe = room <= 0
      if isProbe {
        // What goes by a link about to be written is not looked at again.
        frontier += further.values.joined().filter { seen.insert(ExactName($0)).inserted }
      }
      let found = try store.links(
        .deleteSelf, to: frontier, in: zone, limit: isProbe ? limit : room)
      noteUnexplored(found, frontier: frontier, isFull: found.count >= (isProbe ? limit : room))
      if isProbe {
        unexplored.formUnion(found.map { ExactName($0.target) })
        return
      }
      var level: [String] = []
      for link in found {
        sources[ExactName(link.target), default: []].append(link.source)
        if seen.insert(ExactName(link.source)).inserted { level.append(link.source) }
      }
      records.merge(try store.records(named: level, in: zone)) { first, _ in first }
      for target in frontier {
        for source in further[target] ?? [] where seen.insert(ExactName(source)).inserted {
          level.append(source)
        }
      }
      frontier = level
    }
  }

  /// Links come in order of their targets' bytes: behind the last one of a full answer nothing is
  /// known.
  private mutating func noteUnexplored(
    _ found: [RecordLink], frontier: [String], isFull: Bool
  ) {
    guard isFull, let last = found.last?.target else { return }
    for target in frontier where !target.utf8.lexicographicallyPrecedes(last.utf8) {
      unexplored.insert(ExactName(target))
    }
  }

  /// The records that lead to some that go, nearest first.
  ///
  /// - Parameters:
  ///   - saved: states that are about to be written, which count in place of the stored ones.
  ///   - newLinks: the links of those, by target.
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
        // NB: nobody deletes user records, whatever they lead to.
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
