import Testing

/// The endpoint `records/modify`.
@Suite struct ModifyRecordsEndpoint {
  static let fields: JSON = [
    "title": ["value": "Milk", "type": "STRING"],
    "tags": ["value": ["a", "b"], "type": "STRING_LIST"],
    "none": ["value": [], "type": "STRING_LIST"],
    "due": ["value": 1_767_225_600_000, "type": "TIMESTAMP"],
    "count": ["value": 3, "type": "INT64"],
    "price": ["value": 2.5, "type": "DOUBLE"],
    "data": ["value": "AQI=", "type": "BYTES"],
    "place": ["value": ["latitude": 60.25, "longitude": 24.5], "type": "LOCATION"],
  ]

  @Test func `the answer to a save contains the whole record`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let user = try #require(try await anna.post("users/caller")["userRecordName"].string)
      let record = try await anna.save("n-1", in: "Work", fields: Self.fields, "create")
      #expect(record["fields"] == Self.fields)
      #expect(record["recordName"] == "n-1")
      #expect(record["recordType"] == "Note")
      #expect(record["pluginFields"] == [:])
      #expect(record["deleted"] == false)
      #expect(record["recordChangeTag"].string?.isEmpty == false)
      #expect(
        record["zoneID"] == [
          "zoneName": "Work", "ownerRecordName": "\(user)", "zoneType": "REGULAR_CUSTOM_ZONE",
        ])
      for stamp in [record["created"], record["modified"]] {
        #expect(stamp["userRecordName"].string == user)
        #expect(stamp["deviceID"].string?.isEmpty == false)
        guard case .int(let time) = stamp["timestamp"] else {
          Issue.record("the time is not a whole number of milliseconds: \(stamp)")
          continue
        }
        #expect(time > 1_577_836_800_000)
      }
      #expect(record["serverErrorCode"].isNull && !record.keys.contains("serverErrorCode"))
    }
  }

  @Test func `a reference is returned with its zone and action`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let record = try await anna.save(
        "n-1", in: "Work", fields: ["to": ["value": ["recordName": "n-2"]]])
      let value = record["fields"]["to"]["value"]
      #expect(record["fields"]["to"]["type"] == "REFERENCE")
      #expect(value["action"] == "NONE")
      #expect(value["zoneID"]["zoneName"] == "Work")
    }
  }

  @Test func `the answer to an update contains all stored fields`() async throws {
    try await withAnna { anna in
      let first = try await anna.save("n-1", fields: Self.fields)
      let tag = try #require(first["recordChangeTag"].string)
      let second = try await anna.save(
        "n-1", fields: ["title": ["value": "Tea"]], "update", tag: tag)
      #expect(
        second["fields"] == Self.fields.with("title", ["value": "Tea", "type": "STRING"]))
      #expect(second["recordChangeTag"] != first["recordChangeTag"])
      #expect(second["created"] == first["created"])
    }
  }

  @Test func `a record without a name gets an upper-case UUID as its name`() async throws {
    try await withAnna { anna in
      let operation: JSON = ["operationType": "create", "record": ["recordType": "Note"]]
      let records = try await anna.modify([operation, operation])
      let names = Set(try #require(records.array).compactMap { $0["recordName"].string })
      #expect(names.count == 2)
      for name in names { #expect(name.wholeMatch(of: /[0-9A-F-]{36}/) != nil) }
    }
  }

  @Test func `the answer to a deletion contains only the name and the deleted flag`() async throws {
    try await withAnna { anna in
      let record = try await anna.save("n-1")
      let operation: JSON = [
        "operationType": "delete",
        "record": ["recordName": "n-1", "recordChangeTag": record["recordChangeTag"]],
      ]
      #expect(try await anna.modify([operation]) == [["recordName": "n-1", "deleted": true]])
      let again: JSON = ["operationType": "forceDelete", "record": ["recordName": "n-1"]]
      #expect(try await anna.modify([again]) == [["recordName": "n-1", "deleted": true]])
    }
  }

  @Test
  func `the results and errors of a batch come in the order of its operations`() async throws {
    try await withAnna { anna in
      let stored = try await anna.save("n-1", fields: ["a": ["value": 1]])
      let operations: JSON = [
        ["operationType": "create", "record": ["recordName": "n-0", "recordType": "Note"]],
        [
          "operationType": "update",
          "record": ["recordName": "n-1", "recordChangeTag": "stale"],
        ],
        ["operationType": "forceDelete", "record": ["recordName": "n-2"]],
      ]
      let records = try await anna.modify(operations)
      #expect(records[0]["recordName"] == "n-0")
      #expect(records[1]["recordName"] == "n-1")
      #expect(records[1]["serverErrorCode"] == "CONFLICT")
      #expect(records[1]["reason"] == "client oplock error updating record")
      #expect(records[1]["serverRecord"] == stored)
      #expect(records[1]["uuid"].string?.isEmpty == false)
      #expect(records[2] == ["recordName": "n-2", "deleted": true])
    }
  }

  @Test func `an atomic batch becomes visible as a whole or not at all`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work")
      let before = try await Contents(of: anna)
      let operations: JSON = [
        ["operationType": "create", "record": ["recordName": "n-2", "recordType": "Note"]],
        ["operationType": "create", "record": ["recordName": "n-1", "recordType": "Note"]],
      ]
      let records = try await anna.modify(operations, in: "Work")
      #expect(records[0]["serverErrorCode"] == "ATOMIC_ERROR")
      #expect(records[1]["serverErrorCode"] == "CONFLICT")
      #expect(try await Contents(of: anna) == before)

      let apart = try await anna.modify(operations, in: "Work", atomic: false)
      #expect(apart[0]["recordName"] == "n-2" && apart[0]["serverErrorCode"].isNull)
      #expect(apart[1]["serverErrorCode"] == "CONFLICT")
    }
  }

  @Test func `a batch in the default zone is never atomic`() async throws {
    try await withAnna { anna in
      let operations: JSON = [
        ["operationType": "create", "record": ["recordName": "n-1", "recordType": "Note"]],
        ["operationType": "update", "record": ["recordName": "x", "recordChangeTag": "1"]],
      ]
      let records = try await anna.modify(operations, atomic: true)
      #expect(records[0]["serverErrorCode"].isNull)
      #expect(records[1]["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `a write without a signed-in user is refused`() async throws {
    try await withServer { server in
      let operation: JSON = ["operationType": "create", "record": ["recordType": "Note"]]
      let answer = try await server.otherUser.answer("records/modify", ["operations": [operation]])
      answer.expectRefusal("a stranger's save", code: "AUTHENTICATION_REQUIRED")
      #expect(answer.status == 421)
      #expect(answer.reason == "request needs authorization")
    }
  }

  @Test func `a write to an unknown zone gives ZONE_NOT_FOUND`() async throws {
    try await withAnna { anna in
      let operation: JSON = ["operationType": "create", "record": ["recordType": "Note"]]
      let answer = try await anna.answer(
        "records/modify", ["operations": [operation], "zoneID": ["zoneName": "Nowhere"]])
      answer.expectRefusal("a save to an unknown zone", code: "ZONE_NOT_FOUND")
    }
  }

  @Test func `a write to several zones fails only in the unknown zone`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      func operation(_ name: String, in zone: String) -> JSON {
        [
          "operationType": "create",
          "record": [
            "recordName": "\(name)", "recordType": "Note", "zoneID": ["zoneName": "\(zone)"],
          ],
        ]
      }
      let body: JSON = [
        "operations": [operation("a", in: "Nowhere"), operation("b", in: "Work")]
      ]
      let records = try await anna.post("records/modify", body)["records"]
      #expect(records[0]["serverErrorCode"] == "ZONE_NOT_FOUND")
      #expect(records[0]["recordName"] == "a")
      #expect(records[1]["recordName"] == "b")
      #expect(records[1]["serverErrorCode"].isNull)
    }
  }

  @Test func `production refuses types and fields that are not in its schema`() async throws {
    try await withAnna { anna in
      var production = anna
      production.environment = "production"
      let item = try await production.save("n-1")
      #expect(item["serverErrorCode"] == "BAD_REQUEST")
      #expect(try await anna.save("n-1")["serverErrorCode"].isNull)
      #expect(try await production.lookup(["n-1"])[0]["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `the zone's changes contain the last clientChangeToken that a write has sent`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      for token in ["one", "two"] {
        let operation: JSON = ["operationType": "create", "record": ["recordType": "Note"]]
        _ = try await anna.post(
          "records/modify",
          [
            "operations": [operation], "zoneID": ["zoneName": "Work"],
            "clientChangeToken": "\(token)",
          ])
        #expect(try await anna.changes(in: "Work")["clientChangeToken"].string == token)
      }
      try await anna.save("n-1", in: "Work")
      #expect(try await anna.changes(in: "Work")["clientChangeToken"] == "two")
    }
  }
}
