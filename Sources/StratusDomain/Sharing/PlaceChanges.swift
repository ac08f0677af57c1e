import StratusWire

/// The changes of places in hierarchies that a batch is about to write.
struct PlaceChanges {
  /// The parents of the written records. The parent is nil for a deleted record, and for a record
  /// without a parent.
  private(set) var parents: [ExactName: String?] = [:]
  /// The roots whose share begins.
  private(set) var newRoots: Set<ExactName> = []
  /// The roots whose share ends.
  private(set) var formerRoots: Set<ExactName> = []

  init() {}

  /// - Throws: `INTERNAL_ERROR` if the stored data of a share cannot be read.
  init(
    _ decision: RecordDecision, _ references: ReferenceDecision, _ shares: ShareBatch,
    on snapshot: RecordSnapshot
  ) throws(ServerError) {
    var deleted: Set<ExactName> = []
    for record in references.records {
      let name = ExactName(record.name)
      parents[name] = .some(record.isDeleted ? nil : record.parentRecordName)
      if record.isDeleted { deleted.insert(name) }
      // The share of a record that counts as deleted also ends if the batch saves a new record
      // under its name.
      guard record.isDeleted || snapshot.pendingDeletions[name] != nil,
        let old = snapshot.stored(record.name) ?? references.gone[name], old.hasSharing
      else { continue }
      if let root = try old.shareState()?.rootRecordName { formerRoots.insert(ExactName(root)) }
      if try old.shareMark()?.shareRecordName != nil { formerRoots.insert(name) }
    }
    for index in shares.new {
      guard case .saved(let share) = decision.outcomes[index],
        let root = shares.states[index]?.rootRecordName,
        deleted.isDisjoint(with: [ExactName(share.name), ExactName(root)])
      else { continue }
      newRoots.insert(ExactName(root))
    }
  }
}
