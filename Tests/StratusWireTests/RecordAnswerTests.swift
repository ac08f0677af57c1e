import Testing

@testable import StratusWire

/// A record, and its JSON text with the keys in Apple's order.
let note = RecordDictionary(
  recordName: "n-1", recordType: "Note",
  fields: FieldsJSON([(key: "title", value: FieldValue.string("Milk"))]), recordChangeTag: "1",
  created: Stamp(timestamp: 1_767_000_000_000, userRecordName: "_3f", deviceID: "2"),
  modified: Stamp(timestamp: 1_767_000_000_001, userRecordName: "_4a", deviceID: "iCloud"),
  zoneID: ZoneID(zoneName: "Work", ownerRecordName: "_3f"))

let noteText =
  #"{"recordName":"n-1","recordType":"Note","fields":{"title":{"value":"Milk","type":"STRING"}},"#
  + #""pluginFields":{},"recordChangeTag":"1","#
  + #""created":{"timestamp":1767000000000,"userRecordName":"_3f","deviceID":"2"},"#
  + #""modified":{"timestamp":1767000000001,"userRecordName":"_4a","deviceID":"iCloud"},"#
  + #""deleted":false,"#
  + #""zoneID":{"zoneName":"Work","ownerRecordName":"_3f","zoneType":"REGULAR_CUSTOM_ZONE"}}"#

@Suite struct RecordAnswers {
  @Test func `the keys of an encoded record have Apple's order`() {
    #expect(written(note) == noteText)
  }

  @Test func `a record without fields has an empty fields object`() {
    var record = note
    record.fields = .empty
    #expect(written(record).contains(#""fields":{},"pluginFields":{},"#))
  }

  @Test func `the share and its short GUID come after the parent in an encoded record`() throws {
    var record = note
    record.parentRecordName = "p"
    record.shareRecordName = "Share-1"
    record.shortGUID = "0NEa3AEPXwK71VM4gHFnvh2kw"
    #expect(
      written(record) == noteText.dropLast()
        + #","parent":{"recordName":"p"},"share":{"recordName":"Share-1"},"#
        + #""shortGUID":"0NEa3AEPXwK71VM4gHFnvh2kw"}"#)
    let read = try read(RecordDictionary.self, written(record))
    #expect(read.shareRecordName == "Share-1")
    #expect(read.shortGUID == "0NEa3AEPXwK71VM4gHFnvh2kw")
  }

  @Test func `the reference from a record to its share may contain a zone ID`() throws {
    let text =
      noteText.dropLast() + #","share":{"recordName":"Share-1","zoneID":{"zoneName":"Z"}}}"#
    let read = try read(RecordDictionary.self, String(text))
    #expect(read.shareRecordName == "Share-1")
    #expect(read.shortGUID == nil)
  }

  @Test func `the parent comes after the other keys of an encoded record`() throws {
    var record = note
    record.parentRecordName = "p"
    #expect(written(record) == noteText.dropLast() + #","parent":{"recordName":"p"}}"#)
    #expect(try read(RecordDictionary.self, written(record)).parentRecordName == "p")
  }

  @Test func `an encoded record decodes to the same record`() throws {
    let back = try read(RecordDictionary.self, noteText)
    #expect(written(back) == noteText)
    #expect(back.fields == note.fields)
    #expect((back.created, back.modified) == (note.created, note.modified))
    #expect(back.zoneID == note.zoneID)
  }

  @Test func `the answer to a deletion has only the record name and the deleted flag`() {
    #expect(
      written(RecordItem.deleted(Tombstone(recordName: "n")))
        == #"{"recordName":"n","deleted":true}"#)
  }

  @Test func `a tombstone has no type and no fields`() throws {
    let tombstone = Tombstone(
      recordName: "n", zoneID: ZoneID(zoneName: "Work", ownerRecordName: "_a"))
    let text =
      #"{"recordName":"n","deleted":true,"#
      + #""zoneID":{"zoneName":"Work","ownerRecordName":"_a","zoneType":"REGULAR_CUSTOM_ZONE"}}"#
    #expect(written(RecordItem.deleted(tombstone)) == text)
    guard case .deleted(let back) = try read(RecordItem.self, text) else {
      Issue.record("not read as a tombstone")
      return
    }
    #expect(back == tombstone)
  }

  @Test func `on request, a tombstone has its record type under an additional JSON key`() throws {
    let text = written(RecordItem.deleted(Tombstone(recordName: "n", recordType: "Note")))
    #expect(text == #"{"recordName":"n","deleted":true,"deletedRecordType":"Note"}"#)
    guard case .deleted(let back) = try read(RecordItem.self, text) else {
      Issue.record("not read as a tombstone")
      return
    }
    #expect(back.recordType == "Note")
  }

  @Test func `a refused record has its name, the reason, the code and a uuid`() throws {
    let error = ErrorDictionary(code: .conflict, reason: Reason.conflict, uuid: "u-1")
    #expect(
      written(RecordItem.failure(RecordFailure(recordName: "n-1", error: error)))
        == #"{"recordName":"n-1","reason":"client oplock error updating record","#
        + #""serverErrorCode":"CONFLICT","uuid":"u-1"}"#)
  }

  @Test func `the answer to a conflict contains the server's record`() throws {
    let error = ErrorDictionary(
      code: .conflict, reason: Reason.conflict, uuid: "u-1", retryAfterSeconds: 3)
    let text = written(
      RecordItem.failure(RecordFailure(recordName: "n-1", error: error, serverRecord: note)))
    #expect(text.hasSuffix(#","retryAfter":3,"serverRecord":\#(noteText)}"#))
    guard case .failure(let back) = try read(RecordItem.self, text) else {
      Issue.record("not read as an error")
      return
    }
    #expect((back.error.code, back.error.retryAfterSeconds) == (.conflict, 3))
    #expect(back.serverRecord.map { written($0) } == noteText)
  }

  @Test func `the refusal of a value's key names the root of the right hierarchy`() throws {
    let error = ErrorDictionary(code: .tryAgainLater, reason: Reason.sealedElsewhere, uuid: "u-1")
    let text = written(
      RecordItem.failure(
        RecordFailure(recordName: "n-1", error: error, sealingRootRecordName: "root")))
    #expect(text.hasSuffix(#","uuid":"u-1","sealingRootRecordName":"root"}"#))
    guard case .failure(let back) = try read(RecordItem.self, text) else {
      Issue.record("not read as an error")
      return
    }
    #expect(back.sealingRootRecordName == "root")
  }

  @Test func `an item with an error code of null is a record`() throws {
    guard case .record = try read(RecordItem.self, noteText) else {
      Issue.record("not read as a record")
      return
    }
    let odd = noteText.dropLast() + #","serverErrorCode":null}"#
    guard case .record = try read(RecordItem.self, String(odd)) else {
      Issue.record("a null code is no error")
      return
    }
  }

  @Test
  func `an answer with records contains the key records, even if its array is empty`() throws {
    #expect(written(RecordsResponse(records: [])) == #"{"records":[]}"#)
    #expect(
      written(RecordsResponse(records: [.record(note)], syncToken: "dA=="))
        == #"{"records":[\#(noteText)],"syncToken":"dA=="}"#)
    #expect(refusal { try read(RecordsResponse.self, "{}") } == "missing required field 'records'")
  }

  @Test(arguments: [
    "recordName", "recordType", "recordChangeTag", "created", "modified", "zoneID",
  ]) func `a record without a required key is refused`(_ key: String) {
    let text = noteText.replacing("\"\(key)\":", with: "\"other\":", maxReplacements: 1)
    #expect(refusal { try read(RecordDictionary.self, text) } == "missing required field '\(key)'")
  }
}

@Suite struct Errors {
  @Test func `the error codes are exactly the documented codes`() {
    #expect(
      Set(ErrorCode.allCases.map(\.rawValue)) == [
        "ACCESS_DENIED", "ATOMIC_ERROR", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED",
        "BAD_REQUEST", "CONFLICT", "EXISTS", "INTERNAL_ERROR", "NOT_FOUND", "QUOTA_EXCEEDED",
        "THROTTLED", "TRY_AGAIN_LATER", "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND",
      ])
  }

  @Test func `the error of a whole request has a UUID, a code and a reason`() {
    #expect(
      written(ErrorDictionary(code: .badRequest, reason: "text", uuid: "u"))
        == #"{"uuid":"u","serverErrorCode":"BAD_REQUEST","reason":"text"}"#)
    #expect(
      written(
        ErrorDictionary(
          code: .authenticationRequired, reason: Reason.authenticationRequired, uuid: "u",
          retryAfterSeconds: 30, redirectURL: "https://ck.example.org/auth"))
        == #"{"uuid":"u","serverErrorCode":"AUTHENTICATION_REQUIRED","#
        + #""reason":"request needs authorization","retryAfter":30,"#
        + #""redirectURL":"https://ck.example.org/auth"}"#)
  }

  @Test(
    arguments: [
      ("30", 30), ("0.2", 1), ("\"5\"", 5), ("0", 0), ("null", nil), ("-1", nil), ("1e300", 86_400),
      ("\"soon\"", nil),
    ] as [(String, Int?)]) func `a retryAfter of any form is accepted`(
      _ text: String, _ seconds: Int?
    ) throws
  {
    let error = try read(
      ErrorDictionary.self, #"{"serverErrorCode":"THROTTLED","retryAfter":\#(text)}"#)
    #expect(error.retryAfterSeconds == seconds)
    #expect((error.code, error.reason) == (.throttled, "THROTTLED"))
  }

  @Test func `an unknown error code becomes an internal error`() throws {
    let error = try read(ErrorDictionary.self, #"{"serverErrorCode":"ZONE_BUSY","reason":"r"}"#)
    #expect((error.code, error.reason) == (.internalError, "r"))
  }

  @Test(arguments: [
    (Reason.authenticationRequired, "request needs authorization"),
    (Reason.authenticationFailed, "Authentication failed"),
    (Reason.changesInDefaultZone, "cannot get changes in default zone"),
    (Reason.conflict, "client oplock error updating record"),
    (Reason.endpointInPrivate, "endpoint not applicable in the database type 'privatedb'"),
    (Reason.endpointUnknown, "could not find handler for endpoint"),
    (Reason.recordExists, "record to insert already exists"),
    (Reason.recordNotFound, "Record not found"),
  ]) func `error reasons have Apple's exact words`(_ reason: String, _ text: String) {
    #expect(reason == text)
  }
}

@Suite struct Users {
  @Test func `the answer of users-caller has the user at top level and in a list`() throws {
    let answer = FetchCaller.Response(user: UserIdentity(userRecordName: "_3f"))
    let identity = #""userRecordName":"_3f","lookupInfo":{"userRecordName":"_3f"}"#
    #expect(FetchCaller.path == "users/caller")
    #expect(
      written(answer)
        == #"{\#(identity),"discoverability":"UNDECIDED","users":[{\#(identity)}]}"#)
    #expect(try read(FetchCaller.Response.self, written(answer)).user == answer.user)
  }

  @Test func `the answer of users-current is the user's dictionary`() throws {
    let answer = FetchCurrentUser.Response(
      userRecordName: "_3f", name: PersonName(given: "Ann", family: nil))
    #expect(FetchCurrentUser.path == "users/current")
    #expect(written(answer) == #"{"userRecordName":"_3f","firstName":"Ann"}"#)
    #expect(try read(FetchCurrentUser.Response.self, written(answer)) == answer)
  }

  @Test func `a request of users-discover keeps its lookups, and an answer its identities`()
    throws
  {
    let lookups: [ParticipantLookup] = [
      .emailAddress("a@b.org"), .phoneNumber("+491"), .userRecordName("_3f"),
    ]
    let request = DiscoverUsers.Request(lookups: lookups)
    #expect(
      written(request) == #"{"lookupInfos":[{"emailAddress":"a@b.org"},{"phoneNumber":"+491"},"#
        + #"{"userRecordName":"_3f"}]}"#)
    #expect(try read(DiscoverUsers.Request.self, written(request)).lookups == lookups)
    #expect(try read(DiscoverUsers.Request.self, "{}").lookups == nil)
    let user = UserIdentity(
      userRecordName: "_3f", name: PersonName(given: "Ann", family: "Lee"), lookup: lookups[0])
    let text = written(DiscoverUsers.Response(users: [user]))
    #expect(text.contains(#""nameComponents":{"givenName":"Ann","familyName":"Lee"}"#))
    #expect(try read(DiscoverUsers.Response.self, text).users == [user])
  }
}
