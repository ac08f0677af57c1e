import Foundation
import StratusWire

/// The contents that only a share has, in addition to the contents of every record.
///
/// NB: participants are objects that apps can change. A copy of this value for another record
/// therefore needs its own participants; see ``independent``.
struct ShareContents {
  /// The participants, the permission and the answers to requesters as a request sends them.
  struct Sent: @unchecked Sendable {
    let publicPermission: CKShare.ParticipantPermission
    let participants: [(object: CKShare.Participant, values: CKShare.Participant.Values)]
    let access: AccessLists
  }

  /// The root of a share that was never saved; nil for the share of a zone and for a saved share.
  var rootRecordID: CKRecord.ID?
  var publicPermission = CKShare.ParticipantPermission.none
  /// The participants, including the owner.
  var participants: [CKShare.Participant]
  var currentUserID: CKShare.Participant.ID?
  /// The URL without the title.
  var url: URL?
  /// The secret in the URL, which people who have the URL need to decrypt encrypted values; nil if
  /// it is not known, or if there are no encrypted values.
  var secret: String?
  /// The server's version of the permission and of the participants.
  var savedPermission = CKShare.ParticipantPermission.none
  var saved: [CKShare.Participant] = []
  /// The requesters and blocked users, and the changes that the next save sends.
  var access = AccessLists()

  /// Makes the contents of a new share of the current user.
  init(rootRecordID: CKRecord.ID?) {
    self.rootRecordID = rootRecordID
    let owner = CKShare.Participant.Values(
      participantID: Live.newID(), identity: .currentUser, role: .owner, permission: .readWrite,
      status: .accepted)
    participants = [CKShare.Participant(owner)]
  }

  /// Makes the contents of a share from a response.
  init(wire: RecordDictionary, naming: UserNaming) {
    self.init(rootRecordID: nil)
    take(wire, naming: naming)
  }

  /// A copy with its own participant objects.
  var independent: ShareContents {
    var state = self
    state.participants = participants.map { CKShare.Participant($0.values) }
    state.saved = saved.map { CKShare.Participant($0.values) }
    return state
  }

  /// The last known server version of these contents.
  var ancestor: ShareContents {
    var state = independent
    state.publicPermission = savedPermission
    state.participants = saved.map { CKShare.Participant($0.values) }
    state.access = access.saved
    return state
  }

  var owner: CKShare.Participant? { participants.first { $0.role == .owner } }

  var currentUser: CKShare.Participant? {
    currentUserID.flatMap { id in participants.first { $0.participantID.isIdentical(to: id) } }
  }

  /// Sets the permission of all users with the URL.
  ///
  /// The server removes participants when this permission changes. This method removes the same
  /// participants, so that the next save does not send them.
  mutating func set(publicPermission permission: CKShare.ParticipantPermission) {
    let wasPublic = publicPermission.isPublic
    publicPermission = permission
    switch (wasPublic, permission.isPublic) {
    case (false, true): dropAll { $0.role != .owner && $0.status == .pending }
    case (true, false): dropAll { $0.role != .owner }
    case (false, false), (true, true): break
    }
  }

  private mutating func dropAll(_ isDropped: (CKShare.Participant.Values) -> Bool) {
    participants.removeAll { isDropped($0.values) }
    saved.removeAll { isDropped($0.values) }
  }

  /// Adds a participant, or updates the participant who is the same user. A user who has left or
  /// was removed is invited again.
  mutating func add(_ participant: CKShare.Participant) {
    let values = participant.values
    let known = participants.first { $0 === participant || $0.values.isSame(as: values) }
    guard let known else {
      participants.append(participant)
      return
    }
    guard known.role != .owner else { return }
    known.withValues { own in
      own.role = values.role
      own.permission = values.permission
      if own.status == .removed { own.status = .pending }
    }
  }

  /// Removes a participant, unless the participant is the owner.
  mutating func remove(_ participant: CKShare.Participant) {
    let values = participant.values
    participants.removeAll {
      $0.role != .owner && ($0 === participant || $0.values.isSame(as: values))
    }
  }

  /// Whether participants, requesters, blocked users or the permission to ask for access have
  /// changed since the last fetch or save.
  var hasChangedParticipants: Bool {
    if access.hasChanges { return true }
    return hasChangedList
  }

  private var hasChangedList: Bool {
    let own = participants.map(\.values).filter { $0.role != .owner }
    let others = saved.map(\.values).filter { $0.role != .owner }
    guard own.count == others.count else { return true }
    return own.contains { one in
      !others.contains {
        one.isKnown && one.participantID.isIdentical(to: $0.participantID) && one.role == $0.role
          && one.permission == $0.permission && one.status == $0.status
      }
    }
  }

  /// The values to send. Unless the share is new, unchanged values are never sent, whatever the
  /// policy of the save: an old list would remove the users who have joined since the last fetch.
  ///
  /// - Parameter isNew: whether the share was never saved.
  func input(isNew: Bool) -> ShareInput? {
    let input = access.input(
      rootRecordName: isNew ? rootRecordID?.recordName : nil,
      publicPermission:
        isNew || publicPermission != savedPermission ? publicPermission.wire : nil,
      participants:
        isNew || hasChangedList
        ? participants.map(\.values).filter { $0.role != .owner }.map(\.wire) : nil)
    return input == ShareInput() ? nil : input
  }

  /// The values that a request would send now.
  var sent: Sent {
    Sent(
      publicPermission: publicPermission, participants: participants.map { ($0, $0.values) },
      access: access)
  }

  /// Adopts the server's version of the share.
  ///
  /// - Parameter sent: the values that the save sent; nil if the record was fetched. A value that
  ///   the app has changed since the save was sent remains changed.
  mutating func take(_ wire: RecordDictionary, naming: UserNaming, after sent: Sent? = nil) {
    url = wire.shareURL(scheme: naming.scheme).flatMap { URL(string: $0) }
    rootRecordID = nil
    guard let details = wire.sharing else { return }
    savedPermission = CKShare.ParticipantPermission(details.publicPermission)
    if sent == nil || sent?.publicPermission == publicPermission {
      publicPermission = savedPermission
    }
    var fetched = details.participants
    if !fetched.contains(where: { $0.role == .owner }) { fetched.insert(details.owner, at: 0) }
    let values = fetched.map { CKShare.Participant.Values(wire: $0, naming: naming) }
    saved = values.map(CKShare.Participant.init)
    currentUserID = details.currentUserParticipant?.participantID
    access.take(details, naming: naming, after: sent?.access)
    if let sent {
      adopt(values, after: sent)
    } else {
      participants = values.map(CKShare.Participant.init)
    }
  }

  private mutating func adopt(_ fetched: [CKShare.Participant.Values], after sent: Sent) {
    var adopted: [CKShare.Participant] = []
    // NB: a new participant with a one-time URL has no identity by which the response could be
    // searched. Such participants are matched by their order, because the server returns them in
    // the order in which they were sent.
    var newOneTime = sent.participants.filter { $0.values.isOneTime && !$0.values.isKnown }[...]
    for values in fetched {
      var known = sent.participants.first {
        $0.values.role == .owner && values.role == .owner || $0.values.isSame(as: values)
      }
      if known == nil, values.isOneTime { known = newOneTime.popFirst() }
      guard let old = known else {
        adopted.append(CKShare.Participant(values))
        continue
      }
      // The app has removed the participant since the save was sent.
      guard participants.contains(where: { $0 === old.object }) else { continue }
      old.object.withValues { own in
        let (role, permission) = (own.role, own.permission)
        own = values
        if role != old.values.role { own.role = role }
        if permission != old.values.permission { own.permission = permission }
      }
      adopted.append(old.object)
    }
    adopted += participants.filter { added in
      !sent.participants.contains { $0.object === added }
    }
    participants = adopted
  }
}

extension CKShare.ParticipantPermission {
  /// Whether all users with the URL may join.
  var isPublic: Bool { self == .readOnly || self == .readWrite }
}

/// The URLs of shares: `scheme://host/share/<short GUID>#<title>`. A secret may follow the title.
enum ShareURL {
  /// The text in the fragment that marks the start of the secret.
  private static let secretMark = "~key="

  /// Returns the URL with the title and the secret as its fragment, which is never sent to a
  /// server. The title is for people.
  static func titled(_ url: URL, _ title: String?, secret: String? = nil) -> URL {
    let words = (title ?? "").split(whereSeparator: \.isWhitespace).joined(separator: "_")
    let fragment = words + (secret.map { secretMark + $0 } ?? "")
    guard !fragment.isEmpty, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    else { return url }
    parts.fragment = fragment
    return parts.url ?? url
  }

  /// Returns the secret in the URL's fragment; nil if there is none.
  static func secret(of url: URL) -> String? {
    guard let fragment = URLComponents(url: url, resolvingAgainstBaseURL: false)?.fragment,
      let mark = fragment.range(of: secretMark, options: .backwards)
    else { return nil }
    return String(fragment[mark.upperBound...])
  }

  /// Returns the last part of the URL's path; nil if that part cannot identify a share.
  static func shortGUID(of url: URL) -> String? {
    let name = url.lastPathComponent
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return !name.isEmpty && name.utf8.count <= Limits.nameLengthMax && isPlain ? name : nil
  }
}
