import StratusWire

/// The relation of one user to a share, and the change to the share when the user accepts.
struct ShareInvitation {
  let state: ShareState
  let owner: String
  let user: String
  /// The address of the user's account in lower case, or nil if the account has none.
  let address: String?

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
    let entries =
      state.participants.indices.filter { isOwn(state.participants[$0]) }
      + state.participants.indices.filter { isInvitation(state.participants[$0]) }
    // An entry without a permission gives no access, although the owner keeps it in the list.
    if let index = entries.first(where: { state.offer(to: state.participants[$0]) != nil }) {
      return .participant(index)
    }
    return state.publicPermission == .none ? .none : .visitor
  }

  private func isOwn(_ participant: ShareParticipant) -> Bool {
    participant.identity.userRecordName == user
  }

  /// Whether an entry invites the user.
  private func isInvitation(_ participant: ShareParticipant) -> Bool {
    guard participant.identity.userRecordName == nil else { return false }
    switch participant.identity.lookup {
    case .userRecordName(let name): return name == user
    case .emailAddress(let invited): return invited == address
    case .phoneNumber, nil: return false
    }
  }

  /// Whether the share has an open invitation to an address, which may be another address of the
  /// user.
  ///
  /// NB: the result must not depend on accounts. Otherwise the answer would tell which addresses
  /// have an account.
  var mayNeedVerification: Bool {
    state.participants.contains { participant in
      guard participant.status == .invited, participant.identity.userRecordName == nil,
        case .emailAddress = participant.identity.lookup
      else { return false }
      return state.offer(to: participant) != nil
    }
  }

  /// Returns the share after the user has joined.
  ///
  /// - Parameter id: the ID for a new participant.
  /// - Throws: `NOT_FOUND`; `BAD_REQUEST` if the share has too many participants.
  func accepted(id: String) throws(ServerError) -> ShareState {
    var state = state
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
          role: .publicUser, status: .accepted, permission: state.publicPermission))
    }
    return state
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
