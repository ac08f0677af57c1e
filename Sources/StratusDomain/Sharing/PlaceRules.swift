import StratusWire

/// The rules about the places of records in shared hierarchies: how deep a record may be, and where
/// a participant may create, move and delete records.
struct PlaceRules {
  typealias Refusal = RecordDecision.Refusal

  let access: ZoneAccess
  let decision: RecordDecision
  let references: ReferenceSnapshot
  let hierarchies: HierarchyReach
  /// Returns whether a saved record did not exist before, or counted as deleted.
  let isCreated: (ExactName) -> Bool

  /// Returns the refusals of the operations that break a rule, by the positions of the operations.
  func refusals(
    replacing stored: (String) -> StoredRecord?, in store: any StoreReading
  ) throws(ServerError) -> [Int: Refusal] {
    if access.participation == nil, hierarchies.tooDeep.isEmpty { return [:] }
    var refusals: [Int: Refusal] = [:]
    for (index, outcome) in decision.outcomes.enumerated() {
      switch outcome {
      case .saved(let record):
        if let error = fault(inPlaceOf: record, replacing: stored(record.name)) {
          refusals[index] = Refusal(error)
        } else if try wouldTakeChildren(record, in: store) {
          refusals[index] = Refusal(ServerError(.accessDenied, Reason.accessDenied))
        }
      case .deleted(let name):
        guard stored(name) != nil, try !mayCascade(from: name, in: store) else { continue }
        refusals[index] = Refusal(ServerError(.accessDenied, Reason.accessDenied))
      case .refused: continue
      }
    }
    return refusals
  }

  private func fault(
    inPlaceOf record: StoredRecord, replacing stored: StoredRecord?
  ) -> ServerError? {
    let name = ExactName(record.name)
    // A record that was too deep before the zone had shares may stay where it is.
    let isMoved = stored.map { $0.parentRecordName != record.parentRecordName } ?? true
    if isMoved, hierarchies.tooDeep.contains(name) { return .badRequest(Reason.hierarchyTooDeep) }
    // The access policy has already decided about share records, and their place never changes.
    if record.type == ShareRecord.recordType { return nil }
    // NB: `roots` has no entry in a zone without hierarchies.
    let root = hierarchies.roots[name] ?? nil
    if access.allowsPlace(inHierarchy: root) { return nil }
    return ServerError(.accessDenied, Reason.accessDenied)
  }

  /// Whether a participant's new record is the parent of records that the participant may not
  /// write. These children would follow the new record into its hierarchy.
  ///
  /// Choice: if there are too many children to examine, the new record is refused.
  private func wouldTakeChildren(
    _ record: StoredRecord, in store: any StoreReading
  ) throws(ServerError) -> Bool {
    guard let zone = access.zone, let participation = access.participation,
      !participation.showsZone, isCreated(ExactName(record.name))
    else { return false }
    let written = Set(decision.records.map { ExactName($0.name) })
    let limit = written.count + Limits.recordsReadTogether
    let links = try store.links(
      .parent, to: record.name, after: nil, in: zone, limit: limit)
    let children = links.map(\.source).filter { !written.contains(ExactName($0)) }
    if children.isEmpty { return false }
    if links.count >= limit { return true }
    let roots = try store.readableHierarchies(of: children, in: zone)
    return !children.allSatisfy { access.allowsPlace(inHierarchy: roots[$0]) }
  }

  /// Whether a participant may delete all records that are deleted together with a record.
  /// References may lead to records outside the shares, and the participant cannot see such
  /// records.
  ///
  /// Choice: if a participant's deletion does not fit into one transaction, it is refused, because
  /// its later steps could not be refused any more.
  private func mayCascade(
    from name: String, in store: any StoreReading
  ) throws(ServerError) -> Bool {
    guard let zone = access.zone, access.participation != nil else { return true }
    let saved = Dictionary(
      decision.records.filter { !$0.isDeleted }.map { (ExactName($0.name), $0) }
    ) { $1 }
    let going = references.reach.followers(
      of: [name], saved: saved, newLinks: references.newLinks)
    let reached = ([name] + going).map(ExactName.init)
    if !references.reach.unexplored.isDisjoint(with: reached) { return false }
    let roots = try store.readableHierarchies(of: going, in: zone)
    return going.allSatisfy { follower in
      references.reach.records[follower]?.type != ShareRecord.recordType
        && access.allowsPlace(inHierarchy: roots[follower])
        && roots[follower].map(ExactName.init) != ExactName(follower)
    }
  }
}
