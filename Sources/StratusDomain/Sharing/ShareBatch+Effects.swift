import StratusWire

/// The effects of a batch that saves shares.
extension ShareBatch {
  /// The work of the checks, in steps of about 1 µs.
  var steps: Int { (survey?.namesRead ?? 0) * 2 }

  /// Whether the batch saves shares or reserves their URLs, so that work in the background may
  /// follow.
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

  /// Returns the e-mail addresses that the saved shares invite, and did not invite before.
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
  /// - Returns: the new states of roots, and of records that got the URL of a later share. They are
  ///   newer than the states that the batch saved.
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
