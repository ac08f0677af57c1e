public import Foundation
import StratusArchive
import StratusWire

/// A share: the record that gives other users access to a record with its descendants, or to a
/// whole zone.
///
/// ```swift
/// let share = CKShare(rootRecord: list)
/// share[CKShare.SystemFieldKey.title] = "Groceries"
/// share.publicPermission = .readWrite
/// try await database.modifyRecords(saving: [list, share], deleting: [])
/// send(share.url)
/// ```
///
/// Only records of custom zones in the owner's private database can be shared. A hierarchy consists
/// of a root record and its descendants, which refer to it through `parent` references.
public class CKShare: CKRecord, @unchecked Sendable {
  /// Makes a share of a record and its descendants. Save the root record and the share in one
  /// operation.
  public convenience init(rootRecord: CKRecord) {
    self.init(
      rootRecord: rootRecord, shareID: CKRecordID(zoneID: rootRecord.recordID.zoneID))
  }

  /// Makes a share of a record and its descendants. The ID of the share must be in the record's
  /// zone. Save the root record and the share in one operation.
  ///
  /// An ID in another zone is a programmer error.
  public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
    let rootRecordID = rootRecord.recordID
    precondition(
      shareID.zoneID.isEqual(rootRecordID.zoneID), "a share must be in the zone of its root")
    var state = RecordState(recordType: CKRecord.SystemType.share, recordID: shareID)
    state.sharing = ShareContents(rootRecordID: rootRecordID)
    super.init(state: state)
    rootRecord.withState { $0.system.share = CKReference(recordID: shareID, action: .none) }
  }

  /// Apple's older spelling of `init(rootRecord:shareID:)`.
  public convenience init(rootRecord: CKRecord, share shareID: CKRecord.ID) {
    self.init(rootRecord: rootRecord, shareID: shareID)
  }

  /// Makes the share of a whole zone. A zone has at most one such share, with the record name
  /// ``CKRecordNameZoneWideShare``.
  public init(recordZoneID: CKRecordZone.ID) {
    var state = RecordState(
      recordType: CKRecord.SystemType.share,
      recordID: CKRecordID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    state.sharing = ShareContents(rootRecordID: nil)
    super.init(state: state)
  }

  /// NB: only ``RecordFactory`` calls this initialiser. The ``RecordState/sharing`` of the state
  /// must not be nil.
  init(sharedState state: RecordState) { super.init(state: state) }

  /// Reads an archived share, from Stratus or from Apple's framework.
  ///
  /// Choice: Apple's initialiser cannot fail. An archive without a type or an ID therefore gives a
  /// new, empty share in the default zone. Such a share cannot be saved.
  public required init(coder aDecoder: NSCoder) {
    var state =
      RecordState(coder: aDecoder)
      ?? RecordState(recordType: CKRecord.SystemType.share, recordID: CKRecordID())
    if state.sharing == nil { state.sharing = ShareContents(rootRecordID: nil) }
    super.init(state: state)
  }

  /// Reads or changes the contents that only a share has.
  private func withSharing<Result>(_ body: (inout ShareContents) -> Result) -> Result {
    withState { state in
      var sharing = state.sharing ?? ShareContents(rootRecordID: nil)
      defer { state.sharing = sharing }
      return body(&sharing)
    }
  }

  /// The permission of all users with the URL; ``ParticipantPermission/none`` by default, so
  /// that only invited users may join.
  ///
  /// A change from ``ParticipantPermission/none`` to a higher permission removes the participants
  /// with a pending invitation. A change back to ``ParticipantPermission/none`` removes all
  /// participants except the owner.
  public var publicPermission: CKShare.ParticipantPermission {
    get { withSharing { $0.publicPermission } }
    set { withSharing { $0.set(publicPermission: newValue) } }
  }

  /// The URL that participants open to join the share; nil if the share was never saved.
  ///
  /// The fragment of the URL begins with the share's title. If the same root is shared again, the
  /// new share has the same URL.
  ///
  /// If the shared zone or hierarchy has encrypted values, and this device has the keys of these
  /// values, the fragment also contains a secret. Participants need this secret to decrypt the
  /// encrypted values. The secret changes when the zone or hierarchy gets a new key after a
  /// participant was removed.
  public var url: URL? {
    withState { state in
      (state.sharing?.url).map { url in
        ShareURL.titled(
          url, (state.values[SystemFieldKey.title] as? NSString)?.description,
          secret: state.sharing?.secret)
      }
    }
  }

  /// The participants that the current user may see. The owner is one of them.
  public var participants: [CKShare.Participant] { withSharing { $0.participants } }

  /// The owner of the share.
  public var owner: CKShare.Participant {
    withSharing { sharing in
      sharing.owner ?? Participant(.init(participantID: "", identity: .currentUser, role: .owner))
    }
  }

  /// The current user as a participant; nil if the share was never saved, or if the user is not a
  /// participant.
  public var currentUserParticipant: CKShare.Participant? { withSharing { $0.currentUser } }

  // Requests for access

  /// Whether users who are not invited may ask for access; false by default.
  ///
  /// Only the owner and administrators may set this property. For other users, this is a programmer
  /// error.
  public var allowsAccessRequests: Bool {
    get { withSharing { $0.access.allowsRequests } }
    set {
      requireAdministrator()
      withSharing { $0.access.allowsRequests = newValue }
    }
  }

  /// The users who have asked for access. Only the owner and administrators see them.
  ///
  /// To approve a requester, fetch a participant with the requester's
  /// ``AccessRequester/participantLookupInfo``, add the participant, and save the share.
  public var requesters: [CKShare.AccessRequester] { withSharing { $0.access.requesters } }

  /// The blocked users. Only the owner and administrators see them.
  public var blockedIdentities: [CKShare.BlockedIdentity] { withSharing { $0.access.blocked } }

  /// Removes users from ``requesters``. They may ask again. The change takes effect when the share
  /// is saved afterwards.
  ///
  /// Only the owner and administrators may call this method. For other users, this is a programmer
  /// error.
  public func denyRequesters(_ requesters: [CKShare.AccessRequester]) {
    requireAdministrator()
    withSharing { $0.access.deny(requesters) }
  }

  /// Removes users from ``requesters`` and from the participants, and blocks them. The server
  /// treats a blocked user as if the share did not exist. The change takes effect when the share is
  /// saved afterwards.
  ///
  /// Only the owner and administrators may call this method. For other users, this is a programmer
  /// error.
  public func blockRequesters(_ requesters: [CKShare.AccessRequester]) {
    requireAdministrator()
    withSharing { $0.block(requesters) }
  }

  /// Removes users from ``blockedIdentities``. The change takes effect when the share is saved
  /// afterwards.
  ///
  /// Only the owner and administrators may call this method. For other users, this is a programmer
  /// error.
  public func unblockIdentities(_ blockedIdentities: [CKShare.BlockedIdentity]) {
    requireAdministrator()
    withSharing { $0.access.unblock(blockedIdentities) }
  }

  /// Stops the program if the user is neither the owner nor an administrator. A share that was
  /// never saved has no current participant, and belongs to the current user.
  ///
  /// Apple's framework raises an exception instead.
  private func requireAdministrator() {
    let role = currentUserParticipant?.role ?? (withSharing { $0.url } == nil ? .owner : .unknown)
    precondition(
      role == .owner || role == .administrator,
      "only the owner and administrators of a share answer requests for access")
  }

  /// The one-time URL of a participant; nil if the participant has none, if the share was not saved
  /// since the participant was added, or if the user is neither the owner nor an administrator.
  ///
  /// The ID in the URL stays the same while the participant is in the share. The fragment changes
  /// with the title and the secret, like the fragment of ``url``. After a user has accepted the
  /// share with the one-time URL, the one-time URL works like ``url``.
  public func oneTimeURL(for participantID: CKShare.Participant.ID) -> URL? {
    withState { state in
      guard let sharing = state.sharing, let base = sharing.url,
        let shortGUID = sharing.participants.first(where: {
          $0.participantID.isIdentical(to: participantID)
        })?.values.oneTimeShortGUID
      else { return nil }
      return ShareURL.titled(
        base.deletingLastPathComponent().appendingPathComponent(shortGUID),
        (state.values[SystemFieldKey.title] as? NSString)?.description, secret: sharing.secret)
    }
  }

  /// Adds a participant. The user is invited when the share is saved. If the share already has a
  /// participant for the same user, that participant gets the new role and permission.
  ///
  /// Add participants only while ``publicPermission`` is ``ParticipantPermission/none``. If the
  /// share on the server has another permission, the save fails with `CKError.invalidArguments`. If
  /// the save itself sets another permission, the server leaves the added participants out.
  public func addParticipant(_ participant: CKShare.Participant) {
    withSharing { $0.add(participant) }
  }

  /// Removes a participant. The server removes the participant when the share is saved.
  ///
  /// Choice: the call has no effect if the participant is the owner or is not in the share.
  public func removeParticipant(_ participant: CKShare.Participant) {
    withSharing { $0.remove(participant) }
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.share.standIn }
}
