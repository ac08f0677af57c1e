import StratusWire

/// The relation of one user to a share, and the change to the share when the user accepts.
struct ShareInvitation {
  let state: ShareState
  let owner: String
  let user: String
  /// The addresses of the user's account, as in ``ShareAccounts``.
  let addresses: [String]
  /// The ID by which the user found the share.
  var shortGUID = ""

  /// The relation of the user to the share.
  enum Part {
    case owner
    /// The index of the user's entry among the participants.
    case participant(Int)
    /// The user is not a participant, but may join with the URL.
    case visitor
    /// The user may learn nothing about the share.
    case none
  }

  var part: Part {
    if user == owner { return .owner }
    if state.isBlocked(user) { return .none }
    let entries =
      state.participants.indices.filter { isOwn(state.participants[$0]) }
      + state.participants.indices.filter { isInvitation(state.participants[$0]) }
      + state.participants.indices.filter { isClaimable(state.participants[$0]) }
    // An entry without a permission gives no access, although the owner keeps it in the list.
    if let index = entries.first(where: { state.offer(to: state.participants[$0]) != nil }) {
      return .participant(index)
    }
    return state.publicPermission == .none ? .none : .visitor
  }

  private func isOwn(_ participant: ShareParticipant) -> Bool {
    participant.identity.userRecordName == user
  }

  /// Whether the user may take an entry, because the user has its one-time URL and no user has
  /// taken the entry yet.
  private func isClaimable(_ participant: ShareParticipant) -> Bool {
    guard participant.identity.userRecordName == nil,
      let expected = participant.oneTimeShortGUID
    else { return false }
    return expected.isEqualInConstantTime(to: shortGUID)
  }

  /// Whether an entry invites the user.
  private func isInvitation(_ participant: ShareParticipant) -> Bool {
    guard participant.identity.userRecordName == nil else { return false }
    switch participant.identity.lookup {
    case .userRecordName(let name): return name == user
    case .emailAddress(let invited): return addresses.contains(invited)
    case .phoneNumber, nil: return false
    }
  }

  /// The open invitations to addresses, which may be other addresses of the user.
  ///
  /// NB: the result must not depend on accounts. Otherwise the answer would tell which addresses
  /// have an account. A blocked user gets no matches, as if the share did not exist.
  var potentialMatches: [PotentialMatch] {
    if state.isBlocked(user) { return [] }
    return state.participants.compactMap { participant in
      guard participant.status == .invited, participant.identity.userRecordName == nil,
        case .emailAddress(let address) = participant.identity.lookup,
        state.offer(to: participant) != nil
      else { return nil }
      return PotentialMatch(participantID: participant.participantID ?? "", masking: address)
    }
  }

  /// Returns the state that the share has after the user has joined.
  ///
  /// - Parameters:
  ///   - id: the ID for a new participant.
  ///   - now: the time, in milliseconds since 1970 UTC.
  /// - Throws: `NOT_FOUND` if the user may not join; `BAD_REQUEST` if the share has too many
  ///   participants.
  func accepted(id: String, now: Int64) throws(ServerError) -> ShareState {
    var state = state
    state.requesters.removeAll { $0.identity.userRecordName == user }
    switch part {
    case .owner: return state
    case .none: throw ServerError(.notFound, Reason.shareNotFound)
    case .participant(let index):
      state.participants[index].status = .accepted
      state.participants[index].identity.userRecordName = user
      // The list may contain the user twice: once invited by name, and once by address.
      let others = self.state.participants.enumerated().filter { place, entry in
        place != index && (isOwn(entry) || isInvitation(entry))
      }.map(\.offset)
      for other in others.reversed() { state.participants.remove(at: other) }
    case .visitor:
      guard state.participants.count < Limits.participantsPerShareMax else {
        throw .badRequest(Reason.tooManyParticipants)
      }
      state.participants.append(
        ShareParticipant(
          participantID: id, identity: ParticipantIdentity(userRecordName: user),
          role: .publicUser, status: .accepted, permission: state.publicPermission,
          addedAt: now))
    }
    return state
  }

  /// The outcome of the user's request for access.
  enum RequestOutcome {
    /// The share does not take requests of the user. The answer is the same as for an unknown
    /// share.
    case hidden
    /// The user is the owner, participates already, or has asked before.
    case unchanged
    /// The share with the user among its requesters.
    case requested(ShareState)
  }

  /// Returns the share after the user has asked for access.
  ///
  /// If a share takes no requests, the answer does not say whether the share exists.
  ///
  /// - Throws: `BAD_REQUEST` if the user is invited already, or if too many users have asked.
  func requested(now: Int64) throws(ServerError) -> RequestOutcome {
    switch part {
    case .owner: return .unchanged
    case .participant(let index):
      if state.participants[index].status == .accepted { return .unchanged }
      throw .badRequest(Reason.participantAlreadyInvited)
    case .visitor: throw .badRequest(Reason.participantAlreadyInvited)
    case .none: break
    }
    guard state.allowsAccessRequests, !state.isBlocked(user) else { return .hidden }
    if state.requesters.contains(where: { $0.identity.userRecordName == user }) {
      return .unchanged
    }
    guard state.requesters.count < Limits.accessRequestsPerShareMax else {
      throw .badRequest(Reason.tooManyAccessRequests)
    }
    var state = state
    let identity = ParticipantIdentity(
      userRecordName: user, lookup: addresses.first.map(ParticipantLookup.emailAddress))
    state.requesters.append(ShareRequester(identity: identity, requestedAt: now))
    return .requested(state)
  }
}

extension String {
  /// Compares secrets in a time that does not depend on the number of equal characters.
  fileprivate func isEqualInConstantTime(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return zip(utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension ShareState {
  /// Returns the share after a user has left it.
  ///
  /// Choice: an invited user stays in the list as UNSUBSCRIBED, and may accept again. A user who
  /// joined with the URL is removed from the list.
  func without(_ user: String) -> ShareState {
    var state = self
    state.participants.removeAll {
      $0.identity.userRecordName == user && $0.role == .publicUser
    }
    for index in state.participants.indices
    where state.participants[index].identity.userRecordName == user {
      state.participants[index].status = .unsubscribed
    }
    return state
  }
}
