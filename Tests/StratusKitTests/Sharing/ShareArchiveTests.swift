import Foundation
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `Archives of shares` {
  private func roundTrip<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }

  private let guests = [
    WireShares.guest("p-1", "bob@example.org", userName: "_bob", status: .accepted),
    WireShares.guest("p-2", "cy@example.org"),
  ]

  private func expectSame(_ read: CKShare, _ share: CKShare) {
    #expect(read.recordID == share.recordID)
    #expect(read.recordChangeTag == share.recordChangeTag)
    #expect(read.publicPermission == share.publicPermission)
    #expect(read.participants.map(\.participantID) == share.participants.map(\.participantID))
    #expect(read.participants.map(\.role) == share.participants.map(\.role))
    #expect(read.participants.map(\.permission) == share.participants.map(\.permission))
    #expect(
      read.participants.map(\.acceptanceStatus) == share.participants.map(\.acceptanceStatus))
    #expect(read.participants.map(\.userIdentity) == share.participants.map(\.userIdentity))
    #expect(read.currentUserParticipant == share.currentUserParticipant)
  }

  @Test func `an archive of a share keeps the share's pending changes`() throws {
    let share = try WireShares.share(
      WireShares.dictionary(
        fields: FieldsJSON([("cloudkit.title", .string("List"))]), guests: guests))
    share.participants[2].permission = .readWrite
    let read = try roundTrip(share)
    expectSame(read, share)
    #expect(read.url == share.url)
    let input = try read.prepareSave(policy: .ifServerRecordUnchanged).operation.share
    #expect(input == (try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share))
    #expect(input?.participants?.map(\.permission) == [.readOnly, .readWrite])
  }

  @Test func `an archive of a new share keeps the root record's name`() throws {
    let read = try roundTrip(CKShare(rootRecord: note("root")))
    let input = try read.prepareSave(policy: .ifServerRecordUnchanged).operation.share
    #expect(input?.rootRecordName == "root")
  }

  @Test
  func `an archive of a share's system fields keeps participants and leaves out the title`() throws
  {
    let share = try WireShares.share(
      WireShares.dictionary(
        fields: FieldsJSON([("cloudkit.title", .string("List"))]), publicPermission: .readOnly,
        guests: guests))
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    share.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    let read = CKShare(coder: unarchiver)
    expectSame(read, share)
    #expect(read.allKeys() == [])
    #expect(read.url?.fragment == nil)
  }

  @Test func `shares in an archived list of records decode as shares`() throws {
    let list = NSArray(array: [try WireShares.share(), note("n")])
    let data = try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, CKRecord.self], from: data)
    #expect((read as? [CKRecord])?.map { $0 is CKShare } == [true, false])
  }

  @Test func `an archive without a record ID gives a share in the default zone`() throws {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.finishEncoding()
    let share = CKShare(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
    #expect(share.recordID.zoneID == .default)
    #expect(share.participants.count == 1)
  }

  @Test func `an archive keeps the metadata of a share`() throws {
    let root = stored("root", fields: FieldsJSON([("title", .string("x"))]))
    let metadata = try CKShare.Metadata(
      wire: WireShares.resolved(ShortGUID(value: "G"), root: root), naming: WireShares.naming)
    let read = try roundTrip(metadata)
    #expect(read.containerIdentifier == "iCloud.org.example.App")
    expectSame(read.share, metadata.share)
    #expect(read.hierarchicalRootRecordID == metadata.hierarchicalRootRecordID)
    #expect(read.rootRecord?["title"] as? String == "x")
    #expect(read.ownerIdentity == metadata.ownerIdentity)
    #expect(read.participantRole == .privateUser)
    #expect(read.participantStatus == .pending)
    #expect(read.participantPermission == .readWrite)
    #expect(read.shortGUID == "G")
  }

  @Test func `archives keep user identities and lookup information`() throws {
    var name = PersonNameComponents()
    name.givenName = "Ann"
    let identity = CKUserIdentity(
      userRecordID: CKRecord.ID(recordName: "_ann"),
      lookupInfo: CKUserIdentity.LookupInfo(phoneNumber: "+49 30 1"), nameComponents: name,
      hasiCloudAccount: true, contactIdentifiers: ["c"])
    let read = try roundTrip(identity)
    #expect(read == identity)
    #expect(read.nameComponents?.givenName == "Ann")
    #expect(read.contactIdentifiers == ["c"])
    let lookups = [
      CKUserIdentity.LookupInfo(emailAddress: "a@example.org"),
      CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(recordName: "_ann")),
    ]
    for lookup in lookups { #expect(try roundTrip(lookup) == lookup) }
  }
}

/// The archive has Apple's layout; see ``AppleArchives``.
@Suite struct `An Apple archive of a share` {
  private func share() throws -> CKShare {
    let data = try #require(Data(base64Encoded: AppleArchives.share))
    return try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
  }

  @Test func `an Apple archive of a share gives its participants, permission and URL`() throws {
    let share = try share()
    #expect(share.recordID.recordName == "Share-A")
    #expect(share.recordChangeTag == "k1x9")
    #expect(share.publicPermission == .readOnly)
    #expect(share[CKShare.SystemFieldKey.title] as? String == "Trip")
    #expect(
      share.url?.absoluteString == "https://www.icloud.com/share/0NEa3AEPXwK71VM4gHFnvh2kw#Trip")
    #expect(share.participants.map(\.role) == [.owner, .privateUser])
    let guest = share.participants[1]
    #expect(guest.participantID == "P-2")
    #expect(guest.permission == .readWrite)
    #expect(guest.acceptanceStatus == .accepted)
    #expect(guest.userIdentity.userRecordID?.recordName == "_guest")
    #expect(guest.userIdentity.lookupInfo?.emailAddress == "guest@example.org")
    #expect(guest.userIdentity.nameComponents?.givenName == "guest")
    #expect(guest.userIdentity.nameComponents?.familyName == nil)
    #expect(share.owner.userIdentity.hasiCloudAccount)
  }

  @Test
  func `a share from an Apple archive has no pending changes, and notices later changes`() throws {
    let share = try share()
    #expect(try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share == nil)
    share.participants[1].permission = .readOnly
    let input = try share.prepareSave(policy: .ifServerRecordUnchanged).operation.share
    #expect(input?.participants?.map(\.participantID) == ["P-2"])
  }
}
