import StratusWire

/// A share as one reader sees it.
struct ShareView {
  let state: ShareState
  /// The user record name of the owner.
  let owner: String
  /// The user record name of the reader.
  let reader: String?
  /// The ID of the reader's entry in the list of participants. If it is nil, the user record name
  /// identifies the entry.
  var readerID: String?

  /// The ID of the owner's own entry in every share.
  static let ownerID = "owner"

  var ownerEntry: ShareParticipant {
    ShareParticipant(
      participantID: Self.ownerID, identity: ParticipantIdentity(userRecordName: owner),
      role: .owner, status: .accepted, permission: .readWrite)
  }

  private var own: ShareParticipant? {
    if let readerID { return state.participants.first { $0.participantID == readerID } }
    guard let reader else { return nil }
    return state.participants.first { $0.identity.userRecordName == reader }
  }

  /// Whether the reader sees all participants, with the addresses that they were invited by.
  private var seesAll: Bool {
    if reader == owner { return true }
    return own.map { $0.role == .administrator && $0.status == .accepted } ?? false
  }

  /// The part of the answer that only shares have.
  ///
  /// Choice: other participants are shown once they and the reader have accepted, and without the
  /// address that they were invited by. The account of an invited address is never shown, because
  /// the answer would tell which addresses have an account.
  var details: ShareDetails {
    let own = own
    let isMember = own?.status == .accepted
    var shown: [ShareParticipant] = [ownerEntry]
    for participant in state.participants {
      let isOwn = participant.participantID == own?.participantID
      guard seesAll || isOwn || isMember && participant.status == .accepted else { continue }
      var participant = participant
      if !seesAll, !isOwn { participant.identity.lookup = nil }
      if !seesAll { participant.hideOneTimeURL() }
      shown.append(participant)
    }
    var ownEntry = reader == owner ? ownerEntry : own
    if !seesAll { ownEntry?.hideOneTimeURL() }
    var details = ShareDetails(
      publicPermission: state.publicPermission, participants: shown, owner: ownerEntry,
      currentUserParticipant: ownEntry)
    details.allowsAccessRequests = state.allowsAccessRequests
    if seesAll {
      details.requesters = state.requesters
      details.blocked = state.blocked
    }
    return details
  }
}

extension ShareParticipant {
  /// Removes the one-time URL of an entry. Only the owner and administrators see the URL.
  fileprivate mutating func hideOneTimeURL() {
    isOneTime = false
    oneTimeShortGUID = nil
  }
}

extension ShareState {
  /// Returns the access that a participant has now, or nil if there is none. The greater of the
  /// participant's own permission and the public permission applies.
  func access(of participant: ShareParticipant) -> ShareAccess? {
    guard participant.status == .accepted, participant.identity.userRecordName != nil else {
      return nil
    }
    return offer(to: participant)
  }

  /// Returns the access that a participant has after accepting, or nil if there is none.
  func offer(to participant: ShareParticipant) -> ShareAccess? {
    let administers = participant.role == .administrator
    switch (participant.permission, publicPermission) {
    case (.readWrite, _), (_, .readWrite):
      return ShareAccess(permission: .readWrite, administers: administers)
    case (.readOnly, _), (_, .readOnly):
      return ShareAccess(permission: .read, administers: administers)
    case (.none, _), (.unknown, _): return nil
    }
  }

  /// The access of each user who has access.
  var members: [String: ShareAccess] {
    var members: [String: ShareAccess] = [:]
    for participant in participants {
      guard let user = participant.identity.userRecordName, let access = access(of: participant)
      else { continue }
      members[user] = access
    }
    return members
  }
}

/// The rights that a share gives to a participant who has accepted.
struct ShareAccess: Sendable, Hashable {
  var permission: SharePermission
  var administers: Bool
}
