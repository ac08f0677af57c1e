import StratusWire

/// Decides about the shares that a batch saves, before the records of the batch are decided.
struct ShareBatch {
  typealias Refusal = RecordDecision.Refusal

  /// IDs that are created before the transaction, because its body may run twice.
  struct IDs: Sendable {
    /// The IDs of URLs, one for each operation. The array is empty if no operation is about shares.
    var shortGUIDs: [String] = []
    /// The IDs of participants, by the positions of the operations.
    var participants: [Int: [String]] = [:]
    /// The random parts of one-time URLs, by the positions of the operations.
    var oneTimeTokens: [Int: [String]] = [:]

    init(
      for operations: [RecordOperation], at store: StoreAddress, makeUUID: () -> String
    ) {
      guard operations.contains(where: \.concernsSharing) else { return }
      for (index, operation) in operations.enumerated() {
        shortGUIDs.append(
          operation.concernsSharing ? ShareGUID.make(for: store, makeUUID) : "")
        guard let sent = operation.share?.participants?.prefix(Limits.participantsPerShareMax + 1)
        else { continue }
        participants[index] = sent.map { _ in makeUUID() }
        let tokens = sent.filter(\.isOneTime).map { _ in ShareGUID.token(makeUUID) }
        if !tokens.isEmpty { oneTimeTokens[index] = tokens }
      }
    }
  }

  /// The participants and permissions of saved shares, by the positions of the operations.
  private(set) var states: [Int: ShareState] = [:]
  /// The positions of the operations that create shares.
  private(set) var new: Set<Int> = []
  /// The IDs of URLs that records get before they are shared, by the positions of the operations.
  private(set) var reserved: [Int: String] = [:]
  private(set) var refusals: [Int: Refusal] = [:]

  let operations: [RecordOperation]
  let snapshot: RecordSnapshot
  /// The time of the batch, in milliseconds since 1970 UTC.
  private let now: Int64
  /// The parents that the batch gives to records, or nil for records without a parent.
  var parents: [ExactName: String?] = [:]
  /// The positions of the operations that save records, by record name.
  var saves: [ExactName: Int] = [:]
  var newRoots: Set<ExactName> = []
  /// The number of shares that the user has, or nil if they have not been counted yet.
  private var sharesCount: Int?
  var survey: HierarchySurvey?

  init(
    _ operations: [RecordOperation], ids: IDs, on snapshot: RecordSnapshot, at now: Int64,
    in store: any StoreReading
  ) throws(ServerError) {
    self.operations = operations
    self.snapshot = snapshot
    self.now = now
    // Deletions are handled after the decision, and saves without share data keep the stored data.
    guard !ids.shortGUIDs.isEmpty else { return }
    let shares = operations.count { operation in
      let stored = operation.recordName.flatMap { snapshot.records[$0] }
      return operation.concernsSharing && !operation.isDeletion
        && (stored?.type ?? operation.recordType) == ShareRecord.recordType
    }
    guard shares <= Limits.sharesChangedPerRequestMax else {
      throw .badRequest(Reason.batchTooMuchWork)
    }
    for (index, operation) in operations.enumerated() where !operation.isDeletion {
      guard let name = operation.recordName else { continue }
      saves[ExactName(name)] = index
      switch operation.parent {
      case .set(let parent): parents[ExactName(name)] = .some(parent)
      case .removed: parents[ExactName(name)] = .some(nil)
      case .unchanged:
        if snapshot.records[name] == nil { parents[ExactName(name)] = .some(nil) }
      }
    }
    for (index, operation) in operations.enumerated() where operation.concernsSharing {
      do throws(ServerError) { try decide(operation, at: index, ids, in: store) } catch {
        if error.code == .internalError || error.code == .tryAgainLater { throw error }
        refusals[index] = Refusal(error)
      }
    }
  }

  private mutating func decide(
    _ operation: RecordOperation, at index: Int, _ ids: IDs, in store: any StoreReading
  ) throws(ServerError) {
    guard let name = operation.recordName, !operation.isDeletion else { return }
    let stored = snapshot.records[name]
    // Clients send whole records back, so a record that is not a share may contain keys that only
    // shares use. These keys are ignored.
    guard (stored?.type ?? operation.recordType) == ShareRecord.recordType else {
      if operation.createsShortGUID, snapshot.access.role == .owner,
        snapshot.access.address.canShare
      {
        reserved[index] = ids.shortGUIDs[index]
      }
      return
    }
    guard snapshot.access.address.canShare else {
      throw .badRequest(Reason.shareNeedsCustomZone)
    }
    guard let owner = snapshot.access.address.database.owner else { return }
    let edit = ShareEdit(
      owner: owner, newIDs: ids.participants[index] ?? [],
      newTokens: ids.oneTimeTokens[index] ?? [], now: now)
    if let stored {
      guard let state = try stored.shareState() else { throw .fault("a share has no state") }
      // The access policy refuses all users except the owner and administrators.
      let mayEdit = snapshot.access.allows(.write, stored, schema: snapshot.schema)
      // A save with an old change tag is a conflict, whatever is wrong with its participants.
      let isEdited = mayEdit && !operation.isOutdated(by: stored)
      states[index] =
        isEdited ? try edit.applied(operation.share, to: state, isNew: false) : state
      return
    }
    guard operation.canCreate, !snapshot.hidden.contains(ExactName(name)),
      snapshot.access.role == .owner
    else { return }
    guard let zone = snapshot.zone else { throw .badRequest(Reason.shareNeedsCustomZone) }
    let root = try root(of: operation, named: name, in: zone, store)
    let count: Int
    if let sharesCount {
      count = sharesCount
    } else {
      count = try store.shareCount(in: zone.database)
      sharesCount = count
    }
    guard count + new.count < Limits.sharesPerUserMax else {
      throw .badRequest(Reason.tooManyShares)
    }
    let link = try store.shareLink(ofRoot: root, in: zone)
    let empty = ShareState(
      rootRecordName: root, shortGUID: link?.shortGUID ?? ids.shortGUIDs[index],
      publicPermission: .none, participants: [])
    states[index] = try edit.applied(operation.share, to: empty, isNew: true)
    new.insert(index)
    if let root { newRoots.insert(ExactName(root)) }
  }
}

extension RecordOperation {
  var isDeletion: Bool {
    switch kind {
    case .delete, .forceDelete: true
    case .create, .update, .forceUpdate, .replace, .forceReplace: false
    }
  }

  fileprivate var canCreate: Bool {
    switch kind {
    case .create, .forceUpdate, .forceReplace: true
    case .update, .replace, .delete, .forceDelete: false
    }
  }

  /// Whether the operation conflicts with the stored record. It conflicts if it creates the record,
  /// or if its change tag differs.
  fileprivate func isOutdated(by stored: StoredRecord) -> Bool {
    switch kind {
    case .create: true
    case .update, .replace, .delete: recordChangeTag != stored.tag
    case .forceUpdate, .forceReplace, .forceDelete: false
    }
  }

  /// Whether the operation may save a share, or may reserve the URL of a share.
  var concernsSharing: Bool {
    share != nil || createsShortGUID || recordType == ShareRecord.recordType
  }
}

extension ZoneAddress {
  /// Whether records of the zone can be shared: custom zones of private databases.
  var canShare: Bool { database != .public && !isDefault }
}
