import StratusWire

/// The part of one user in a share, before and after the acceptance.
struct ShareInvitation {
  let state: ShareState
  let owner: String
  let user: String
  /// The address of the user's account in lower case, or nil if the account has none.
  let address: String?

  /// The part of the caller in the share.
  enum Part {
    case owner
    /// The index of the caller's entry among the participants.
    case participant(Int)
    /// The caller is not a participant, but may join with the URL.
    case visitor
    /// The caller may learn nothing about the share.
    case none
  }

  var part: Part {
    if user == owner { return .owner }
    if let index = state.participants.firstIndex(where: { $0.identity.userRecordName == user }) {
      return .participant(index)
    }
    if let index = state.participants.firstIndex(where: isInvitation) {
      return .participant(index)
    }
    return state.publicPermission == .none ? .none : .visitor
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

  /// The invited addresses that have not accepted yet.
  var pendingAddresses: [String] {
    state.participants.compactMap { participant in
      guard participant.status == .invited, participant.identity.userRecordName == nil,
        case .emailAddress(let address) = participant.identity.lookup
      else { return nil }
      return address
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
      // The user may be invited by name and by address.
      let others = state.participants.indices.filter {
        $0 != index && isInvitation(state.participants[$0])
      }
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
