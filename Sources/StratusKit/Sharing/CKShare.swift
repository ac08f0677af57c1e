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
/// Only records of custom zones in the owner's private database can be shared. The records of a
/// hierarchy are those that reach the root by `parent`.
public class CKShare: CKRecord, @unchecked Sendable {
  /// Makes a share of a record and its descendants. Save both in one operation.
  public convenience init(rootRecord: CKRecord) {
    self.init(
      rootRecord: rootRecord, shareID: CKRecordID(zoneID: rootRecord.recordID.zoneID))
  }

  /// Makes a share of a record and its descendants, with an ID in the same zone. Save both in one
  /// operation.
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

  /// Makes the share of a zone. A zone has at most one share, with the name
  /// ``CKRecordNameZoneWideShare``.
  public init(recordZoneID: CKRecordZone.ID) {
    var state = RecordState(
      recordType: CKRecord.SystemType.share,
      recordID: CKRecordID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    state.sharing = ShareContents(rootRecordID: nil)
    super.init(state: state)
  }

  /// NB: for ``RecordFactory`` only. The state must have a ``RecordState/sharing`` part.
  init(sharedState state: RecordState) { super.init(state: state) }

  /// Reads an archived share, from Stratus or from Apple's framework.
  ///
  /// Choice: Apple's initialiser cannot fail. An archive without a type or an ID gives a new, empty
  /// share in the default zone, which cannot be saved.
  public required init(coder aDecoder: NSCoder) {
    var state =
      RecordState(coder: aDecoder)
      ?? RecordState(recordType: CKRecord.SystemType.share, recordID: CKRecordID())
    if state.sharing == nil { state.sharing = ShareContents(rootRecordID: nil) }
    super.init(state: state)
  }

  /// Reads or changes the part that only shares have.
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
  /// A higher permission removes those who have not accepted. ``ParticipantPermission/none`` then
  /// removes all but the owner.
  public var publicPermission: CKShare.ParticipantPermission {
    get { withSharing { $0.publicPermission } }
    set { withSharing { $0.set(publicPermission: newValue) } }
  }

  /// The URL that participants open to join. nil: the share was never saved.
  ///
  /// The fragment is the title. A root that is shared again gets the same URL.
  public var url: URL? {
    withState { state in
      (state.sharing?.url).map { url in
        ShareURL.titled(url, (state.values[SystemFieldKey.title] as? NSString)?.description)
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

  /// The current user's entry. nil: the share was never saved, or the user is no participant.
  public var currentUserParticipant: CKShare.Participant? { withSharing { $0.currentUser } }

  /// Invites a user when the share is saved. If the share has an entry of the same user, that
  /// entry gets the participant's role and permission.
  ///
  /// Only a share whose ``publicPermission`` is ``ParticipantPermission/none`` can be saved with
  /// other participants.
  public func addParticipant(_ participant: CKShare.Participant) {
    withSharing { $0.add(participant) }
  }

  /// Removes a participant when the share is saved.
  ///
  /// Choice: no effect for the owner, and for a user outside the share.
  public func removeParticipant(_ participant: CKShare.Participant) {
    withSharing { $0.remove(participant) }
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.share.standIn }
}
