import StratusWire
import Testing

@testable import stratus

/// The commands for shares.
@Suite struct `Shares on the command line` {
  private func share(_ scope: DatabaseScope, root: String?) -> ResolvedShare {
    let owner = ShareParticipant(
      participantID: "1", identity: ParticipantIdentity(userRecordName: "_ann"), role: .owner,
      status: .accepted, permission: .readWrite)
    let zoneID = ZoneID(zoneName: "Notes", ownerRecordName: "_ann")
    let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "1")
    let record = RecordDictionary(
      recordName: root == nil ? "cloudkit.zoneshare" : "Share-1",
      recordType: ShareRecord.recordType, fields: .empty, recordChangeTag: "1", created: stamp,
      modified: stamp, zoneID: zoneID, shortGUID: "abc",
      sharing: ShareDetails(
        publicPermission: .readOnly, participants: [owner], owner: owner,
        currentUserParticipant: nil))
    return ResolvedShare(
      shortGUID: ShortGUID(value: "abc", shouldFetchRootRecord: false), containerID: "iCloud.a",
      environment: "production", scope: scope, zoneID: zoneID, share: record, rootRecordName: root,
      rootRecord: nil, owner: owner.identity, participantRole: .publicUser,
      participantStatus: .accepted, participantPermission: .readOnly)
  }

  @Test(arguments: [nil, "root"] as [String?])
  func `a participant stores the keys of a shared zone or hierarchy`(root: String?) {
    #expect(ShareCommand.Accept.storesKeys(of: share(.shared, root: root)))
    // The owner's devices have the keys already.
    #expect(!ShareCommand.Accept.storesKeys(of: share(.private, root: root)))
  }
}
