import StratusWire

/// Applies a request to a share: the participants, the public permission, and the answers to
/// requesters. The result depends only on the properties and the arguments.
struct ShareEdit {
  let owner: String
  /// IDs for new participants. There is one for each participant of the request, up to one more
  /// than ``Limits/participantsPerShareMax``.
  let newIDs: [String]
  /// Random parts of one-time URLs, one for each participant of the request that needs one.
  var newTokens: [String] = []
  /// The time of the request, in milliseconds since 1970 UTC.
  var now: Int64 = 0

  /// Returns the share after the request.
  ///
  /// - Throws: `BAD_REQUEST` if the list of participants or the public permission is not legal, or
  ///   if too many users are blocked. The reason says which.
  func applied(
    _ input: ShareInput?, to old: ShareState, isNew: Bool
  ) throws(ServerError) -> ShareState {
    var state = old
    try answerRequesters(input, in: &state)
    if let permission = input?.publicPermission {
      if permission == .unknown { throw .badRequest("publicPermission is not known") }
      state.publicPermission = permission
    }
    let wasPublic = old.publicPermission != .none
    let isPublic = state.publicPermission != .none
    if let sent = input?.participants {
      // NB: the number is checked first, because each entry is compared with all others. The list
      // may have one more entry, which is the owner's.
      guard sent.count <= Limits.participantsPerShareMax + 1 else {
        throw .badRequest(Reason.tooManyParticipants)
      }
      state.participants = try merged(sent, into: state)
      let known = Set(old.participants.compactMap(\.participantID))
      let hasNew = state.participants.contains { !known.contains($0.participantID ?? "") }
      if hasNew, wasPublic, isPublic { throw .badRequest(Reason.participantsArePublic) }
    }
    if !wasPublic, isPublic {
      // Users who have not accepted can now join by the URL, so their entries are not needed.
      state.participants.removeAll { $0.status != .accepted }
    } else if wasPublic, !isPublic {
      // As Apple documents, a change to NONE removes all participants, except new ones of the
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
    state.approveRequesters(except: Set(old.participants.compactMap(\.participantID)))
    return state
  }

  /// Denies, blocks and unblocks users. Unknown names have no effect, so that a request can be
  /// repeated.
  private func answerRequesters(
    _ input: ShareInput?, in state: inout ShareState
  ) throws(ServerError) {
    guard let input else { return }
    if let allows = input.allowsAccessRequests { state.allowsAccessRequests = allows }
    let unblocked = Set(input.unblockedIdentities)
    state.blocked.removeAll { unblocked.contains($0.identity.userRecordName ?? "") }
    for user in input.blockedRequesters where user != owner && !state.isBlocked(user) {
      let known =
        state.requesters.first { $0.identity.userRecordName == user }?.identity
        ?? state.participants.first { $0.isUser(user) }?.identity
      guard let known else { continue }
      let identity = ParticipantIdentity(
        userRecordName: user, lookup: known.lookup ?? .userRecordName(user))
      state.blocked.append(BlockedIdentity(identity: identity))
    }
    guard state.blocked.count <= Limits.blockedPerShareMax else {
      throw .badRequest(Reason.tooManyBlocked)
    }
    let removed = Set(input.deniedRequesters + input.blockedRequesters)
    state.requesters.removeAll { removed.contains($0.identity.userRecordName ?? "") }
    let blocked = state.blocked
    state.participants.removeAll { participant in
      blocked.contains { participant.isUser($0.identity.userRecordName ?? "") }
    }
  }

  private func merged(
    _ sent: [ShareParticipant], into state: ShareState
  ) throws(ServerError) -> [ShareParticipant] {
    let old = state.participants
    var result: [ShareParticipant] = []
    var (ids, tokens) = (newIDs[...], newTokens[...])
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
      if state.blocked.contains(where: { isBlocked(entry, as: $0.identity) }) {
        // NB: the list may still contain the entry of a user whom the same request blocks. This
        // entry, which has an ID, is left out.
        guard entry.participantID == nil else { continue }
        throw .badRequest(Reason.participantBlocked)
      }
      var new = try invited(entry)
      guard let id = ids.popFirst() else { throw .fault("too few IDs for participants") }
      new.participantID = id
      new.addedAt = now
      if new.isOneTime {
        guard let token = tokens.popFirst() else { throw .fault("too few one-time URLs") }
        new.oneTimeShortGUID = state.shortGUID + token
      }
      result.append(new)
    }
    return result
  }

  private func isOwner(_ entry: ShareParticipant) -> Bool {
    entry.participantID == ShareView.ownerID
      || entry.identity.userRecordName == owner
      || entry.identity.lookup == .userRecordName(owner)
  }

  /// Whether an entry of a request names a blocked user.
  private func isBlocked(_ entry: ShareParticipant, as blocked: ParticipantIdentity) -> Bool {
    if let user = blocked.userRecordName, entry.isUser(user) { return true }
    guard case .emailAddress? = blocked.lookup else { return false }
    return blocked.lookup == entry.identity.lookup?.normalized
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
  ///
  /// An entry without an identity is valid only if it asks for a one-time URL.
  private func invited(_ entry: ShareParticipant) throws(ServerError) -> ShareParticipant {
    let role: ShareParticipant.Role = entry.role == .administrator ? .administrator : .user
    if entry.isOneTime, entry.identity == ParticipantIdentity() {
      var new = ShareParticipant(
        identity: ParticipantIdentity(), role: role, status: .invited, permission: entry.permission)
      new.isOneTime = true
      return new
    }
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
      identity: ParticipantIdentity(lookup: lookup), role: role, status: .invited,
      permission: entry.permission)
  }
}

extension ShareParticipant {
  /// Whether the entry names this user, or invites the user by the user record name.
  func isUser(_ user: String) -> Bool {
    identity.userRecordName == user || identity.lookup == .userRecordName(user)
  }
}

extension ShareState {
  func isBlocked(_ user: String) -> Bool {
    blocked.contains { $0.identity.userRecordName == user }
  }

  /// Removes the requesters who may join now, and marks their new entries as approved.
  ///
  /// - Parameter known: the IDs of the participants that the share had before.
  fileprivate mutating func approveRequesters(except known: Set<String>) {
    guard !requesters.isEmpty else { return }
    var approved: Set<String> = []
    for index in participants.indices where offer(to: participants[index]) != nil {
      let participant = participants[index]
      guard
        let requester = requesters.first(where: { requester in
          participant.isUser(requester.identity.userRecordName ?? "")
            || requester.identity.lookup.map { $0 == participant.identity.lookup } ?? false
        }), let user = requester.identity.userRecordName
      else { continue }
      approved.insert(user)
      if !known.contains(participant.participantID ?? "") {
        participants[index].isApprovedRequester = true
      }
    }
    requesters.removeAll { approved.contains($0.identity.userRecordName ?? "") }
  }
}

extension ParticipantLookup {
  /// The lookup with its address in lower case, because addresses of accounts are in lower case.
  var normalized: ParticipantLookup {
    if case .emailAddress(let address) = self { return .emailAddress(address.lowercased()) }
    return self
  }
}
