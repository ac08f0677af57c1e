import Testing

/// The rules of references for saves and deletions.
@Suite struct References {
  static let violation: JSON = "VALIDATING_REFERENCE_ERROR"

  @Test
  func `a save is refused when the target of its validating reference is missing`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let operations: JSON = [.save("a", to: "x", by: "VALIDATE"), .save("b")]
      let records = try await anna.modify(operations, in: "Work")
      #expect(records[0]["serverErrorCode"] == Self.violation)
      #expect(records[0]["recordName"] == "a")
      #expect(records[0]["reason"] == "a reference leads to a record that does not exist")
      #expect(records[0]["uuid"].string?.isEmpty == false)
      #expect(records[1]["serverErrorCode"] == "ATOMIC_ERROR")
      #expect(try await anna.lookup(["b"], in: "Work")[0]["serverErrorCode"] == "NOT_FOUND")

      let apart = try await anna.modify(operations, in: "Work", atomic: false)
      #expect(apart[0]["serverErrorCode"] == Self.violation)
      #expect(apart[1]["serverErrorCode"].isNull)
    }
  }

  @Test
  func `the target of a reference may exist already or be saved in the same batch`() async throws {
    try await withAnna { anna in
      for zone in ["Work", nil] {
        if let zone { try await anna.makeZone(zone) }
        let together = try await anna.modify(
          [.save("a", to: "t", by: "VALIDATE", parent: "t"), .save("t")], in: zone)
        #expect(together[0]["serverErrorCode"].isNull)
        #expect(together[0]["parent"]["recordName"] == "t")
        #expect(together[0]["fields"]["owner"]["value"]["action"] == "VALIDATE")
        let later = try await anna.modify([.save("b", to: "t", by: "VALIDATE")], in: zone)
        #expect(later[0]["serverErrorCode"].isNull)
      }
    }
  }

  @Test func `the target of a reference without validation may be missing`() async throws {
    try await withAnna { anna in
      let records = try await anna.modify([
        .save("a", to: "x", by: "NONE"), .save("b", to: "x", by: "DELETE_SELF"),
      ])
      #expect(records[0]["serverErrorCode"].isNull)
      #expect(records[1]["serverErrorCode"].isNull)
    }
  }

  @Test func `a user record can be the target of a reference`() async throws {
    try await withAnna { anna in
      let user = try #require(try await anna.post("users/caller")["userRecordName"].string)
      for database in ["private", "public"] {
        var anna = anna
        anna.database = database
        let records = try await anna.modify([
          .save("a", to: user, by: "VALIDATE"), .save("b", to: user + "0", by: "VALIDATE"),
        ])
        #expect(records[0]["serverErrorCode"].isNull, "\(records[0])")
        #expect(records[1]["serverErrorCode"] == Self.violation)
      }
    }
  }

  @Test func `a parent record must exist and cannot be deleted before its children`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let orphan = try await anna.modify([.save("c", parent: "p")], in: "Work")
      #expect(orphan[0]["serverErrorCode"] == Self.violation)
      _ = try await anna.modify([.save("p"), .save("c", parent: "p")], in: "Work")
      let held = try await anna.modify([.delete("p")], in: "Work")
      #expect(held[0]["serverErrorCode"] == Self.violation)
      #expect(held[0]["recordName"] == "p")
      #expect(try await anna.lookup(["p"], in: "Work")[0]["serverErrorCode"].isNull)
      let both = try await anna.modify([.delete("p"), .delete("c")], in: "Work")
      #expect(
        both == [["recordName": "p", "deleted": true], ["recordName": "c", "deleted": true]])
    }
  }

  @Test func `a record with a reference to itself can be saved and deleted`() async throws {
    try await withAnna { anna in
      let saved = try await anna.modify([.save("s", to: "s")])
      #expect(saved[0]["serverErrorCode"].isNull)
      #expect(try await anna.modify([.delete("s")])[0]["deleted"] == true)
    }
  }
}

extension JSON {
  /// Saves a note that refers to another note by the field `owner`.
  static func save(
    _ name: String, to target: String? = nil, by action: String = "DELETE_SELF",
    parent: String? = nil, _ kind: String = "forceUpdate", tag: JSON = .null
  ) -> JSON {
    var record: JSON = ["recordName": .string(name), "recordType": "Note"]
    if let target {
      let value: JSON = ["recordName": .string(target), "action": .string(action)]
      record = record.with("fields", ["owner": ["value": value, "type": "REFERENCE"]])
    }
    if let parent { record = record.with("parent", ["recordName": .string(parent)]) }
    if !tag.isNull { record = record.with("recordChangeTag", tag) }
    return ["operationType": .string(kind), "record": record]
  }

  static func delete(_ name: String) -> JSON {
    ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
  }
}
