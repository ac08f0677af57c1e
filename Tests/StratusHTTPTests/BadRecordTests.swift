import StratusTesting
import Testing

/// Records that cannot be saved. Each refused save gives a clear error and changes nothing.
@Suite struct BadRecords {
  private static let long = String(repeating: "x", count: 10_000)

  /// Sends each operation in an atomic batch behind a valid operation. Expects that the server
  /// refuses the operation with this code, and that nothing changes.
  private func refuse(
    _ operations: [(what: String, operation: JSON)], code: String = "BAD_REQUEST"
  ) async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.save(
        "n-1", in: "Work",
        fields: [
          "text": ["value": "a"], "number": ["value": 1], "fraction": ["value": 0.5],
          "time": ["value": 1, "type": "TIMESTAMP"], "bytes": ["value": "AQ==", "type": "BYTES"],
          "place": ["value": ["latitude": 1, "longitude": 1]], "to": ["value": ["recordName": "r"]],
          "texts": ["value": ["a"]],
        ])
      let before = try await Contents(of: anna)
      let good: JSON = ["operationType": "create", "record": ["recordType": "Note"]]
      for (what, operation) in operations {
        let body: JSON = [
          "zoneID": ["zoneName": "Work"], "operations": [good, operation],
        ]
        let answer = try await anna.answer("records/modify", body)
        answer.expectRefusal(what)
        #expect(answer.json["records"][0]["serverErrorCode"] == "ATOMIC_ERROR", "\(what)")
        #expect(answer.json["records"][1]["serverErrorCode"].string == code, "\(what)")
      }
      #expect(try await Contents(of: anna) == before)
    }
  }

  private func create(_ record: JSON) -> JSON { ["operationType": "create", "record": record] }

  @Test func `a record with an illegal name is refused`() async throws {
    let names = [
      "", "_n", Self.long, "a\u{0}", "a\u{1B}[0m", "a\nb", "a\u{7F}b",
      "e" + String(repeating: "\u{301}", count: 999),
    ]
    try await refuse(
      names.map {
        ("name \($0.prefix(20))", create(["recordName": .string($0), "recordType": "Note"]))
      })
  }

  @Test func `a record with an illegal type is refused`() async throws {
    let types: [JSON] = [
      "", "_Note", "2Note", "No te", "No.te", "Nöte", .string(Self.long), nil, "Users",
      "No\u{0}te", "Note\"); drop table records; --",
    ]
    try await refuse(types.map { ("type \($0)", create(["recordName": "n-2", "recordType": $0])) })
  }

  @Test func `a record with an illegal field name is refused`() async throws {
    let names = ["", "_f", "2f", "a.b", "a b", "ä", Self.long, "a\u{0}", "___createTime"]
    try await refuse(
      names.map { name in
        let fields = JSON.object([name: ["value": 1]])
        return ("field \(name.prefix(20))", create(["recordType": "Note", "fields": fields]))
      })
  }

  @Test func `a record with an illegal value is refused`() async throws {
    let rows: [(String, JSON)] = [
      ("text", 5), ("text", true), ("text", ["a"]), ("text", [:]),
      ("number", "NaN"), ("number", "0x10"), ("number", 0.5), ("number", "five"), ("number", [1]),
      ("fraction", "NaN"), ("fraction", "-Infinity"), ("fraction", "1e999"), ("fraction", "0x1p3"),
      ("time", 0.5), ("time", "0.5"), ("time", "yesterday"), ("time", [:]),
      ("bytes", "*rubbish*"), ("bytes", "AQ"), ("bytes", "AQ= ="), ("bytes", 5),
      ("place", ["latitude": 91, "longitude": 0]), ("place", ["latitude": 0, "longitude": 181]),
      ("place", ["latitude": "north", "longitude": 0]), ("place", ["latitude": 1]),
      ("place", [1, 2]),
      ("place", ["latitude": 1, "longitude": 1, "speed": "fast"]),
      ("to", ["recordName": ""]), ("to", ["recordName": 5]), ("to", "r"), ("to", [:]),
      ("to", ["recordName": "r", "action": "EAT"]),
      ("to", ["recordName": "r", "zoneID": 5]), ("to", ["recordName": "r", "zoneID": [:]]),
      ("texts", "a"), ("texts", ["a", 1]), ("texts", ["a", nil]), ("texts", [["a"]]),
    ]
    try await refuse(
      rows.map { name, value in
        let fields = JSON.object([name: ["value": value]])
        return ("\(name): \(value)", create(["recordType": "Note", "fields": fields]))
      })
  }

  @Test func `a value whose type does not match the type of its field is refused`() async throws {
    let rows: [(String, JSON)] = [
      ("text", ["value": "a", "type": "INT64"]), ("text", ["value": "a", "type": "BYTES"]),
      ("text", ["value": "a", "type": "ASSETID"]), ("text", ["value": "a", "type": 5]),
      ("number", ["value": 1, "type": "STRING"]), ("number", ["value": 1, "type": "TIMESTAMP"]),
      ("texts", ["value": ["a"], "type": "STRING"]), ("new", ["value": 1, "type": "FLOAT"]),
      ("new", ["value": ["a": 1]]), ("new", ["value": [[1]]]), ("text", 5), ("text", ["a"]),
    ]
    try await refuse(
      rows.map { name, field in
        ("\(name): \(field)", create(["recordType": "Note", "fields": .object([name: field])]))
      })
  }

  @Test func `a record with an illegal parent is refused`() async throws {
    let parents: [JSON] = [
      "p", 5, ["recordName": ""], ["recordName": 5], ["recordName": .string(Self.long)],
    ]
    for parent in parents {
      try await withAnna { anna in
        let body: JSON = ["operations": [create(["recordType": "Note", "parent": parent])]]
        try await anna.answer("records/modify", body).expectRefusal("parent \(parent)")
      }
    }
  }

  @Test func `a request that names a record twice is refused`() async throws {
    let record: JSON = ["recordName": "n-2", "recordType": "Note"]
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let before = try await Contents(of: anna)
      for kind in ["create", "forceUpdate", "forceDelete"] {
        let operations: JSON = [
          create(record), ["operationType": "\(kind)", "record": record],
        ]
        let answer = try await anna.answer(
          "records/modify", ["zoneID": ["zoneName": "Work"], "operations": operations])
        answer.expectRefusal("a record twice, \(kind)")
      }
      #expect(try await Contents(of: anna) == before)
    }
  }

  @Test func `a record that is too large is refused`() async throws {
    let fields: JSON = ["text": ["value": .string(String(repeating: "x", count: 1_100_000))]]
    try await refuse([("1.1 MB", create(["recordType": "Note", "fields": fields]))])
  }

  @Test func `a request with 401 operations is refused, and one with 400 is not`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let before = try await Contents(of: anna)
      let many = [JSON](repeating: create(["recordType": "Note"]), count: 401)
      let zoneID: JSON = ["zoneName": "Work"]
      let answer = try await anna.answer(
        "records/modify", ["zoneID": zoneID, "operations": .array(many)])
      answer.expectRefusal("401 operations", code: "BAD_REQUEST")
      #expect(answer.status == 400)
      #expect(try await Contents(of: anna) == before)
      let fits = try await anna.modify(.array(Array(many.prefix(400))), in: "Work")
      #expect(fits.array?.allSatisfy { $0["serverErrorCode"].isNull } == true)
      #expect(fits.array?.count == 400)
    }
  }

  @Test func `a clientChangeToken that is too long is refused`() async throws {
    try await withAnna { anna in
      let body: JSON = ["operations": [], "clientChangeToken": .string(Self.long)]
      try await anna.answer("records/modify", body).expectRefusal("10,000 characters")
    }
  }
}
