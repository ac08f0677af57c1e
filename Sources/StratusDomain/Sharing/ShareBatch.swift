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

  private let operations: [RecordOperation]
  private let snapshot: RecordSnapshot
  /// The time of the batch, in milliseconds since 1970 UTC.
  private let now: Int64
  /// The parents that the batch gives to records, or nil for records without a parent.
  private var parents: [ExactName: String?] = [:]
  /// The positions of the operations that save records, by record name.
  private var saves: [ExactName: Int] = [:]
  private var newRoots: Set<ExactName> = []
  /// The number of shares that the user has, or nil if they have not been counted yet.
  private var sharesCount: Int?
  private var survey: HierarchySurvey?

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

  /// Checks and returns the root of a new share. Returns nil if the share is one of the whole zone.
  private mutating func root(
    of operation: RecordOperation, named name: String, in zone: StoredZone,
    _ store: any StoreReading
  ) throws(ServerError) -> String? {
    guard name != ShareRecord.zoneShareName else {
      if try !store.sharedRoots(in: zone, after: nil, limit: 1).isEmpty || !newRoots.isEmpty {
        throw .badRequest(Reason.recordsAlreadyShared)
      }
      return nil
    }
    guard let root = operation.share?.rootRecordName else {
      throw .badRequest(Reason.shareNeedsRoot)
    }
    let isZoneShared = try store.shareLink(ofRoot: nil, in: zone)?.shareName != nil
    if isZoneShared || saves[ShareRecord.zoneShareName] != nil {
      throw .badRequest(Reason.zoneAlreadyShared)
    }
    let exact = ExactName(root)
    var stored = snapshot.records[root]
    if stored == nil {
      stored = try store.records(named: [root], in: zone)[root]
      // A record that counts as deleted cannot be shared any more.
      if let found = stored,
        try !PendingDeletions.among([exact: found], in: zone, schema: snapshot.schema, of: store)
          .isEmpty
      {
        stored = nil
      }
    }
    if saves[exact] == nil {
      guard let stored, !isDeleted(exact) else { throw .badRequest(Reason.shareRootMissing) }
      if let tag = operation.share?.rootRecordChangeTag, tag != stored.tag {
        throw ServerError(.conflict, Reason.conflict)
      }
    }
    if stored?.type == ShareRecord.recordType || exact == ExactName(name) {
      throw .badRequest(Reason.shareRootMissing)
    }
    if try stored?.shareMark()?.shareRecordName != nil || newRoots.contains(exact) {
      throw .badRequest(Reason.recordAlreadyShared)
    }
    if survey == nil {
      survey = try HierarchySurvey(of: zone, parents: parents, in: store)
    }
    switch try survey?.add(exact, in: store) {
    case .free, nil: return root
    case .belowRoot: throw .badRequest(Reason.ancestorShared)
    case .aboveRoot: throw .badRequest(Reason.descendantShared)
    }
  }

  private func isDeleted(_ name: ExactName) -> Bool {
    operations.contains { operation in
      operation.isDeletion && operation.recordName.map(ExactName.init) == name
    }
  }

  /// The work of the checks, in steps of about 1 µs.
  var steps: Int { (survey?.namesRead ?? 0) * 2 }

  /// Whether the batch saves shares, so that work in the background may follow.
  var concernsWork: Bool { !states.isEmpty || !reserved.isEmpty }

  /// Returns refusals for new shares whose root record is saved in the same batch, if that save is
  /// refused.
  func refusals(after decision: RecordDecision) -> [Int: Refusal] {
    var refusals: [Int: Refusal] = [:]
    for index in new {
      guard case .saved = decision.outcomes[index],
        let root = states[index]?.rootRecordName, let save = saves[ExactName(root)],
        case .refused = decision.outcomes[save]
      else { continue }
      refusals[index] = Refusal(.badRequest(Reason.shareRootMissing))
    }
    return refusals
  }

  /// Returns the e-mail addresses that the saved shares have invited, and did not invite before.
  func invitedAddresses(
    by decision: RecordDecision, inviter: String, in database: OpenDatabase
  ) throws(ServerError) -> [InvitedAddress] {
    var invited: [InvitedAddress] = []
    for (index, state) in states.sorted(by: { $0.key < $1.key }) {
      guard case .saved(let record) = decision.outcomes[index] else { continue }
      let old = try snapshot.records[record.name]?.shareState()?.participants ?? []
      let addresses = state.participants.compactMap { participant -> String? in
        guard participant.status == .invited, state.offer(to: participant) != nil,
          case .emailAddress(let address)? = participant.identity.lookup,
          // A participant who left and is invited again also gets a message.
          !old.contains(where: {
            $0.participantID == participant.participantID && $0.status == .invited
          })
        else { return nil }
        return address
      }
      if addresses.isEmpty { continue }
      let title = try record.shareTitle()
      invited += addresses.map { address in
        InvitedAddress(
          store: database.address, address: address, inviter: inviter,
          shareURL: database.caller.serverURL + "/share/" + state.shortGUID, title: title)
      }
    }
    return invited
  }

  /// Writes the effects of the saved shares.
  ///
  /// - Parameter written: the records as the batch wrote them. A saved record may be deleted by a
  ///   cascade of the same batch.
  /// - Returns: the new states of roots, which are newer than those that the batch saved.
  func write(
    _ decision: RecordDecision, written: [StoredRecord], by effects: ShareEffects,
    in store: any StoreWriting
  ) throws(ServerError) -> [StoredRecord] {
    var roots: [StoredRecord] = []
    let gone = Set(written.filter(\.isDeleted).map { ExactName($0.name) })
    for (index, state) in states.sorted(by: { $0.key < $1.key }) {
      guard case .saved(let record) = decision.outcomes[index],
        !gone.contains(ExactName(record.name))
      else { continue }
      if new.contains(index), let root = state.rootRecordName, gone.contains(ExactName(root)) {
        try effects.deleteNew(record.name, in: store)
        continue
      }
      if new.contains(index) {
        if let root = try effects.begin(state, named: record.name, in: store) {
          roots.append(root)
        }
      } else if let old = try snapshot.records[record.name]?.shareState() {
        try effects.settle(from: old, to: state, in: store)
      }
    }
    for (index, shortGUID) in reserved.sorted(by: { $0.key < $1.key }) {
      guard case .saved(let record) = decision.outcomes[index],
        !gone.contains(ExactName(record.name)), try record.shareMark() == nil,
        let zone = try store.zone(
          named: snapshot.access.address.name, in: snapshot.access.address.database),
        try store.shareLink(ofRoot: record.name, in: zone)?.shareName == nil
      else { continue }
      let known = try store.shareLink(ofRoot: record.name, in: zone)?.shortGUID
      let link = ShareLink(
        rootName: record.name, shortGUID: known ?? shortGUID, shareName: nil)
      try store.keep(link, in: zone)
      let mark = ShareMark(shareRecordName: nil, shortGUID: link.shortGUID)
      if let marked = try effects.mark(record.name, mark, in: store) { roots.append(marked) }
    }
    return roots
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

  /// Whether the operation is a conflict, because the stored record has another version.
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
  /// Whether records of the zone can be shared: custom zones of private databases (semantics §20).
  var canShare: Bool { database != .public && !isDefault }
}

extension [ExactName: Int] {
  fileprivate subscript(name: String) -> Int? { self[ExactName(name)] }
}
