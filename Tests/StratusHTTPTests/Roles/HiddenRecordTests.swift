import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// Queries of a record type whose records only their creators may read, and an upload without a
/// record type.
@Suite struct `Requests about records that the caller may not read` {
  /// Bea may read her records "a" and "z". Ann's record "m" is between them in the sort order.
  private func withHiddenRecord(
    _ body: (_ ann: Client, _ bea: Client, _ names: [String]) async throws -> Void
  ) async throws {
    try await withServer { server in
      let ann = try await server.visitor("ann@example.org")
      let bea = try await server.visitor("bea@example.org")
      for (client, name, title) in [
        (bea, "a", "a"), (ann, "m", Self.secret), (bea, "z", "z"),
      ] {
        _ = try await client.save(name, fields: ["title": ["value": "\(title)"]])
      }
      try await server.setGrants(["_icloud": .create, "_creator": [.read, .write]])
      try await body(ann, bea, [try await bea.userName(), try await ann.userName()])
    }
  }

  private static let secret = "my hidden title"

  private static func query(createdBy names: [String]) -> JSON {
    let creators = JSON.array(
      names.map { ["recordName": "\($0)"] })
    return [
      "recordType": "Note",
      "filterBy": [
        [
          "systemFieldName": "createdUserRecordName", "comparator": "IN",
          "fieldValue": ["value": creators, "type": "REFERENCE_LIST"],
        ]
      ],
      "sortBy": [["fieldName": "title"]],
    ]
  }

  @Test
  func `the continuation marker of a query contains no values of hidden records`() async throws {
    try await withHiddenRecord { _, bea, names in
      let page = try await bea.post(
        "records/query", ["query": Self.query(createdBy: names), "resultsLimit": 1])
      #expect(page["records"].array?.map { $0["recordName"].string } == ["a"])
      let marker = try #require(page["continuationMarker"].string)
      let bytes = Array(try #require(Data(base64Encoded: marker)))
      let secret = Array(Self.secret.utf8)
      let found = bytes.indices.contains { bytes[$0...].starts(with: secret) }
      #expect(!found)
      let next = try await bea.post(
        "records/query",
        [
          "query": Self.query(createdBy: names), "resultsLimit": 1,
          "continuationMarker": "\(marker)",
        ])
      #expect(next["records"].array?.map { $0["recordName"].string } == ["z"])
    }
  }

  @Test
  func `a query is explained only to callers who may read all records of the type`() async throws {
    try await withHiddenRecord { _, bea, names in
      let body: JSON = ["query": Self.query(createdBy: names), "explain": true]
      let answer = try await bea.post("records/query", body)
      #expect(answer["explanation"].isNull)
    }
    try await withServer { server in
      let bea = try await server.visitor("bea@example.org")
      _ = try await bea.save("a", fields: ["title": ["value": "a"]])
      let body: JSON = ["query": ["recordType": "Note"], "explain": true]
      let answer = try await bea.post("records/query", body)
      #expect(answer["explanation"]["plan"].string != nil)
    }
  }

  @Test
  func `an upload without a record type is allowed if the caller may create records of some type`()
    async throws
  {
    try await withServer { server in
      let bea = try await server.visitor("bea@example.org")
      _ = try await bea.save("a", fields: ["title": ["value": "a"]])
      let body: JSON = ["tokens": [["fieldName": "photo"]]]
      let answer = try await bea.answer("assets/upload", body)
      #expect(answer.code == nil)
    }
  }
}
