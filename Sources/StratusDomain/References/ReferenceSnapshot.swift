import StratusWire

/// What a decision about references needs to know beyond the records that the operations name.
struct ReferenceSnapshot: Sendable {
  /// Which of the targets exist, apart from those that the batch names.
  private(set) var existing: Set<ExactName> = []
  /// Stored links by `parent` to records that are to be deleted.
  private(set) var children: [RecordLink] = []
  /// Stored links by `deleteSelf` to the same records: more than a transaction follows, but not the
  /// records themselves.
  private(set) var followers: [RecordLink] = []
  /// Whether `followers` ends before the last one.
  private(set) var hasMoreFollowers = false
  /// What goes with the deleted records.
  private(set) var reach = CascadeReach()
  /// Links by `deleteSelf` that saves of the batch are about to write, by target.
  private(set) var newLinks: [ExactName: [String]] = [:]
  /// See ``DatabaseKey/childrenHoldParents``.
  let childrenHoldParents: Bool

  /// - Parameters:
  ///   - schema: with what the decision adds to it.
  ///   - room: for records that go along.
  init(
    loading decision: RecordDecision, on snapshot: RecordSnapshot, schema: Schema,
    childrenHoldParents: Bool, room: CascadeRoom = CascadeRoom(),
    of store: any RecordReading & LinkReading
  ) throws(ServerError) {
    self.childrenHoldParents = childrenHoldParents
    guard let zone = snapshot.zone, decision.concernsReferences else { return }
    let known = Set(snapshot.records.keys).union(decision.records.map { ExactName($0.name) })
    var targets: Set<ExactName> = []
    for sent in decision.references.values {
      let names =
        sent.validated + (sent.parent.map { [$0] } ?? [])
        + (schema.settings.requiresReferenceTargets ? sent.deleteSelf : [])
      for name in names where !known.contains(ExactName(name)) { targets.insert(ExactName(name)) }
    }
    if !targets.isEmpty {
      existing = try store.existing(targets.map(\.text), in: zone)
      existing.subtract(
        try DoomedRecords.among(existing.map(\.text), in: zone, schema: schema, of: store))
    }
    let deleted = decision.records.filter(\.isDeleted).map(\.name)
    if deleted.isEmpty { return }
    for record in decision.records where !record.isDeleted {
      for target in try record.deleteSelfTargets(schema: schema) {
        newLinks[target, default: []].append(record.name)
      }
    }
    var room = room
    reach = try CascadeReach(
      to: deleted, further: newLinks, in: zone, within: &room, of: store)
    if !childrenHoldParents { return }
    children = try Self.children(of: deleted, in: zone, of: store)
    if children.isEmpty { return }
    let limit = Limits.childrenCheckedMax
    followers = try store.links(.deleteSelf, to: deleted, in: zone, limit: limit)
    hasMoreFollowers = followers.count >= limit
    children.removeAll { snapshot.doomed[$0.source] != nil }
    let written = Set(decision.records.map { ExactName($0.name) })
    let doomed = try doomedChildren(besides: written, in: zone, schema: schema, of: store)
    children.removeAll { doomed.contains(ExactName($0.source)) }
  }

  /// Children that would hold their parents, but that an unfinished cascade is on its way to.
  ///
  /// NB: not all of them. Where one child holds a parent for sure, the others need no look.
  private func doomedChildren(
    besides written: Set<ExactName>, in zone: StoredZone, schema: Schema,
    of store: any RecordReading & LinkReading
  ) throws(ServerError) -> Set<ExactName> {
    let following = Set(followers.map { ExactName($0.source) })
    let holding = children.filter { link in
      let child = ExactName(link.source)
      return !written.contains(child) && !following.contains(child) && reach.records[child] == nil
        && !mayFollow(link)
    }
    if holding.isEmpty { return [] }
    guard try store.hasUnfinishedCascades(in: zone) else { return [] }
    var doomed: Set<ExactName> = []
    var held: Set<ExactName> = []
    for start in stride(from: 0, to: holding.count, by: CascadeRoom.recordsPerLoad) {
      let part = holding[start..<min(start + CascadeRoom.recordsPerLoad, holding.count)]
        .filter { !held.contains(ExactName($0.target)) }
      let found = try DoomedRecords.among(
        part.map(\.source), in: zone, schema: schema, of: store)
      for link in part where !found.contains(ExactName(link.source)) {
        held.insert(ExactName(link.target))
      }
      doomed.formUnion(found)
    }
    return doomed
  }

  /// A share of the limit for each record if one has too many.
  private static func children(
    of deleted: [String], in zone: StoredZone, of store: any RecordReading & LinkReading
  ) throws(ServerError) -> [RecordLink] {
    let limit = Limits.childrenCheckedMax
    let all = try store.links(.parent, to: deleted, in: zone, limit: limit)
    if all.count < limit { return all }
    var shares: [RecordLink] = []
    for name in deleted {
      shares += try store.links(.parent, to: [name], in: zone, limit: limit / deleted.count)
    }
    return shares
  }
}
