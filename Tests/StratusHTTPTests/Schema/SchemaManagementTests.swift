import StratusTesting
import Testing

/// The operator's endpoints for schemas.
@Suite struct SchemaManagement {
  static let container = "iCloud.org.example.Notes"

  private static let file = """
    DEFINE SCHEMA

        CREATE ROLE Editor;

        RECORD TYPE Note (
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP QUERYABLE SORTABLE,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE QUERYABLE,
            count           INT64 QUERYABLE SORTABLE,
            secret          ENCRYPTED STRING,
            title           STRING QUERYABLE SEARCHABLE SORTABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world",
            GRANT READ, CREATE, WRITE TO Editor
        );

        RECORD TYPE Users (
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE,
            roles           LIST<INT64>,
            GRANT WRITE TO "_creator",
            GRANT READ TO "_world"
        );

    """

  static func makeContainer(_ server: TestServer) async throws {
    try await server.manage("containers/create", ["containerID": "\(container)"])
  }

  static func change(
    _ server: TestServer, _ environment: String, to schema: String?, _ more: JSON = [:]
  ) async throws -> JSON {
    var body = more.with("containerID", "\(container)").with("environment", "\(environment)")
    if let schema { body = body.with("schema", .string(schema)) }
    return try await server.manage("schema/change", body)
  }

  static func export(_ server: TestServer, _ environment: String) async throws -> String? {
    try await server.manage(
      "schema/export", ["containerID": "\(container)", "environment": "\(environment)"])[
        "schema"
      ].string
  }

  @Test(arguments: ["development", "production"])
  func `an imported file becomes the schema, and the export equals the file`(_ environment: String)
    async throws
  {
    try await withServer { server in
      try await Self.makeContainer(server)
      let report = try await Self.change(server, environment, to: Self.file)
      #expect(report["isApplied"] == true, "\(report)")
      #expect(report["steps"][0] == "+ role Editor")
      #expect(try await Self.export(server, environment) == Self.file)
      let again = try await Self.change(server, environment, to: Self.file)
      #expect(again["steps"] == [], "\(again)")
    }
  }

  @Test func `a dry run and a faulty schema file change nothing`() async throws {
    try await withServer { server in
      try await Self.makeContainer(server)
      let before = try await Self.export(server, "production")
      let dry = try await Self.change(server, "production", to: Self.file, ["isDryRun": true])
      #expect(dry["isApplied"] == false && dry["isValid"] == true)
      #expect(try await Self.export(server, "production") == before)
      let faulty = try await Self.change(
        server, "production", to: "DEFINE SCHEMA\nRECORD TYPE A (x BOOL);")
      #expect(faulty["isValid"] == false && faulty["isApplied"] == false)
      #expect(
        faulty["faults"] == [
          ["line": 2, "column": 18, "reason": "'BOOL' is not a type; write INT64"]
        ])
      #expect(try await Self.export(server, "production") == before)
    }
  }

  @Test
  func `a refused schema change changes nothing, and its errors have positions in the file`()
    async throws
  {
    try await withServer { server in
      try await Self.makeContainer(server)
      _ = try await Self.change(server, "production", to: Self.file)
      let smaller = """
        DEFINE SCHEMA
          RECORD TYPE Note (
            title STRING, added STRING,
            count STRING
          );
        """
      let report = try await Self.change(server, "production", to: smaller)
      #expect(report["isApplied"] == false)
      let refusals = report["refusals"].array ?? []
      #expect(refusals.count == 2, "\(report)")
      #expect(refusals.first?["line"] == 4 && refusals.first?["column"] == 5)
      // The file lacks the field, so the position is that of its record type.
      #expect(refusals.last?["line"] == 2 && refusals.last?["column"] == 15)
      #expect(try await Self.export(server, "production") == Self.file)
    }
  }

  @Test
  func `a strict change cannot remove index marks, and a normal change warns about the removal`()
    async throws
  {
    try await withServer { server in
      try await Self.makeContainer(server)
      _ = try await Self.change(server, "production", to: Self.file)
      let less = Self.file.replacing(
        "count           INT64 QUERYABLE SORTABLE", with: "count INT64")
      let strict = try await Self.change(server, "production", to: less, ["isStrict": true])
      #expect(strict["isApplied"] == false && strict["refusals"].array?.count == 1)
      let loose = try await Self.change(server, "production", to: less)
      #expect(loose["isApplied"] == true && loose["warnings"].array?.count == 1)
    }
  }

  @Test func `an import deletes a removed field from all records and frees its name`()
    async throws
  {
    try await withServer { server in
      try await Self.makeContainer(server)
      let anna = try await server.client("anna@example.org")
      for number in 0..<5 {
        try await anna.save(
          "n-\(number)", fields: ["title": ["value": "a"], "old": ["value": "b"]])
      }
      let schema = "DEFINE SCHEMA RECORD TYPE Note (title STRING, GRANT READ TO \"_world\");"
      let report = try await Self.change(server, "development", to: schema)
      #expect(report["steps"].array?.contains("- field Note.old") == true, "\(report)")
      let early = try await anna.save("n-9", fields: ["old": ["value": 1]])
      #expect(early["reason"] == "'Note.old' is being removed")
      try await server.continueRetirements()
      for number in 0..<5 {
        let fields = try await anna.lookup(["n-\(number)"])[0]["fields"]
        #expect(fields.keys == ["title"])
      }
      #expect(try await anna.save("n-9", fields: ["old": ["value": 1]])["reason"].isNull)
    }
  }

  @Test
  func `a reset of development copies the schema of production and removes all data`() async throws
  {
    try await withServer { server in
      try await Self.makeContainer(server)
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work", fields: ["other": ["value": "a"]])
      try await anna.save("n-2", fields: ["other": ["value": "a"]])
      let token = try await anna.changes(in: "Work")["syncToken"]
      _ = try await Self.change(server, "production", to: Self.file)
      try await server.manage("schema/reset", ["containerID": "\(Self.container)"])
      #expect(try await Self.export(server, "development") == Self.file)
      #expect(try await anna.lookup(["n-2"])[0]["serverErrorCode"] == "NOT_FOUND")
      let gone = try await anna.changes(in: "Work", since: token)
      #expect(gone["serverErrorCode"] == "ZONE_NOT_FOUND", "\(gone)")
      try await anna.makeZone("Work")
      try await anna.save("n-3", in: "Work", fields: ["title": ["value": "a"]])
      let stale = try await anna.changes(in: "Work", since: token)
      #expect(stale["serverErrorCode"] == "BAD_REQUEST", "\(stale)")
      try await server.purgeZones()
      let names = try await anna.changes(in: "Work")["records"].array?.map { $0["recordName"] }
      #expect(names == ["n-3"])
      // The user record of the caller exists again.
      let user = try await anna.post("users/caller")["userRecordName"].string ?? ""
      #expect(try await anna.lookup([user])[0]["recordType"] == "Users")
    }
  }

  @Test func `an operator can list indexes with their use, and can drop an index`() async throws {
    try await withServer { server in
      try await Self.makeContainer(server)
      let anna = try await server.client("anna@example.org")
      try await anna.save("n-1", fields: ["count": ["value": 1]])
      #expect(try await anna.found("EQUALS", "count", 1) == ["n-1"])
      let body: JSON = [
        "containerID": "\(Self.container)", "environment": "development",
      ]
      let index = try await server.manage("schema/indexes", body)["indexes"][0]
      #expect(index["recordType"] == "Note" && index["columns"] == ["count"])
      #expect(index["state"] == "ready" && index["uses"].integer ?? 0 > 0)
      try await server.manage("schema/indexes/drop", body.with("index", index["id"]))
      #expect(try await server.manage("schema/indexes", body)["indexes"] == [])
      #expect(try await anna.found("EQUALS", "count", 1) == ["n-1"])
    }
  }
}
