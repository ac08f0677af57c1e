import StratusWire
import Testing

/// The keys of the JSON are in docs/reference/compatibility.md.
@Suite struct `Requests for access on the wire` {
  private let bob = ParticipantIdentity(
    userRecordName: "_bob", lookup: .emailAddress("bob@example.org"))

  private func share(_ details: ShareDetails) -> RecordDictionary {
    let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "1")
    return RecordDictionary(
      recordName: "Share-1", recordType: ShareRecord.recordType, fields: .empty,
      recordChangeTag: "1", created: stamp, modified: stamp, zoneID: ZoneID(zoneName: "Z"),
      sharing: details)
  }

  private var details: ShareDetails {
    let owner = ShareParticipant(
      participantID: "owner", identity: ParticipantIdentity(userRecordName: "_ann"), role: .owner,
      status: .accepted, permission: .readWrite)
    return ShareDetails(
      publicPermission: .none, participants: [owner], owner: owner, currentUserParticipant: owner)
  }

  @Test func `a share states whether it refuses requests, and may list the requesters`() throws {
    var details = details
    #expect(text(share(details)).contains(#""denyAccessRequests":true"#))
    #expect(!text(share(details)).contains("requesters"))
    details.allowsAccessRequests = true
    details.requesters = [ShareRequester(identity: bob, requestedAt: 7)]
    details.blocked = [BlockedIdentity(identity: bob)]
    let record = share(details)
    #expect(
      text(record).contains(
        #""requesters":[{"userIdentity":{"userRecordName":"_bob","#
          + #""lookupInfo":{"emailAddress":"bob@example.org"}},"dateRequested":7}]"#))
    #expect(try RecordDictionary(jsonBytes: record.jsonBytes).sharing == details)
  }

  @Test func `the save of a share names the users to deny, to block and to unblock`() throws {
    var operation = RecordOperation(
      .update, recordName: "Share-1", recordType: ShareRecord.recordType)
    operation.share = ShareInput(
      allowsAccessRequests: true, deniedRequesters: ["_a"], blockedRequesters: ["_b", "_c"],
      unblockedIdentities: ["_d"])
    let written = String(decoding: operation.jsonBytes, as: UTF8.self)
    for key in [
      #""denyAccessRequests":false"#, #""denyRequesters":["_a"]"#,
      #""blockRequesters":["_b","_c"]"#, #""unblockIdentities":["_d"]"#,
    ] { #expect(written.contains(key)) }
    let request = try ModifyRecords.Request(
      jsonBytes: ModifyRecords.Request(zoneID: nil, operations: [operation]).jsonBytes)
    #expect(request.operations.first?.share == operation.share)
  }

  @Test func `a stored share keeps its requesters, blocked users and one-time URLs`() throws {
    var guest = ShareParticipant(
      participantID: "p", identity: ParticipantIdentity(), addedAt: 86_400_000)
    guest.isOneTime = true
    guest.isApprovedRequester = true
    guest.oneTimeShortGUID = "abc"
    var state = ShareState(
      rootRecordName: "root", shortGUID: "g", publicPermission: .none, participants: [guest])
    state.allowsAccessRequests = true
    state.requesters = [ShareRequester(identity: bob, requestedAt: 7)]
    state.blocked = [BlockedIdentity(identity: bob)]
    #expect(try ShareState(jsonBytes: state.jsonBytes) == state)
  }

  @Test func `the result of a request for access is a success or an error`() throws {
    let guid = ShortGUID(value: "g", shouldFetchRootRecord: false)
    let response = RequestShareAccess.Response(results: [
      RequestShareAccess.Result(shortGUID: guid),
      RequestShareAccess.Result(
        shortGUID: guid,
        error: ErrorDictionary(code: .notFound, reason: Reason.shareNotFound, uuid: "u")),
    ])
    let read = try RequestShareAccess.Response(jsonBytes: response.jsonBytes)
    #expect(read.results.map(\.shortGUID) == [guid, guid])
    #expect(read.results.map(\.error?.code) == [nil, .notFound])
  }

  @Test(arguments: [
    ("bob@example.org", "b…@e….org"), ("b@mail.example.co.uk", "b…@m….uk"),
    ("bob@localhost", "b…@l…"), ("@example.org", "…@e….org"), ("bob", "b…@…"), ("", "…@…"),
    ("bob@@x", "b…@@…"),
  ])
  func `a masked address shows at most two letters and the last label of the original`(
    address: String, masked: String
  ) throws {
    let match = PotentialMatch(participantID: "p", masking: address)
    #expect(match.maskedAddress == masked)
    #expect(
      String(decoding: match.jsonBytes, as: UTF8.self)
        == #"{"participantId":"p","contactInformation":{"emailAddress":"\#(masked)"}}"#)
    #expect(try PotentialMatch(jsonBytes: match.jsonBytes) == match)
  }

  private func text(_ record: RecordDictionary) -> String {
    String(decoding: record.jsonBytes, as: UTF8.self)
  }
}
