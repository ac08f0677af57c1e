import StratusWire
import Testing

/// The JSON of shares.
@Suite struct SharesOnTheWire {
  private func json(_ text: String) throws -> JSONView {
    try JSONView(parsing: Array(text.utf8))
  }

  @Test
  func `an encoded participant has the JSON keys of Apple's dictionary`() throws {
    let participant = ShareParticipant(
      participantID: "P1",
      identity: ParticipantIdentity(
        userRecordName: "_a", lookup: .emailAddress("bob@example.com")),
      role: .administrator, status: .accepted, permission: .readWrite)
    let text = String(decoding: participant.jsonBytes, as: UTF8.self)
    #expect(
      text == """
        {"participantId":"P1","userIdentity":{"userRecordName":"_a","lookupInfo":\
        {"emailAddress":"bob@example.com"}},"type":"ADMINISTRATOR","acceptanceStatus":"ACCEPTED",\
        "permission":"READ_WRITE"}
        """)
    #expect(try ShareParticipant(jsonBytes: participant.jsonBytes) == participant)
  }

  @Test(
    arguments: [
      ("PRIVATE_USER", "PENDING", ShareParticipant.Role.user, ShareParticipant.Status.invited),
      ("USER", "INVITED", .user, .invited),
      ("PUBLIC_USER", "UNSUBSCRIBED", .publicUser, .unsubscribed),
      ("SOMETHING", "SOMETHING", .unknown, .unknown),
    ])
  func `participant types and statuses in the spelling of CloudKit JS are decoded`(
    _ type: String, _ status: String, _ role: ShareParticipant.Role,
    _ state: ShareParticipant.Status
  ) throws {
    let participant = try ShareParticipant(
      json: json(#"{"type":"\#(type)","acceptanceStatus":"\#(status)"}"#))
    #expect(participant.role == role)
    #expect(participant.status == state)
  }

  @Test
  func `a participant without JSON keys is an invited user with read-only permission`() throws {
    let participant = try ShareParticipant(json: json("{}"))
    #expect(participant.role == .user)
    #expect(participant.status == .invited)
    #expect(participant.permission == .readOnly)
    #expect(participant.identity == ParticipantIdentity())
  }

  @Test
  func `a request that creates a share is decoded as documented`() throws {
    let request = try ModifyRecords.Request(
      json: json(
        #"""
        {"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{
        "recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root",
        "recordChangeTag":"1a"},"publicPermission":"NONE","createShortGUID":true,
        "participants":[{"type":"USER","permission":"READ_WRITE","acceptanceStatus":"INVITED",
        "userIdentity":{"lookupInfo":{"emailAddress":"bob@example.com"}}}]}}]}
        """#))
    let operation = try #require(request.operations.first)
    let share = try #require(operation.share)
    #expect(operation.createsShortGUID)
    #expect(share.rootRecordName == "root")
    #expect(share.rootRecordChangeTag == "1a")
    #expect(share.publicPermission == SharePermissionName.none)
    #expect(share.participants?.count == 1)
    #expect(share.participants?.first?.identity.lookup == .emailAddress("bob@example.com"))
    let again = try ModifyRecords.Request(jsonBytes: request.jsonBytes)
    #expect(again.operations.first?.share == share)
    #expect(again.operations.first?.createsShortGUID == true)
  }

  @Test
  func `an operation without the JSON keys for shares changes no share`() throws {
    let request = try ModifyRecords.Request(
      json: json(
        #"{"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#))
    #expect(request.operations.first?.share == nil)
    #expect(request.operations.first?.createsShortGUID == false)
  }

  @Test
  func `encoding and decoding do not change the answer of a share lookup`() throws {
    let owner = ShareParticipant(
      participantID: "O", identity: ParticipantIdentity(userRecordName: "_ann"), role: .owner,
      status: .accepted, permission: .readWrite)
    let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "1")
    let zoneID = ZoneID(zoneName: "Z", ownerRecordName: "_ann")
    let record = RecordDictionary(
      recordName: "Share-1", recordType: ShareRecord.recordType, fields: .empty,
      recordChangeTag: "1", created: stamp, modified: stamp, zoneID: zoneID,
      shortGUID: "abc", displayedHostname: "cloud.example.com",
      sharing: ShareDetails(
        publicPermission: .readOnly, participants: [owner], owner: owner,
        currentUserParticipant: nil))
    let guid = ShortGUID(
      value: "abc", shouldFetchRootRecord: false, rootRecordDesiredKeys: ["title"])
    let share = ResolvedShare(
      shortGUID: guid, containerID: "iCloud.example", environment: "production", scope: .shared,
      zoneID: zoneID, share: record, rootRecordName: "root", rootRecord: nil,
      owner: owner.identity, participantRole: .publicUser, participantStatus: .invited,
      participantPermission: .readOnly)
    let response = ResolveShares.Response(results: [
      .share(share),
      .failure(
        ShortGUID(value: "no"),
        ErrorDictionary(code: .notFound, reason: Reason.shareNotFound, uuid: "u")),
    ])
    let back = try ResolveShares.Response(jsonBytes: response.jsonBytes)
    #expect(back.jsonBytes == response.jsonBytes)
    guard case .share(let read) = back.results[0],
      case .failure(let missing, let error) = back.results[1]
    else {
      Issue.record("the results have other cases")
      return
    }
    #expect(read.shortGUID == guid)
    #expect(read.scope == .shared)
    #expect(read.share.sharing == record.sharing)
    #expect(read.share.displayedHostname == "cloud.example.com")
    #expect(missing.value == "no")
    #expect(error.code == .notFound)
    let text = String(decoding: response.jsonBytes, as: UTF8.self)
    for key in [
      #""databaseScope":"SHARED""#, #""participantType":"PUBLIC_USER""#,
      #""participantStatus":"INVITED""#, #""participantPermission":"READ_ONLY""#,
      #""containerIdentifier":"iCloud.example""#, #""rootRecordName":"root""#,
    ] { #expect(text.contains(key)) }
  }

  @Test
  func `the root record of a share is fetched unless the caller turns that off`() throws {
    let request = try ResolveShares.Request(json: json(#"{"shortGUIDs":[{"value":"g"}]}"#))
    #expect(request.shortGUIDs == [ShortGUID(value: "g", shouldFetchRootRecord: true)])
  }
}
