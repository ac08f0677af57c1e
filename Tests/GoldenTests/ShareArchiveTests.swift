import Foundation
import StratusWire
import Testing

@testable import StratusKit

/// Archives that the first release with sharing wrote (`Tests/Golden/2026-11-shares`).
@Suite struct `Archives from the first release with sharing` {
  private func data(_ name: String) throws -> Data {
    try Data(
      contentsOf: GoldenFiles.folder.deletingLastPathComponent()
        .appending(path: "2026-11-shares/archives/\(name).archive"))
  }

  private func object<Value: NSObject & NSSecureCoding>(
    _ name: String, of type: Value.Type
  ) throws -> Value {
    try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data(name)))
  }

  private func expectSaved(_ share: CKShare) {
    #expect(share.recordID == GoldenFiles.id("share-1"))
    #expect(share.recordChangeTag == "tag-1")
    #expect(share.creationDate == GoldenFiles.start.addingTimeInterval(60))
    #expect(share.publicPermission == CKShare.ParticipantPermission.none)
    #expect(share.owner.participantID == "participant-1")
    #expect(share.currentUserParticipant == share.owner)
    #expect(share.owner.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(share.owner.userIdentity.lookupInfo?.emailAddress == "ann@example.org")
    #expect(
      share.url?.absoluteString.hasPrefix(
        "https://cloud.example.org/share/0NEa3AEPXwK71VM4gHFnvh2kw") == true)
  }

  @Test func `an archived new share has its root and the invited participant`() throws {
    let share = try object("share-new", of: CKShare.self)
    #expect(share.recordID == GoldenFiles.id("share-new"))
    #expect(share.url == nil)
    #expect(share[CKShare.SystemFieldKey.title] as? String == "New")
    let save = try share.prepareSave(policy: .ifServerRecordUnchanged).operation
    #expect(save.kind == .create)
    #expect(save.share?.rootRecordName == "list-1")
    #expect(save.share?.participants?.map(\.participantID) == [nil])
    #expect(
      save.share?.participants?.map(\.identity.lookup) == [.emailAddress("dee@example.org")])
    #expect(save.share?.participants?.map(\.permission) == [.readWrite])
    let zone = try object("share-zone-new", of: CKShare.self)
    #expect(zone.recordID == GoldenFiles.id("cloudkit.zoneshare"))
    let zoneSave = try zone.prepareSave(policy: .ifServerRecordUnchanged).operation
    #expect(zoneSave.share?.rootRecordName == nil)
  }

  @Test func `an archived saved share has the server's version and no changes`() throws {
    let share = try object("share-saved", of: CKShare.self)
    expectSaved(share)
    #expect(share.participants.map(\.permission) == [.readWrite, .readWrite, .readOnly])
    #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .accepted, .pending])
    #expect(share.participants.map(\.role) == [.owner, .privateUser, .privateUser])
    #expect(share.url?.fragment == "Our_list")
    #expect(try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share == nil)
  }

  @Test
  func `archived system fields of a share contain participants, but no other fields`() throws {
    let coder = try NSKeyedUnarchiver(forReadingFrom: data("share-saved-system-fields"))
    coder.requiresSecureCoding = true
    let share = CKShare(coder: coder)
    expectSaved(share)
    #expect(share.allKeys() == [])
    #expect(share.participants.count == 3)
  }

  @Test func `an archived share has the unsent changes of its participants`() throws {
    let share = try object("share-edited", of: CKShare.self)
    expectSaved(share)
    let input = try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share
    #expect(input?.participants?.map(\.participantID) == ["participant-2"])
    #expect(input?.participants?.map(\.permission) == [.readOnly])
  }

  @Test func `an archived participant and an archived identity have every property`() throws {
    let participant = try object("share-participant", of: CKShare.Participant.self)
    #expect(participant.participantID == "participant-2")
    #expect(participant.role == .privateUser)
    #expect(participant.permission == .readOnly)
    #expect(participant.acceptanceStatus == .accepted)
    let identity = try object("user-identity", of: CKUserIdentity.self)
    #expect(identity == participant.userIdentity)
    #expect(identity.userRecordID?.recordName == "_bob")
    #expect(identity.hasiCloudAccount)
    let lookup = try object("user-lookup", of: CKUserIdentity.LookupInfo.self)
    #expect(lookup.phoneNumber == "+49 30 123")
  }

  @Test func `archived share metadata refers to the share`() throws {
    let metadata = try object("share-metadata", of: CKShare.Metadata.self)
    #expect(metadata.containerIdentifier == "iCloud.org.example.Golden")
    #expect(
      metadata.hierarchicalRootRecordID
        == GoldenFiles.id("list-1", in: CKRecordZone.ID(zoneName: "Notes", ownerName: "_owner")))
    #expect(metadata.ownerIdentity.userRecordID?.recordName == "_owner")
    #expect(metadata.participantRole == .privateUser)
    #expect(metadata.participantStatus == .accepted)
    #expect(metadata.participantPermission == .readWrite)
    #expect(metadata.shortGUID == "0NEa3AEPXwK71VM4gHFnvh2kw")
    let me = metadata.share.currentUserParticipant
    #expect(me?.participantID == "participant-2")
    #expect(me?.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
  }
}
