import StratusWire

/// The stored state that a decision about references needs, besides the records that the operations
/// name.
struct ReferenceSnapshot: Sendable {
  /// The targets that exist and that the caller may read, apart from those that the batch names.
  private(set) var existing: Set<ExactName> = []
  /// Stored `parent` links to records that the batch deletes. Some links that cannot block the
  /// deletion are left out.
  private(set) var children: [RecordLink] = []
  /// Stored `deleteSelf` links to records that the batch deletes. There may be more links than one
  /// transaction can follow, and their source records are not loaded.
  private(set) var followers: [RecordLink] = []
  /// Whether there may be more links than ``followers`` contains.
  private(set) var hasMoreFollowers = false
  /// The records that are deleted by the cascades of the batch's deletions.
  private(set) var reach = CascadeReach()
  /// The `deleteSelf` links that saves of the batch will write: for each target, the names of the
  /// records that refer to it.
  private(set) var newLinks: [ExactName: [String]] = [:]
  /// See ``DatabaseKey/childrenHoldParents``.
  let childrenHoldParents: Bool

  /// - Parameters:
  ///   - schema: the schema, with the additions of the decision.
  ///   - budget: the numbers of records and bytes that may be loaded for deletion by cascade.
  init(
    loading decision: RecordDecision, on snapshot: RecordSnapshot, schema: Schema,
    childrenHoldParents: Bool, budget: CascadeBudget = CascadeBudget(),
    of store: any RecordReading & LinkReading & HierarchyReading
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
      existing = try Self.readable(targets.map(\.text), in: zone, snapshot, of: store)
      existing.subtract(
        try PendingDeletions.among(existing.map(\.text), in: zone, schema: schema, of: store))
    }
    let deleted = decision.records.filter(\.isDeleted).map(\.name)
    if deleted.isEmpty { return }
    for record in decision.records where !record.isDeleted {
      for target in try record.deleteSelfTargets(schema: schema) {
        newLinks[target, default: []].append(record.name)
      }
    }
    var budget = budget
    reach = try CascadeReach(
      to: deleted, further: newLinks, in: zone, within: &budget, of: store)
    if !childrenHoldParents { return }
    children = try Self.children(of: deleted, in: zone, of: store)
    var holding: [RecordLink] = []
    for link in children where try !Self.endsWith(link, snapshot.stored(link.target)) {
      holding.append(link)
    }
    children = holding
    if children.isEmpty { return }
    let limit = Limits.childrenCheckedMax
    followers = try store.links(.deleteSelf, to: deleted, in: zone, limit: limit)
    hasMoreFollowers = followers.count >= limit
    children.removeAll { snapshot.pendingDeletions[$0.source] != nil }
    let written = Set(decision.records.map { ExactName($0.name) })
    let pendingDeletions = try childrenPendingDeletion(
      besides: written, in: zone, schema: schema, of: store)
    children.removeAll { pendingDeletions.contains(ExactName($0.source)) }
  }

  /// Whether the target may be deleted although the link names it as a parent. A share ends with
  /// its root, and an owner can end a share even if records name the share as their parent.
  private static func endsWith(
    _ link: RecordLink, _ target: StoredRecord?
  ) throws(ServerError) -> Bool {
    guard let target, target.hasSharing else { return false }
    if target.type == ShareRecord.recordType { return true }
    return try target.shareMark()?.shareRecordName.map(ExactName.init) == ExactName(link.source)
  }

  /// Returns the records that exist and that the caller may read.
  private static func readable(
    _ names: [String], in zone: StoredZone, _ snapshot: RecordSnapshot,
    of store: any RecordReading & LinkReading & HierarchyReading
  ) throws(ServerError) -> Set<ExactName> {
    if snapshot.access.role == .owner { return try store.existing(names, in: zone) }
    var access = snapshot.access
    try access.findHierarchies(of: names, in: store)
    var readable: Set<ExactName> = []
    var rest = names[...]
    while !rest.isEmpty {
      let group = try store.records(
        named: Array(rest.prefix(Limits.recordsReadTogether)), in: zone)
      rest = rest.dropFirst(Limits.recordsReadTogether)
      for (name, record) in group
      where access.allows(.read, record, schema: snapshot.schema) {
        readable.insert(name)
      }
    }
    return readable
  }

  /// Returns children that would block the deletion of their parents, but that an unfinished
  /// cascade will delete.
  ///
  /// NB: the result is not complete. If a child is known to block its parent, the parent's other
  /// children are not examined.
  private func childrenPendingDeletion(
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
    var pendingDeletions: Set<ExactName> = []
    var held: Set<ExactName> = []
    for start in stride(from: 0, to: holding.count, by: CascadeBudget.recordsPerLoad) {
      let part = holding[start..<min(start + CascadeBudget.recordsPerLoad, holding.count)]
        .filter { !held.contains(ExactName($0.target)) }
      let found = try PendingDeletions.among(
        part.map(\.source), in: zone, schema: schema, of: store)
      for link in part where !found.contains(ExactName(link.source)) {
        held.insert(ExactName(link.target))
      }
      pendingDeletions.formUnion(found)
    }
    return pendingDeletions
  }

  /// Returns the children of deleted records. If there are too many, each deleted record gets an
  /// equal part of the limit.
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
