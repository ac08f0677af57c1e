import Testing

@testable import StratusWire

@Suite struct ZoneChangeFeeds {
  private func items(_ text: String) throws -> [FetchZoneChanges.Item] {
    try read(FetchZoneChanges.Request.self, text).zones
  }

  @Test func `a zone's own options take precedence over the options at top level`() throws {
    let items = try items(
      #"{"resultsLimit":50,"desiredKeys":["t"],"desiredRecordTypes":["A"],"reverse":true,"#
        + #""numbersAsStrings":true,"deletedRecordTypes":true,"#
        + #""zones":[{"zoneID":{"zoneName":"W"}},"#
        + #"{"zoneID":{"zoneName":"X"},"syncToken":"dA==","resultsLimit":7,"desiredKeys":[],"#
        + #""desiredRecordTypes":["B","B"],"reverse":false,"numberAsStrings":false}]}"#)
    #expect(FetchZoneChanges.path == "changes/zone")
    #expect(items.map(\.zoneID.zoneName) == ["W", "X"])
    #expect(items.map(\.syncToken) == [nil, "dA=="])
    #expect(items.map(\.selection.resultsLimit) == [50, 7])
    #expect(items.map(\.selection.fields.desiredKeys) == [["t"], []])
    #expect(items.map(\.selection.desiredRecordTypes) == [["A"], ["B"]])
    #expect(items.map(\.selection.isReversed) == [true, false])
    #expect(items.map(\.selection.fields.numbersAsStrings) == [true, false])
    #expect(items.map(\.selection.showsDeletedRecordTypes) == [true, true])
  }

  @Test func `a zone without any option is read completely and from the beginning`() throws {
    let item = try #require(try items(#"{"zones":[{"zoneID":{"zoneName":"W"}}]}"#).first)
    #expect(item.syncToken == nil)
    #expect(item.selection.resultsLimit == nil)
    #expect(item.selection.fields == .all)
    #expect(item.selection.desiredRecordTypes == nil)
    #expect(!item.selection.isReversed)
    #expect(!item.selection.showsDeletedRecordTypes)
  }

  @Test func `a change token at top level applies to zones without their own token`() throws {
    let items = try items(
      #"{"syncToken":"dA==","zones":[{"zoneID":{"zoneName":"W"}},"#
        + #"{"zoneID":{"zoneName":"X"},"syncToken":"eA=="}]}"#)
    #expect(items.map(\.syncToken) == ["dA==", "eA=="])
  }

  @Test(
    arguments: [
      ("0", nil), ("1", 1), ("\"25\"", 25), ("100000", 100_000), ("2.0", 2), ("null", nil),
      ("9223372036854775807", .max),
    ] as [(String, Int?)]) func `a page size may be a whole number or a string with one`(
      _ text: String, _ limit: Int?
    ) throws
  {
    #expect(
      try read(FetchDatabaseChanges.Request.self, #"{"resultsLimit":\#(text)}"#).resultsLimit
        == limit)
  }

  @Test(arguments: ["-1", "1.5", "\"many\"", "true", "[]"])
  func `a page size that is negative or not a whole number is refused`(_ text: String) {
    #expect(
      refusal { try read(FetchDatabaseChanges.Request.self, #"{"resultsLimit":\#(text)}"#) }
        == "Invalid value for 'resultsLimit', expected a positive whole number")
  }

  @Test(arguments: [
    ("{}", "missing required field 'zones'"),
    (#"{"zones":{}}"#, "Invalid value for 'zones', expected an array"),
    (#"{"zones":[{}]}"#, "missing required field 'zoneID'"),
    (#"{"zones":["W"]}"#, "missing required field 'zoneID'"),
    (#"{"zones":[{"zoneID":{}}]}"#, "missing required field 'zoneName'"),
    (
      #"{"zones":[{"zoneID":{"zoneName":"W"},"syncToken":1}]}"#,
      "Invalid value for 'syncToken', expected a string"
    ),
  ]) func `the error for a malformed request names the key`(_ text: String, _ reason: String) {
    #expect(refusal { try items(text) } == reason)
  }

  @Test func `the server decodes the zone changes request that the client encodes`() throws {
    let selection = ChangesSelection(
      resultsLimit: 9, fields: FieldSelection(desiredKeys: ["a"], numbersAsStrings: true),
      desiredRecordTypes: ["B", "A"], isReversed: true, showsDeletedRecordTypes: true)
    let request = FetchZoneChanges.Request(
      zones: [.init(zoneID: ZoneID(zoneName: "W"), syncToken: "dA==", selection: selection)])
    let text =
      #"{"zones":[{"zoneID":{"zoneName":"W"},"syncToken":"dA==","resultsLimit":9,"#
      + #""desiredKeys":["a"],"numbersAsStrings":true,"desiredRecordTypes":["A","B"],"#
      + #""reverse":true,"deletedRecordTypes":true}]}"#
    #expect(written(request) == text)
    #expect(written(try read(FetchZoneChanges.Request.self, text)) == text)
  }

  @Test func `a page of zone changes always has records, a token and moreComing`() throws {
    let zoneID = ZoneID(zoneName: "Work", ownerRecordName: "_3f")
    let id =
      #""zoneID":{"zoneName":"Work","ownerRecordName":"_3f","zoneType":"REGULAR_CUSTOM_ZONE"}"#
    let page = ZoneChanges(
      zoneID: zoneID,
      records: [.record(note), .deleted(Tombstone(recordName: "d", zoneID: zoneID))],
      syncToken: "dA==", moreComing: true, clientChangeToken: "Yw==")
    let error = ErrorDictionary(code: .badRequest, reason: Reason.syncTokenExpired, uuid: "u")
    let empty = ZoneChanges(zoneID: zoneID, records: [], syncToken: "dA==", moreComing: false)
    let text =
      #"{"zones":[{\#(id),"records":[\#(noteText),{"recordName":"d","deleted":true,\#(id)}],"#
      + #""syncToken":"dA==","moreComing":true,"clientChangeToken":"Yw=="},"#
      + #"{\#(id),"uuid":"u","serverErrorCode":"BAD_REQUEST","reason":"sync token expired"},"#
      + #"{\#(id),"records":[],"syncToken":"dA==","moreComing":false}]}"#
    let response = FetchZoneChanges.Response(
      zones: [.changes(page), .failure(zoneID, error), .changes(empty)])
    #expect(written(response) == text)
    #expect(written(try read(FetchZoneChanges.Response.self, text)) == text)
  }
}

@Suite struct DatabaseChangeFeeds {
  @Test
  func `a database changes request with only a token, as CloudKit JS sends it, is accepted`() throws
  {
    let request = try read(FetchDatabaseChanges.Request.self, #"{"syncToken":"dA=="}"#)
    #expect(FetchDatabaseChanges.path == "changes/database")
    #expect((request.syncToken, request.resultsLimit) == ("dA==", nil))
    #expect(try read(FetchDatabaseChanges.Request.self, "{}").syncToken == nil)
    #expect(
      written(FetchDatabaseChanges.Request(syncToken: "dA==", resultsLimit: 5))
        == #"{"syncToken":"dA==","resultsLimit":5}"#)
  }

  @Test func `a page of database changes always has zones, a token and moreComing`() throws {
    let zone = ZoneDictionary(zoneID: ZoneID(zoneName: "W"), isDeleted: true)
    let response = FetchDatabaseChanges.Response(
      zones: [zone], syncToken: "dA==", moreComing: false)
    let text =
      #"{"zones":[{"zoneID":{"zoneName":"W"},"deleted":true}],"syncToken":"dA==","#
      + #""moreComing":false}"#
    #expect(written(response) == text)
    #expect(written(try read(FetchDatabaseChanges.Response.self, text)) == text)
  }

  @Test func `the deprecated zones-changes endpoint has its own token keys`() throws {
    let request = try read(FetchZones.Request.self, #"{"metaSyncToken":"dA==","resultsLimit":"3"}"#)
    #expect((request.metaSyncToken, request.resultsLimit) == ("dA==", 3))
    let response = FetchZones.Response(zones: [], metaSyncToken: "dA==", moreComing: true)
    #expect(written(response) == #"{"zones":[],"metaSyncToken":"dA==","moreComing":true}"#)
  }

  @Test func `the deprecated zones-changes endpoint ignores a syncToken`() throws {
    #expect(try read(FetchZones.Request.self, #"{"syncToken":"dA=="}"#).metaSyncToken == nil)
    #expect(try read(FetchZones.Request.self, #"{"syncToken":1}"#).metaSyncToken == nil)
  }

  @Test func `the records-changes endpoint needs a zone and has the keys of changes-zone`() throws {
    let request = try read(
      FetchRecordChanges.Request.self,
      #"{"zoneID":{"zoneName":"W"},"syncToken":"dA==","resultsLimit":3,"reverse":true}"#)
    #expect(FetchRecordChanges.path == "records/changes")
    #expect((request.syncToken, request.selection.resultsLimit) == ("dA==", 3))
    #expect(request.selection.isReversed)
    #expect(
      refusal { try read(FetchRecordChanges.Request.self, "{}") }
        == "missing required field 'zoneID'")
    let response = FetchRecordChanges.Response(
      records: [.record(note)], syncToken: "dA==", moreComing: false)
    #expect(
      written(response)
        == #"{"records":[\#(noteText)],"syncToken":"dA==","moreComing":false}"#)
  }

  @Test func `a moreComing of null means false`() throws {
    let text = #"{"zones":[],"syncToken":"dA==","moreComing":null}"#
    #expect(try !read(FetchDatabaseChanges.Response.self, text).moreComing)
  }
}
