import StratusWire

/// The effect of references on a decided batch: which operations they forbid, and which records are
/// deleted by cascade. It depends only on the arguments of the initializer.
final class ReferenceDecision {
  typealias Refusal = RecordDecision.Refusal

  /// The operations that break a rule, by their positions. If an operation is refused, nothing else
  /// is decided.
  private(set) var refusals: [Int: Refusal] = [:]
  /// The records to write: those of the batch, then the tombstones of the cascade.
  private(set) var records: [StoredRecord] = []
  /// The stored state of records that the cascade deletes.
  private(set) var gone: [ExactName: StoredRecord] = [:]
  /// Deleted records whose cascade is unfinished: records that refer to them must be deleted later.
  private(set) var unfinished: [String] = []

  /// Records written by this batch that an unfinished cascade would have deleted. That cascade now
  /// skips these records, so the records that referred to them before this batch need their own
  /// cascade.
  var rewritten: [String] {
    if snapshot.pendingDeletions.isEmpty { return [] }
    return records.map(\.name).filter { snapshot.pendingDeletions[$0] != nil }
  }

  private let snapshot: RecordSnapshot
  private let references: ReferenceSnapshot
  private let requiresTargets: Bool
  private var saves: [(index: Int, record: StoredRecord, sent: SentReferences)] = []
  private var deletions: [(index: Int, name: String)] = []
  private var saved: [ExactName: StoredRecord] = [:]
  private var deleted: Set<ExactName> = []

  /// Decides deletions before saves. If the batch deletes a record and saves a child of it, the
  /// deletion is refused rather than the save (see ``DatabaseKey/childrenHoldParents``).
  ///
  /// The record of a refused operation may be the target of another operation's reference. The
  /// remaining operations are therefore checked again until no more are refused. Only this check is
  /// repeated, and not the whole ``RecordDecision``, because a new ``RecordDecision`` is expensive.
  /// An atomic batch needs one pass, since its answer names only the operations that break a rule
  /// themselves.
  ///
  /// - Parameter requiresTargets: whether the targets of `DELETE_SELF` references must exist.
  init(
    _ decision: RecordDecision, on snapshot: RecordSnapshot, _ references: ReferenceSnapshot,
    by writer: RecordWriter, requiresTargets: Bool, isAtomic: Bool
  ) {
    self.snapshot = snapshot
    self.references = references
    self.requiresTargets = requiresTargets
    records = decision.records
    guard decision.concernsReferences else { return }
    let followers = Set(references.followers.map { ExactName($0.source) })
    for (index, outcome) in decision.outcomes.enumerated() {
      switch outcome {
      case .saved(let record):
        let sent = decision.references[index] ?? SentReferences()
        saves.append((index, record, sent))
        saved[ExactName(record.name)] = record
      case .deleted(let name):
        deletions.append((index, name))
        deleted.insert(ExactName(name))
      case .refused: continue
      }
    }
    var count: Int
    repeat {
      count = refusals.count
      refuseDeletions(followers: followers)
      refuseSaves()
    } while refusals.count > count && !isAtomic
    if refusals.isEmpty { cascade(by: writer) }
  }

  private func refuseDeletions(followers: Set<ExactName>) {
    let going = Set(goingAlong().map(ExactName.init)).union(deleted)
    var parents: Set<ExactName> = []
    for link in references.children {
      let child = ExactName(link.source)
      if going.contains(child) || saved[child] != nil || followers.contains(child) { continue }
      if !references.mayFollow(link) { parents.insert(ExactName(link.target)) }
    }
    if references.childrenHoldParents {
      for (name, record) in saved where !going.contains(name) {
        if let parent = record.parentRecordName { parents.insert(ExactName(parent)) }
      }
    }
    for (index, name) in deletions where parents.contains(ExactName(name)) {
      // Deleting a missing record succeeds, even if other records name it as their parent.
      if snapshot.records[name] == nil { continue }
      refusals[index] = Refusal(
        ServerError(.validatingReferenceError, Reason.recordHasChildren))
    }
    deletions.removeAll { refusals[$0.index] != nil }
    deleted = Set(deletions.map { ExactName($0.name) })
  }

  private func refuseSaves() {
    for (index, record, sent) in saves {
      guard let reason = fault(of: sent, in: record) else { continue }
      refusals[index] = Refusal(ServerError(.validatingReferenceError, reason))
    }
    for save in saves where refusals[save.index] != nil {
      saved[ExactName(save.record.name)] = nil
    }
    saves.removeAll { refusals[$0.index] != nil }
  }

  private func fault(of sent: SentReferences, in record: StoredRecord) -> String? {
    if let parent = sent.parent {
      if ExactName(parent) == ExactName(record.name) { return Reason.parentOfItself }
      if !exists(parent) { return Reason.parentMissing }
    }
    let targets = sent.validated + (requiresTargets ? sent.deleteSelf : [])
    let missing = targets.filter { !exists($0) }
    if missing.isEmpty || isUnchanged(missing, in: record) { return nil }
    return Reason.referenceTargetMissing
  }

  /// Whether the caller is a participant, and the stored record already refers to all these
  /// targets. They may be outside the share, where the participant cannot see them.
  private func isUnchanged(_ targets: [String], in record: StoredRecord) -> Bool {
    guard snapshot.access.participation != nil, let stored = snapshot.records[record.name],
      let values = try? stored.fields.storedValues()
    else { return false }
    var known: Set<ExactName> = []
    for (_, value) in values { value.collectTargets(into: &known) }
    return targets.allSatisfy { known.contains(ExactName($0)) }
  }

  /// Whether a record exists once the batch is written. A record that the caller may not read
  /// counts as missing.
  ///
  /// Choice: a record that the cascade deletes counts as existing, because it exists when the
  /// request arrives.
  private func exists(_ text: String) -> Bool {
    let name = ExactName(text)
    if saved[name] != nil { return true }
    if deleted.contains(name) { return false }
    if let stored = snapshot.records[name] {
      return snapshot.access.allows(.read, stored, schema: snapshot.schema)
    }
    return references.existing.contains(name)
  }

  /// Returns the records that are deleted by cascade, the nearest first.
  ///
  /// Choice: deleting a missing record starts no cascade, even if the batch adds references to it.
  private func goingAlong() -> [String] {
    references.reach.followers(
      of: deletions.map(\.name).filter { snapshot.records[$0] != nil }, saved: saved,
      newLinks: references.newLinks)
  }

  private func cascade(by writer: RecordWriter) {
    let going = goingAlong()
    var change = (snapshot.zone?.change ?? 0) + Int64(records.count)
    let indices = Dictionary(
      uniqueKeysWithValues: records.enumerated().map { (ExactName($1.name), $0) })
    for name in going {
      if let index = indices[name] {
        // The record is saved and deleted in one batch. Its tombstone has the change number of the
        // save.
        let record = records[index]
        records[index] = record.tombstone(change: record.change, modified: writer.stamp)
      } else if let stored = references.reach.records[name] {
        change += 1
        records.append(stored.tombstone(change: change, modified: writer.stamp))
        gone[ExactName(name)] = stored
      }
    }
    unfinished = (deletions.map(\.name) + going).filter {
      references.reach.unexplored.contains(ExactName($0))
    }
  }
}

extension ReferenceSnapshot {
  /// Whether it is possible that a child also refers to its parent by `deleteSelf`, although
  /// ``followers`` does not contain this link.
  func mayFollow(_ child: RecordLink) -> Bool {
    guard hasMoreFollowers, let last = followers.last else { return false }
    let isOfLater = last.target.utf8.lexicographicallyPrecedes(child.target.utf8)
    let isLater =
      ExactName(last.target) == ExactName(child.target)
      && last.source.utf8.lexicographicallyPrecedes(child.source.utf8)
    return isOfLater || isLater
  }
}
