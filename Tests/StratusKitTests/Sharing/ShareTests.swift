import Foundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `A share` {
  private func participant(_ email: String) -> CKShare.Participant {
    CKShare.Participant(inviting: CKUserIdentity.LookupInfo(emailAddress: email))
  }

  @Test func `a share of a record is in the record's zone, and the record refers to the share`() {
    let root = note("root")
    let share = CKShare(rootRecord: root)
    #expect(share.recordType == "cloudkit.share")
    #expect(share.recordID.zoneID == zoneZ)
    #expect(share.recordID.recordName.count == 36)
    #expect(root.share == CKRecord.Reference(recordID: share.recordID, action: .none))
    let named = CKShare(rootRecord: note("other"), shareID: id("my-share"))
    #expect(named.recordID == id("my-share"))
  }

  @Test func `a share of a zone has the reserved name`() {
    let share = CKShare(recordZoneID: zoneZ)
    #expect(share.recordID == id("cloudkit.zoneshare"))
    #expect(CKRecordNameZoneWideShare == "cloudkit.zoneshare")
  }

  @Test func `a new share has only its owner, no public permission and no URL`() {
    let share = CKShare(rootRecord: note("root"))
    #expect(share.publicPermission == CKShare.ParticipantPermission.none)
    #expect(share.url == nil)
    #expect(share.participants == [share.owner])
    #expect(share.owner.role == .owner)
    #expect(share.owner.permission == .readWrite)
    #expect(share.owner.acceptanceStatus == .accepted)
    #expect(share.owner.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(share.currentUserParticipant == nil)
  }

  @Test func `a share has the documented keys and raw values`() {
    #expect(CKShare.SystemFieldKey.title == "cloudkit.title")
    #expect(CKShare.SystemFieldKey.shareType == "cloudkit.type")
    #expect(CKShare.SystemFieldKey.thumbnailImageData == "cloudkit.thumbnailImageData")
    typealias Status = CKShare.ParticipantAcceptanceStatus
    #expect([Status.unknown, .pending, .accepted, .removed].map(\.rawValue) == [0, 1, 2, 3])
    typealias Permission = CKShare.ParticipantPermission
    #expect([Permission.unknown, .none, .readOnly, .readWrite].map(\.rawValue) == [0, 1, 2, 3])
    typealias Role = CKShare.ParticipantRole
    let roles: [Role] = [.unknown, .owner, .administrator, .privateUser, .publicUser]
    #expect(roles.map(\.rawValue) == [0, 1, 2, 3, 4])
  }

  @Test func `a new share sends its root, its permission and its participants`() throws {
    let share = CKShare(rootRecord: note("root"), shareID: id("Share-1"))
    share[CKShare.SystemFieldKey.title] = "Groceries"
    let guest = participant("bob@example.org")
    guest.permission = .readWrite
    share.addParticipant(guest)
    let operation = try share.prepareSave(policy: .ifServerRecordUnchanged).operation
    #expect(
      operation.json == """
        {"operationType":"create","record":{"recordName":"Share-1","recordType":"cloudkit.share",\
        "fields":{"cloudkit.title":{"value":"Groceries","type":"STRING"}},\
        "forRecord":{"recordName":"root"},"publicPermission":"NONE","participants":[\
        {"userIdentity":{"lookupInfo":{"emailAddress":"bob@example.org"}},"type":"USER",\
        "acceptanceStatus":"INVITED","permission":"READ_WRITE"}]}}
        """)
  }

  @Test func `the save of a share of a zone contains no root`() throws {
    let share = CKShare(recordZoneID: zoneZ)
    share.publicPermission = .readOnly
    let input = try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share
    #expect(input == ShareInput(publicPermission: .readOnly, participants: []))
  }

  @Test func `a share sends its participants again only when they have changed`() throws {
    let share = try WireShares.share(
      WireShares.dictionary(guests: [
        WireShares.guest("p-1", "bob@example.org"), WireShares.guest("p-2", "cy@example.org"),
      ]))
    func input(_ policy: CKModifyRecordsOperation.RecordSavePolicy) throws -> ShareInput? {
      try share.prepareSave(policy: policy).operation.share
    }
    #expect(try input(.ifServerRecordUnchanged) == nil)
    #expect(try input(.allKeys) == nil)
    share.participants[1].permission = .readWrite
    let changed = try input(.ifServerRecordUnchanged)
    #expect(changed?.publicPermission == nil)
    #expect(changed?.participants?.map(\.permission) == [.readWrite, .readOnly])
    share.participants[1].permission = .readOnly
    #expect(try input(.changedKeys) == nil)
    share.removeParticipant(share.participants[2])
    #expect(try input(.changedKeys)?.participants?.map(\.participantID) == ["p-1"])
  }

  @Test
  func `a share keeps its owner and ignores the removal of a participant that it does not have`()
    throws
  {
    let share = try WireShares.share()
    share.removeParticipant(share.owner)
    share.removeParticipant(participant("nobody@example.org"))
    #expect(share.participants.map(\.participantID) == ["p-owner"])
  }

  @Test func `a share updates the entry of a person who is added again`() throws {
    let share = try WireShares.share(
      WireShares.dictionary(guests: [WireShares.guest("p-1", "bob@example.org")]))
    let again = participant("Bob@Example.org")
    again.permission = .readWrite
    share.addParticipant(again)
    #expect(share.participants.map(\.participantID) == ["p-owner", "p-1"])
    #expect(share.participants[1].permission == .readWrite)
  }

  @Test func `a share invites a user again after the user has left`() throws {
    let share = try WireShares.share(
      WireShares.dictionary(guests: [
        WireShares.guest("p-1", "bob@example.org", status: .unsubscribed)
      ]))
    share.addParticipant(participant("bob@example.org"))
    let input = try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share
    #expect(input?.participants?.map(\.participantID) == ["p-1"])
    #expect(input?.participants?.map(\.status) == [.invited])
  }

  @Test
  func `a public share loses pending participants, and a private share loses all but its owner`()
    throws
  {
    let share = try WireShares.share(
      WireShares.dictionary(guests: [
        WireShares.guest("p-1", "bob@example.org"),
        WireShares.guest("p-2", "cy@example.org", status: .accepted),
      ]))
    share.publicPermission = .readOnly
    #expect(share.participants.map(\.participantID) == ["p-owner", "p-2"])
    share.publicPermission = .readWrite
    #expect(share.participants.map(\.participantID) == ["p-owner", "p-2"])
    #expect(
      try share.prepareSave(policy: .changedKeys).operation.share
        == ShareInput(publicPermission: .readWrite), "the server removes participants itself")
    share.publicPermission = .none
    #expect(share.participants.map(\.participantID) == ["p-owner"])
  }

  /// A forced save would otherwise remove the users who have joined since the fetch.
  @Test(arguments: [
    CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged, .changedKeys, .allKeys,
  ])
  func `a share sends its participants only if they have changed, and then with its change tag`(
    policy: CKModifyRecordsOperation.RecordSavePolicy
  ) throws {
    let share = try WireShares.share(
      WireShares.dictionary(guests: [WireShares.guest("p-1", "bob@example.org")]))
    share[CKShare.SystemFieldKey.title] = "new"
    let plain = try share.prepareSave(policy: policy).operation
    #expect(plain.share == nil)
    #expect(plain.kind == (policy == .ifServerRecordUnchanged ? .update : .forceUpdate))
    share.participants[1].permission = .readWrite
    let changed = try share.prepareSave(policy: policy).operation
    #expect(changed.share?.participants?.count == 1)
    #expect(changed.kind == .update)
    #expect(changed.recordChangeTag == "s1")
  }

  @Test func `a share has the server's URL with the share's title`() throws {
    let fields = FieldsJSON([("cloudkit.title", .string("Shopping & more"))])
    var wire = WireShares.dictionary(fields: fields)
    let share = try WireShares.share(wire)
    let base = "https://cloud.example.org/share/\(WireShares.shortGUID)"
    #expect(share.url?.absoluteString == base + "#Shopping_&_more")
    share[CKShare.SystemFieldKey.title] = nil
    #expect(share.url?.absoluteString == base)
    wire.displayedHostname = "127.0.0.1:8080"
    let local = try RecordFactory.record(
      wire: wire, naming: UserNaming(currentUserRecordName: nil, scheme: "http"))
    #expect(
      (local as? CKShare)?.url?.absoluteString
        == "http://127.0.0.1:8080/share/\(WireShares.shortGUID)#Shopping_&_more")
  }

  @Test(arguments: [
    (
      "https://www.icloud.com/share/0NEa3AEPXwK71VM4gHFnvh2kw#My_Title", "0NEa3AEPXwK71VM4gHFnvh2kw"
    ),
    ("http://127.0.0.1:8080/share/abc-_1", "abc-_1"), ("https://example.org/share/abc/", "abc"),
    ("https://example.org", nil), ("https://example.org/share/a%20b", nil),
  ])
  func `the last part of a share's URL is its short GUID`(text: String, shortGUID: String?) throws {
    #expect(ShareURL.shortGUID(of: try #require(URL(string: text))) == shortGUID)
  }

  @Test func `a saved share takes over the values of the server's answer`() throws {
    let share = CKShare(rootRecord: note("root"), shareID: id("Share-1"))
    let guest = participant("bob@example.org")
    share.addParticipant(guest)
    let save = try share.prepareSave(policy: .ifServerRecordUnchanged)
    let answer = WireShares.dictionary(guests: [
      WireShares.guest("p-1", "bob@example.org", userName: "_bob")
    ])
    share.adoptSaved(answer, of: save, naming: WireShares.naming)
    #expect(share.url != nil)
    #expect(share.recordChangeTag == "s1")
    #expect(share.participants[1] === guest)
    #expect(guest.participantID == "p-1")
    #expect(guest.userIdentity.hasiCloudAccount)
    #expect(guest.userIdentity.userRecordID?.recordName == "_bob")
    #expect(share.currentUserParticipant == share.owner)
    #expect(try share.prepareSave(policy: .changedKeys).operation.share == nil)
  }

  @Test func `a share keeps the changes that the app makes during a save`() throws {
    let share = try WireShares.share(
      WireShares.dictionary(guests: [
        WireShares.guest("p-1", "bob@example.org"), WireShares.guest("p-2", "cy@example.org"),
      ]))
    let bob = share.participants[1]
    bob.permission = .readWrite
    let save = try share.prepareSave(policy: .ifServerRecordUnchanged)
    bob.permission = .none
    share.removeParticipant(share.participants[2])
    share.addParticipant(participant("dee@example.org"))
    share.adoptSaved(
      WireShares.dictionary(
        tag: "s2",
        guests: [
          WireShares.guest("p-1", "bob@example.org", permission: .readWrite),
          WireShares.guest("p-2", "cy@example.org"),
        ]), of: save, naming: WireShares.naming)
    let input = try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share
    #expect(input?.participants?.map(\.participantID) == ["p-1", nil])
    #expect(input?.participants?.first?.permission == SharePermissionName.none)
  }

  @Test func `copies and ancestors of a share have participants of their own`() throws {
    let share = try WireShares.share(
      WireShares.dictionary(guests: [WireShares.guest("p-1", "bob@example.org")]))
    let copy = try #require(share.copy() as? CKShare)
    share.participants[1].permission = .readWrite
    share.publicPermission = .readWrite
    #expect(copy.participants[1].permission == .readOnly)
    let ancestor = try #require(share.ancestor as? CKShare)
    #expect(ancestor.publicPermission == CKShare.ParticipantPermission.none)
    #expect(copy.url == share.url)
  }

  @Test func `a share names the current user by the default user name`() throws {
    let wire = WireShares.resolved(ShortGUID(value: "G")).share
    let share = try WireShares.share(wire)
    #expect(share.recordID.zoneID.ownerName == "_owner")
    #expect(share.owner.userIdentity.userRecordID?.recordName == "_owner")
    let me = try #require(share.currentUserParticipant)
    #expect(me.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(me.userIdentity.lookupInfo?.emailAddress == "me@example.org")
    #expect(me.permission == .readWrite)
    #expect(me.userIdentity.wire.userRecordName == nil)
  }

  @Test func `participants who left or were removed have the status removed`() throws {
    for status in [ShareParticipant.Status.removed, .unsubscribed] {
      let share = try WireShares.share(
        WireShares.dictionary(guests: [WireShares.guest("p", "b@example.org", status: status)]))
      #expect(share.participants[1].acceptanceStatus == .removed)
    }
  }
}
