import Foundation
import StratusWire

@testable import StratusKit

/// Archives of shares, participants and metadata that the framework has decoded from answers.
struct ShareArchiveMaker {
  private let archive: MakerArchive
  private let naming = UserNaming(currentUserRecordName: "_owner")

  init(_ folder: URL) throws { archive = try MakerArchive(folder, "archives") }

  func make() throws {
    let root = CKRecord(recordType: "List", recordID: GoldenValues.id("list-1"))
    let new = CKShare(rootRecord: root, shareID: GoldenValues.id("share-new"))
    new[CKShare.SystemFieldKey.title] = "New"
    let invited = CKShare.Participant(
      inviting: CKUserIdentity.LookupInfo(emailAddress: "dee@example.org"))
    invited.permission = .readWrite
    new.addParticipant(invited)
    try archive.write(new, as: "share-new")
    try archive.write(CKShare(recordZoneID: GoldenValues.notes), as: "share-zone-new")

    let saved = try share(reader: naming)
    try archive.write(saved, as: "share-saved")
    try archive.writeSystemFields(of: saved, as: "share-saved-system-fields")
    saved.participants[1].permission = .readOnly
    saved.removeParticipant(saved.participants[2])
    try archive.write(saved, as: "share-edited")
    try archive.write(saved.participants[1], as: "share-participant")
    try archive.write(saved.participants[1].userIdentity, as: "user-identity")
    try archive.write(
      CKUserIdentity.LookupInfo(phoneNumber: "+49 30 123"), as: "user-lookup")
    try metadata()
  }

  private func share(reader: UserNaming) throws -> CKShare {
    let record = try RecordFactory.record(wire: wire(), naming: reader)
    guard let share = record as? CKShare else { throw CKError.badAnswer }
    return share
  }

  private func wire() -> RecordDictionary {
    let stamp = Stamp(
      timestamp: 1_793_534_460_000, userRecordName: "_owner", deviceID: "device")
    let owner = ShareParticipant(
      participantID: "participant-1",
      identity: ParticipantIdentity(
        userRecordName: "_owner", lookup: .emailAddress("ann@example.org")),
      role: .owner, status: .accepted, permission: .readWrite)
    let bob = ShareParticipant(
      participantID: "participant-2",
      identity: ParticipantIdentity(
        userRecordName: "_bob", lookup: .emailAddress("bob@example.org")),
      status: .accepted, permission: .readWrite)
    let cy = ShareParticipant(
      participantID: "participant-3",
      identity: ParticipantIdentity(lookup: .emailAddress("cy@example.org")))
    return RecordDictionary(
      recordName: "share-1", recordType: "cloudkit.share",
      fields: FieldsJSON([("cloudkit.title", .string("Our list"))]), recordChangeTag: "tag-1",
      created: stamp, modified: stamp,
      zoneID: ZoneID(zoneName: "Notes", ownerRecordName: "_owner"),
      shortGUID: "0NEa3AEPXwK71VM4gHFnvh2kw", displayedHostname: "cloud.example.org",
      sharing: ShareDetails(
        publicPermission: .none, participants: [owner, bob, cy], owner: owner,
        currentUserParticipant: owner))
  }

  /// Writes the share metadata that Bob would receive.
  private func metadata() throws {
    var wire = wire()
    let bob = wire.sharing?.participants[1]
    wire.sharing?.currentUserParticipant = bob
    let resolved = ResolvedShare(
      shortGUID: ShortGUID(value: "0NEa3AEPXwK71VM4gHFnvh2kw"),
      containerID: "iCloud.org.example.Golden", environment: "development", scope: .shared,
      zoneID: wire.zoneID, share: wire, rootRecordName: "list-1", rootRecord: nil,
      owner: ParticipantIdentity(userRecordName: "_owner"), participantRole: .user,
      participantStatus: .accepted, participantPermission: .readWrite)
    try archive.write(
      CKShare.Metadata(wire: resolved, naming: UserNaming(currentUserRecordName: "_bob")),
      as: "share-metadata")
  }
}
