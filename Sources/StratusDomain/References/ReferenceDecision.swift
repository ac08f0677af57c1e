import StratusWire

/// What references make of a decided batch: which operations they forbid, and what goes with the
/// records that are deleted. Pure, from the snapshots alone.
struct ReferenceDecision: Sendable {
  typealias Refusal = RecordDecision.Refusal

  /// Operations that break a rule, by their places. If there are any, nothing else is decided.
  private(set) var refusals: [Int: Refusal] = [:]
  /// What is written: the batch's records and the cascade's tombstones, numbered on.
  private(set) var records: [StoredRecord] = []
  /// What the store held of records that go by cascade.
  private(set) var gone: [ExactName: StoredRecord] = [:]
  /// Deleted records that are still led to by some which must follow.
  private(set) var unfinished: [String] = []

  /// Records written that an unfinished cascade was on its way to. Its turn never comes now, so
  /// what leads to them since before the batch is to follow without it.
  var rewritten: [String] {
    if snapshot.doomed.isEmpty { return [] }
    return records.map(\.name).filter { snapshot.doomed[$0] != nil }
  }

  private let snapshot: RecordSnapshot
  private let references: ReferenceSnapshot
  private let requiresTargets: Bool
  private var saves: [(place: Int, record: StoredRecord, sent: SentReferences)] = []
  private var deletions: [(place: Int, name: String)] = []
  private var saved: [ExactName: StoredRecord] = [:]
  private var deleted: Set<ExactName> = []

  /// Decides deletions before saves, so that what a save needs is rather kept than lost.
  ///
  /// What is refused may have been another's target, so the rest is looked at again until nothing
  /// more is refused: here, since deciding anew is dear. In an atomic batch one look is enough:
  /// only those at fault are named.
  /// - Parameter requiresTargets: whether targets of `DELETE_SELF` must exist, too.
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
    for (place, outcome) in decision.outcomes.enumerated() {
      switch outcome {
      case .saved(let record):
        let sent = decision.references[place] ?? SentReferences()
        saves.append((place, record, sent))
        saved[ExactName(record.name)] = record
      case .deleted(let name):
        deletions.append((place, name))
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

  private mutating func refuseDeletions(followers: Set<ExactName>) {
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
    for (place, name) in deletions where parents.contains(ExactName(name)) {
      // Nothing to delete is a success, whoever calls it parent.
      if snapshot.records[name] == nil { continue }
      refusals[place] = Refusal(
        ServerError(.validatingReferenceError, Reason.recordHasChildren))
    }
    deletions.removeAll { refusals[$0.place] != nil }
    deleted = Set(deletions.map { ExactName($0.name) })
  }

  private mutating func refuseSaves() {
    for (place, record, sent) in saves {
      guard let reason = fault(of: sent, in: record) else { continue }
      refusals[place] = Refusal(ServerError(.validatingReferenceError, reason))
    }
    for save in saves where refusals[save.place] != nil {
      saved[ExactName(save.record.name)] = nil
    }
    saves.removeAll { refusals[$0.place] != nil }
  }

  private func fault(of sent: SentReferences, in record: StoredRecord) -> String? {
    if let parent = sent.parent {
      if ExactName(parent) == ExactName(record.name) { return Reason.parentOfItself }
      if !exists(parent) { return Reason.parentMissing }
    }
    if !sent.validated.allSatisfy(exists) { return Reason.referenceTargetMissing }
    if requiresTargets, !sent.deleteSelf.allSatisfy(exists) {
      return Reason.referenceTargetMissing
    }
    return nil
  }

  /// Whether a record is there once the batch is written.
  ///
  /// Choice: what goes by cascade counts as there: it is there when the batch comes.
  private func exists(_ text: String) -> Bool {
    let name = ExactName(text)
    if saved[name] != nil { return true }
    if deleted.contains(name) { return false }
    return snapshot.records[name] != nil || references.existing.contains(name)
  }

  ///
  /// Choice: nothing goes with what was not there, whatever the batch makes lead to it.
  private func goingAlong() -> [String] {
    references.reach.followers(
      of: deletions.map(\.name).filter { snapshot.records[$0] != nil }, saved: saved,
      newLinks: references.newLinks)
  }

  private mutating func cascade(by writer: RecordWriter) {
    let going = goingAlong()
    var change = (snapshot.zone?.change ?? 0) + Int64(records.count)
    let places = Dictionary(
      uniqueKeysWithValues: records.enumerated().map { (ExactName($1.name), $0) })
    for name in going {
      if let place = places[name] {
        // Saved and gone in one batch: one change of the record, one number.
        let record = records[place]
        records[place] = record.tombstone(change: record.change, modified: writer.stamp)
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
  /// Whether a child may follow its parent by `deleteSelf` for all that is known.
  func mayFollow(_ child: RecordLink) -> Bool {
    guard hasMoreFollowers, let last = followers.last else { return false }
    let isOfLater = last.target.utf8.lexicographicallyPrecedes(child.target.utf8)
    let isLater =
      ExactName(last.target) == ExactName(child.target)
      && last.source.utf8.lexicographicallyPrecedes(child.source.utf8)
    return isOfLater || isLater
  }
}
