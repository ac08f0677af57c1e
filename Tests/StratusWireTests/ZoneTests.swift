import Testing

@testable import StratusWire

@Suite struct ZoneIDs {
  @Test(arguments: [
    (#"{"zoneName":"Work"}"#, nil), (#"{"zoneName":"Work","ownerRecordName":"_a"}"#, "_a"),
    (#"{"zoneName":"Work","ownerName":"_a"}"#, "_a"),
    (#"{"zoneName":"Work","ownerRecordName":null,"ownerName":"_a"}"#, "_a"),
    (#"{"zoneName":"Work","ownerRecordName":"_a","ownerName":"_b"}"#, "_a"),
    (#"{"zoneName":"Work","ownerRecordName":"_defaultOwner"}"#, nil),
    (#"{"zoneName":"Work","ownerRecordName":"__defaultOwner__"}"#, nil),
    (#"{"zoneName":"Work","ownerName":"__defaultOwner__"}"#, nil),
    (#"{"zoneName":"Work","ownerRecordName":null}"#, nil),
    (#"{"zoneName":"Work","zoneType":"REGULAR_CUSTOM_ZONE","reason":1}"#, nil),
  ]) func `the owner of a zone ID may be under two keys, and placeholders mean the caller`(
    _ text: String, _ owner: String?
  ) throws {
    #expect(
      try read(ZoneID.self, text) == ZoneID(zoneName: "Work", ownerRecordName: owner))
  }

  @Test(arguments: [
    (#"{}"#, "missing required field 'zoneName'"),
    (#"{"zoneName":null}"#, "missing required field 'zoneName'"),
    (#"{"zoneName":1}"#, "Invalid value for 'zoneName', expected a string"),
    (
      #"{"zoneName":"W","ownerRecordName":1}"#,
      "Invalid value for 'ownerRecordName', expected a string"
    ),
    (#"{"zoneName":"W","ownerName":[]}"#, "Invalid value for 'ownerName', expected a string"),
    (#""Work""#, "zoneID must be an object"), ("[]", "zoneID must be an object"),
  ]) func `the error for a malformed zone ID names the key`(_ text: String, _ reason: String) {
    #expect(refusal { try read(ZoneID.self, text) } == reason)
  }

  @Test func `a zone ID in an answer contains the owner and the type`() {
    #expect(
      written(ZoneID(zoneName: "Work", ownerRecordName: "_a"))
        == #"{"zoneName":"Work","ownerRecordName":"_a","zoneType":"REGULAR_CUSTOM_ZONE"}"#)
    #expect(
      written(ZoneID(zoneName: "_defaultZone", ownerRecordName: "_defaultOwner"))
        == #"{"zoneName":"_defaultZone","ownerRecordName":"_defaultOwner","#
        + #""zoneType":"DEFAULT_ZONE"}"#)
    #expect(written(ZoneID(zoneName: "Work")) == #"{"zoneName":"Work"}"#)
  }
}

@Suite struct ZoneEndpoints {
  @Test func `the paths of the zone endpoints equal Apple's`() {
    #expect(ListZones.path == "zones/list")
    #expect(LookupZones.path == "zones/lookup")
    #expect(ModifyZones.path == "zones/modify")
    #expect(FetchZones.path == "zones/changes")
  }

  @Test func `a zone lookup accepts zone IDs and objects that contain a zone ID`() throws {
    let text = #"{"zones":[{"zoneName":"A"},{"zoneID":{"zoneName":"B","ownerName":"_b"}}]}"#
    let request = try read(LookupZones.Request.self, text)
    #expect(
      request.zones == [ZoneID(zoneName: "A"), ZoneID(zoneName: "B", ownerRecordName: "_b")])
    #expect(
      written(LookupZones.Request(zones: [ZoneID(zoneName: "A")]))
        == #"{"zones":[{"zoneName":"A"}]}"#)
    #expect(
      refusal { try read(LookupZones.Request.self, "{}") } == "missing required field 'zones'")
    #expect(
      refusal { try read(LookupZones.Request.self, #"{"zones":{}}"#) }
        == "Invalid value for 'zones', expected an array")
  }

  @Test func `a zone request can create and delete zones`() throws {
    let text =
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"A"}}},"#
      + #"{"operationType":"delete","zone":{"zoneID":{"zoneName":"B"}}}]}"#
    let request = try read(ModifyZones.Request.self, text)
    #expect(request.operations.map(\.kind) == [.create, .delete])
    #expect(request.operations.map(\.zoneID.zoneName) == ["A", "B"])
    #expect(written(request) == text)
  }

  @Test(arguments: [
    (#"{}"#, "missing required field 'operations'"),
    (#"{"operations":[{}]}"#, "missing required field 'operationType'"),
    (#"{"operations":[{"operationType":"create"}]}"#, "missing required field 'zone'"),
    (
      #"{"operations":[{"operationType":"create","zone":{}}]}"#,
      "missing required field 'zoneName'"
    ),
    (
      #"{"operations":[{"operationType":"update","zone":{"zoneID":{"zoneName":"A"}}}]}"#,
      "Unknown operationType 'update'; zones know create and delete"
    ),
  ]) func `a malformed zone operation is refused`(_ text: String, _ reason: String) {
    #expect(refusal { try read(ModifyZones.Request.self, text) } == reason)
  }

  @Test func `a zone in an answer has a deleted flag`() throws {
    let zoneID = ZoneID(zoneName: "A", ownerRecordName: "_a")
    let id = #""zoneID":{"zoneName":"A","ownerRecordName":"_a","zoneType":"REGULAR_CUSTOM_ZONE"}"#
    let live = ZoneItem.zone(ZoneDictionary(zoneID: zoneID, syncToken: "dG9rZW4=", isAtomic: true))
    #expect(
      written(ListZones.Response(zones: [live]))
        == #"{"zones":[{\#(id),"syncToken":"dG9rZW4=","atomic":true,"deleted":false}]}"#)
    let gone = ZoneItem.zone(ZoneDictionary(zoneID: zoneID, isDeleted: true))
    #expect(written(gone) == #"{\#(id),"deleted":true}"#)
    #expect(written(ListZones.Response(zones: [])) == #"{"zones":[]}"#)
  }

  @Test func `a zone in an answer may contain its sharing capabilities`() throws {
    let zoneID = ZoneID(zoneName: "A")
    let sharing = ZoneDictionary.Sharing(
      isSharable: true, isEligibleForZoneShare: false, isEligibleForHierarchicalShare: true)
    let zone = ZoneDictionary(
      zoneID: zoneID, isAtomic: true, sharing: sharing, shareRecordName: "cloudkit.zoneshare")
    let text = written(zone)
    #expect(
      text == #"{"zoneID":{"zoneName":"A"},"atomic":true,"isSharable":true,"#
        + #""isEligibleForZoneShare":false,"isEligibleForHierarchicalShare":true,"#
        + #""share":{"recordName":"cloudkit.zoneshare"},"deleted":false}"#)
    let back = try read(ZoneDictionary.self, text)
    #expect(back.sharing == sharing)
    #expect(back.shareRecordName == "cloudkit.zoneshare")
    let silent = try read(ZoneDictionary.self, #"{"zoneID":{"zoneName":"A"}}"#)
    #expect(silent.sharing == ZoneDictionary.Sharing())
    #expect(silent.shareRecordName == nil)
  }

  @Test func `an answer contains an error in place of a zone that fails`() throws {
    let error = ErrorDictionary(code: .zoneNotFound, reason: Reason.zoneNotFound, uuid: "u-1")
    let text = written(ZoneItem.failure(ZoneID(zoneName: "A"), error))
    #expect(
      text == #"{"zoneID":{"zoneName":"A"},"uuid":"u-1","serverErrorCode":"ZONE_NOT_FOUND","#
        + #""reason":"Zone not found"}"#)
    guard case .failure(let zoneID, let back) = try read(ZoneItem.self, text) else {
      Issue.record("read as a zone")
      return
    }
    #expect(zoneID == ZoneID(zoneName: "A"))
    #expect((back.code, back.reason, back.uuid) == (.zoneNotFound, "Zone not found", "u-1"))
  }

  @Test func `a request type without contents accepts any JSON object`() throws {
    #expect(throws: Never.self) { try read(EmptyRequest.self, #"{"a":1}"#) }
    #expect(written(EmptyRequest()) == "{}")
  }
}

/// The keys that Stratus adds to zone dictionaries for encrypted values.
@Suite struct `A zone dictionary` {
  @Test func `a zone dictionary omits the default deletion reason and encryption scope`() throws {
    let usual = ZoneDictionary(zoneID: ZoneID(zoneName: "Z"), isDeleted: true)
    #expect(
      String(decoding: usual.jsonBytes, as: UTF8.self)
        == #"{"zoneID":{"zoneName":"Z"},"deleted":true}"#)
    let unusual = ZoneDictionary(
      zoneID: ZoneID(zoneName: "Z"), isDeleted: true, deletionReason: .encryptedDataReset,
      encryptionScope: .perZone)
    let text = String(decoding: unusual.jsonBytes, as: UTF8.self)
    #expect(text.contains(#""deletionReason":"ENCRYPTED_DATA_RESET","encryptionScope":"PER_ZONE""#))
    let read = try ZoneDictionary(jsonBytes: unusual.jsonBytes)
    #expect(read.deletionReason == .encryptedDataReset)
    #expect(read.encryptionScope == .perZone)
    // An unknown reason of a later server still means that the zone is deleted.
    let later = try ZoneDictionary(
      jsonBytes: Array(
        #"{"zoneID":{"zoneName":"Z"},"deleted":true,"deletionReason":"FORGOTTEN"}"#.utf8))
    #expect(later.deletionReason == .deleted)
  }
}

/// A wrapped key. The lengths of its key ID and its recipient are fixed, and the length of its
/// wrapped bytes is limited.
@Suite struct `A wrapped key on the wire` {
  private func key(id: String, recipient: String, wrapped: String) throws -> WrappedZoneKey {
    try WrappedZoneKey(
      jsonBytes: Array(
        #"{"keyID":"\#(id)","recipient":"\#(recipient)","wrapped":"\#(wrapped)"}"#.utf8))
  }

  private static let recipient = String(repeating: "A", count: 42) + "A="

  @Test func `decoding and encoding do not change a wrapped key`() throws {
    let read = try key(id: "AQIDBAUGBwg=", recipient: Self.recipient, wrapped: "AQ==")
    #expect(read.keyID == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(read.wrapped == [1])
    #expect(try WrappedZoneKey(jsonBytes: read.jsonBytes) == read)
  }

  @Test func `a wrapped key with a part of the wrong length is refused`() {
    #expect(throws: WireError.self) {
      try key(id: "AQ==", recipient: Self.recipient, wrapped: "AQ==")
    }
    #expect(throws: WireError.self) {
      try key(id: "AQIDBAUGBwg=", recipient: "AQ==", wrapped: "AQ==")
    }
    #expect(throws: WireError.self) {
      try key(id: "AQIDBAUGBwg=", recipient: Self.recipient, wrapped: "")
    }
    let long = String(repeating: "A", count: 684)
    #expect(throws: WireError.self) {
      try key(id: "AQIDBAUGBwg=", recipient: Self.recipient, wrapped: long)
    }
  }
}
