import Foundation
import HTTPTypes
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// In all other tests, ``Client/answer(_:_:)`` also compares each answer with the OpenAPI document.
@Suite struct `The description of the API at openapi json` {
  @Test func `the OpenAPI document describes exactly the endpoints of the server`() async throws {
    try await withServer { server in
      #expect(ShapeCheck.paths.sorted() == server.router.endpointPaths)
      #expect(Set(ShapeCheck.paths).count == ShapeCheck.paths.count)
    }
  }

  @Test
  func `each shape in the OpenAPI document can be read, and names only the document's schemas`() {
    #expect(ShapeCheck.faults == [])
  }

  @Test func `any client can read the OpenAPI document, and each reference in it has a target`()
    async throws
  {
    try await withServer { server in
      var router = server.router
      router.endpointSet = .clients
      let client = Client(router: router)
      let answer = try await client.send(.get, "/openapi.json")
      #expect(answer.status == 200)
      #expect(answer.json["openapi"] == "3.1.0")
      let path = "/database/1/{container}/{environment}/{database}/records/query"
      let post = answer.json["paths"][path]["post"]
      #expect(post["operationId"] == "records-query")
      let schema = post["requestBody"]["content"]["application/json"]["schema"]
      #expect(schema["properties"]["query"]["$ref"] == "#/components/schemas/Query")
      #expect(schema["required"] == ["query"])
      let text = String(decoding: answer.bytes, as: UTF8.self)
      for match in text.matches(of: /"#\/components\/([a-z]+)\/([A-Za-z]+)"/) {
        let target = answer.json["components"][String(match.output.1)][String(match.output.2)]
        #expect(!target.isNull, "\(match.output.0)")
      }
      #expect(try await client.send(.post, "/openapi.json").status == 405)
    }
  }

  /// Writes a request as the framework does, and returns its fault. Returns nil if there is none.
  private func fault<E: Endpoint>(_ endpoint: E.Type, _ request: E.Request) throws -> String? {
    ShapeCheck.faultOfRequest(try JSONView(parsing: request.jsonBytes), to: E.path)
  }

  @Test func `the requests that the framework writes have the shapes of the OpenAPI document`()
    throws
  {
    let zoneID = ZoneID(zoneName: "Work", ownerRecordName: "_anna")
    let query = Query(
      recordType: "Note",
      filters: [
        .field(FieldFilter(.equals, QueryKey(field: "title"), .string("Milk"))),
        .anyOf([[.field(FieldFilter(.equals, QueryKey(system: .creator), .string("x")))]]),
      ],
      sorts: [QuerySort(QueryKey(field: "title"), isAscending: false)])
    var selection = ChangesSelection(
      resultsLimit: 9, fields: FieldSelection(desiredKeys: ["a"], numbersAsStrings: true),
      desiredRecordTypes: ["A"], isReversed: true, showsDeletedRecordTypes: true)
    selection.countsRemaining = true
    #expect(try fault(QueryRecords.self, .init(query: query, zoneID: zoneID)) == nil)
    #expect(
      try fault(
        FetchZoneChanges.self,
        .init(zones: [.init(zoneID: zoneID, syncToken: "t", selection: selection)])) == nil)
    #expect(try fault(LookupZones.self, .init(zones: [zoneID])) == nil)
    #expect(try fault(ListZones.self, EmptyRequest()) == nil)
    #expect(
      try fault(
        ModifySubscriptions.self,
        .init(operations: [
          .save(Subscription(id: "s", .database(recordType: "Note"), notificationInfo: .init()))
        ])) == nil)
    #expect(try fault(ResolveShares.self, .init(shortGUIDs: [ShortGUID(value: "g")])) == nil)
  }

  @Test(arguments: [
    (#"{}"#, ".query is missing"),
    (#"{"query":{"recordType":1}}"#, ".query.recordType is no string"),
    (#"{"query":{"recordType":"Note"},"zone":1}"#, ".zone is not in the shape"),
    (#"{"query":{"recordType":"Note"},"zoneWide":7}"#, ".zoneWide is neither true nor false"),
    (#"{"query":{"recordType":"Note","sortBy":{}}}"#, ".query.sortBy is no array"),
  ])
  func `a fault in the shape of a request is reported with the path of the value`(
    text: String, expected: String
  ) throws {
    let body = try JSONView(parsing: Array(text.utf8))
    #expect(ShapeCheck.faultOfRequest(body, to: "records/query") == expected)
  }
}
