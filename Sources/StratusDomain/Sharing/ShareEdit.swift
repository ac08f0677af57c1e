import StratusWire

/// Applies the participants and the public permission of a request to a share. The result depends
/// only on the properties and the arguments.
struct ShareEdit {
  let owner: String
  /// IDs for new participants. There is one for each participant of the request, up to one more
  /// than the maximum.
  let newIDs: [String]

  /// - Throws: `BAD_REQUEST`, which says what is wrong with the list of participants.
  func applied(
    _ input: ShareInput?, to old: ShareState, isNew: Bool
  ) throws(ServerError) -> ShareState {
    var state = old
    if let permission = input?.publicPermission {
      if permission == .unknown { throw .badRequest("publicPermission is not known") }
      state.publicPermission = permission
    }
    let wasPublic = old.publicPermission != .none
    let isPublic = state.publicPermission != .none
    if let sent = input?.participants {
      // NB: each entry is compared with all others. The list may have the owner's entry as well.
      guard sent.count <= Limits.participantsPerShareMax + 1 else {
        throw .badRequest(Reason.tooManyParticipants)
      }
      state.participants = try merged(sent, into: old.participants)
      let known = Set(old.participants.compactMap(\.participantID))
      let hasNew = state.participants.contains { !known.contains($0.participantID ?? "") }
      if hasNew, wasPublic, isPublic { throw .badRequest(Reason.participantsArePublic) }
    }
    if !wasPublic, isPublic {
      // Source: semantics §20: invited users can now join by the URL.
      state.participants.removeAll { $0.status != .accepted }
    } else if wasPublic, !isPublic {
      // Source: semantics §20: a change to NONE removes all participants, except new ones of the
      // request.
      let known = Set(old.participants.compactMap(\.participantID))
      state.participants.removeAll { known.contains($0.participantID ?? "") }
    }
    if isPublic {
      for index in state.participants.indices
      where state.participants[index].role == .publicUser {
        state.participants[index].permission = state.publicPermission
      }
    }
    guard state.participants.count <= Limits.participantsPerShareMax else {
      throw .badRequest(Reason.tooManyParticipants)
    }
    return state
  }

  private func merged(
    _ sent: [ShareParticipant], into old: [ShareParticipant]
  ) throws(ServerError) -> [ShareParticipant] {
    var result: [ShareParticipant] = []
    var ids = newIDs[...]
    for entry in sent {
      if isOwner(entry) { continue }
      if entry.role == .owner { throw .badRequest(Reason.ownerIsFixed) }
      guard entry.permission != .unknown else {
        throw .badRequest("the permission of a participant is not known")
      }
      if var known = old.first(where: { isSame($0, entry) }) {
        known.permission = entry.permission
        if known.role != .publicUser, entry.role == .administrator || entry.role == .user {
          known.role = entry.role
        }
        // A participant that left is invited again if the request has the status INVITED.
        if known.status != .accepted, entry.status == .invited { known.status = .invited }
        if !result.contains(where: { $0.participantID == known.participantID }) {
          result.append(known)
        }
        continue
      }
      if result.contains(where: { isSame($0, entry) }) { continue }
      var new = try invited(entry)
      guard let id = ids.popFirst() else { throw .fault("too few IDs for participants") }
      new.participantID = id
      result.append(new)
    }
    return result
  }

  private func isOwner(_ entry: ShareParticipant) -> Bool {
    entry.participantID == ShareView.ownerID
      || entry.identity.userRecordName == owner
      || entry.identity.lookup == .userRecordName(owner)
  }

  private func isSame(_ known: ShareParticipant, _ entry: ShareParticipant) -> Bool {
    if let id = entry.participantID { if id == known.participantID { return true } }
    if let user = entry.identity.userRecordName, user == known.identity.userRecordName {
      return true
    }
    guard let lookup = entry.identity.lookup?.normalized else { return false }
    if case .userRecordName(let user) = lookup, user == known.identity.userRecordName {
      return true
    }
    return lookup == known.identity.lookup
  }

  /// Returns a new participant, whose account is found when the user accepts.
  private func invited(_ entry: ShareParticipant) throws(ServerError) -> ShareParticipant {
    var lookup = entry.identity.lookup?.normalized
    if lookup == nil, let user = entry.identity.userRecordName { lookup = .userRecordName(user) }
    switch lookup {
    case .emailAddress(let address):
      guard address.utf8.count <= Limits.nameLengthMax, address.contains("@") else {
        throw .badRequest(Reason.participantUnknown)
      }
    case .userRecordName(let user):
      guard !user.isEmpty, user.utf8.count <= Limits.nameLengthMax else {
        throw .badRequest(Reason.participantUnknown)
      }
    case .phoneNumber, nil: throw .badRequest(Reason.participantUnknown)
    }
    return ShareParticipant(
      identity: ParticipantIdentity(lookup: lookup),
      role: entry.role == .administrator ? .administrator : .user, status: .invited,
      permission: entry.permission)
  }
}

extension ParticipantLookup {
  /// The lookup with its address in lower case, because addresses of accounts are in lower case.
  var normalized: ParticipantLookup {
    if case .emailAddress(let address) = self { return .emailAddress(address.lowercased()) }
    return self
  }
}
