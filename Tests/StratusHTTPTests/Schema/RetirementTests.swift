import HTTPTypes
import StratusTesting
import Testing

/// The removal and renaming of a field or type in production, in two phases
/// (docs/internals/schema.md).
@Suite struct Retirements {
  private static let container = SchemaManagement.container

  private static let schema = """
    DEFINE SCHEMA
    RECORD TYPE Note (
      title STRING QUERYABLE SORTABLE, text STRING, "___recordID" REFERENCE QUERYABLE,
      GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
    RECORD TYPE Memo (text STRING, GRANT READ TO "_world", GRANT CREATE TO "_icloud");
    """

  /// Runs a test with a production container that has the schema.
  private func withProduction(
    _ body: (TestServer, Client, MovedClock) async throws -> Void
  ) async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      try await SchemaManagement.makeContainer(server)
      _ = try await SchemaManagement.change(server, "production", to: Self.schema)
      try await body(server, try await Self.signIn(to: server), clock)
    }
  }

  /// Signs in to production. A session ends after 14 days without use.
  private static func signIn(to server: TestServer) async throws -> Client {
    var anna = try await server.client("anna@example.org")
    anna.environment = "production"
    return anna
  }

  private func retire(
    _ server: TestServer, _ action: String, _ place: String = "Note.title", _ more: JSON = [:]
  ) async throws -> String? {
    let body =
      more.with("containerID", "\(Self.container)").with("environment", "production")
      .with("place", "\(place)").with("action", "\(action)")
    let answer = try await Client(router: server.router).send(
      .post, "/management/1/schema/retire",
      headers: ["Authorization": "Bearer \(server.managementToken)"], body: body.bytes)
    return answer.status == 200 ? nil : answer.json["reason"].string
  }

  private func retiring(_ server: TestServer) async throws -> JSON {
    try await server.manage(
      "schema/retiring", ["containerID": "\(Self.container)", "environment": "production"])[
        "retirements"]
  }

  @Test
  func `apps can still write a retiring field, and the server lists the writers`() async throws {
    try await withProduction { server, anna, clock in
      #expect(try await retire(server, "report") == nil)
      #expect(try await retiring(server)[0]["writers"] == [])
      clock.move(bySeconds: 60)
      for name in ["a", "b"] {
        let saved = try await anna.save(name, fields: ["title": ["value": "x"]])
        #expect(saved["fields"]["title"]["value"] == "x")
      }
      try await anna.save("c", fields: ["text": ["value": "x"]])
      let item = try await retiring(server)[0]
      #expect(item["place"] == "Note.title" && item["phase"] == "reported")
      #expect(item["writers"].array?.count == 1)
      #expect(item["writers"][0]["writes"] == 2)
      #expect(item["writers"][0]["lastWrite"] == .int(clock.now))
    }
  }

  @Test func `a field whose writes are refused can still be read`() async throws {
    try await withProduction { server, anna, _ in
      try await anna.save("a", fields: ["title": ["value": "x"]])
      #expect(try await retire(server, "refuse") == nil)
      let refused = try await anna.save("a", fields: ["title": ["value": "y"]])
      #expect(refused["reason"] == "'Note.title' is being retired and takes no more writes")
      #expect(try await anna.lookup(["a"])[0]["fields"]["title"]["value"] == "x")
      #expect(try await anna.save("a", fields: ["text": ["value": "t"]])["reason"].isNull)
      // The refused write also counts as a use of the field.
      #expect(try await retiring(server)[0]["writers"][0]["writes"] == 1)
      #expect(try await retire(server, "cancel") == nil)
      #expect(try await retiring(server) == [])
      #expect(
        try await anna.save("a", fields: ["title": ["value": "z"]])["reason"].isNull)
    }
  }

  @Test func `a retiring field without writes for 14 days can be dropped with all its values`()
    async throws
  {
    try await withProduction { server, anna, clock in
      try await anna.makeZone("Work")
      for number in 0..<30 {
        let fields: JSON = ["title": ["value": "x"], "text": ["value": "y"]]
        try await anna.save("n-\(number)", in: number % 2 == 0 ? "Work" : nil, fields: fields)
      }
      let token = try await anna.changes(in: "Work")["syncToken"]
      #expect(try await anna.found("EQUALS", "title", "x").count == 15)
      #expect(try await retire(server, "drop")?.contains("is not retiring") == true)
      #expect(try await retire(server, "report") == nil)
      try await anna.save("n-1", fields: ["title": ["value": "z"]])
      #expect(try await retire(server, "drop")?.contains("within the last 14 days") == true)
      clock.move(bySeconds: 15 * 86_400)
      #expect(try await retire(server, "drop") == nil)
      // From now on, writes to the field are refused. The other fields can still be read.
      let later = try await Self.signIn(to: server)
      let late = try await later.save("n-2", fields: ["title": ["value": "z"]])
      #expect(late["serverErrorCode"] == "BAD_REQUEST")
      try await server.continueRetirements()
      #expect(try await retiring(server) == [])
      for number in 0..<30 {
        let zone = number % 2 == 0 ? "Work" : nil
        let record = try await later.lookup(["n-\(number)"], in: zone)[0]
        #expect(record["fields"].keys == ["text"], "n-\(number)")
      }
      // The devices get the changed records in the changes of the zone.
      let changed = try await later.changes(in: "Work", since: token)["records"].array
      #expect(changed?.count == 15)
      let export = try await SchemaManagement.export(server, "production")
      #expect(export?.contains("title") == false)
    }
  }

  @Test func `a renamed field has both names until the old name is dropped`() async throws {
    try await withProduction { server, anna, clock in
      for number in 0..<5 {
        try await anna.save("n-\(number)", fields: ["title": ["value": "t\(number)"]])
      }
      #expect(try await retire(server, "rename", "Note.title", ["newName": "name"]) == nil)
      // A save that sends one of the names writes both fields.
      let old = try await anna.save("n-0", fields: ["title": ["value": "old"]])
      #expect(old["fields"]["name"]["value"] == "old")
      let new = try await anna.save("n-1", fields: ["name": ["value": "new"]])
      #expect(new["fields"]["title"]["value"] == "new")
      #expect(
        try await retire(server, "drop", "Note.title", ["isForced": true])?
          .contains("being copied") == true)
      try await server.continueRetirements()
      let fields = try await anna.lookup(["n-4"])[0]["fields"]
      #expect(fields["name"]["value"] == "t4" && fields["title"]["value"] == "t4")
      #expect(try await anna.found("EQUALS", "name", "t4") == ["n-4"])
      clock.move(bySeconds: 15 * 86_400)
      #expect(try await retire(server, "drop") == nil)
      try await server.continueRetirements()
      for (name, value) in [("n-0", "old"), ("n-1", "new"), ("n-2", "t2")] {
        let fields = try await Self.signIn(to: server).lookup([name])[0]["fields"]
        #expect(fields.keys == ["name"] && fields["name"]["value"] == .string(value))
      }
    }
  }

  @Test func `dropping a record type also deletes its records`() async throws {
    try await withProduction { server, anna, _ in
      try await anna.save("m-1", fields: ["text": ["value": "x"]], type: "Memo")
      try await anna.save("n-1", fields: ["text": ["value": "x"]])
      #expect(try await retire(server, "report", "Memo") == nil)
      try await anna.save("m-2", fields: [:], type: "Memo")
      #expect(try await retiring(server)[0]["writers"].array?.count == 1)
      #expect(try await retire(server, "drop", "Memo", ["isForced": true]) == nil)
      try await server.continueRetirements()
      #expect(try await anna.lookup(["m-1"])[0]["serverErrorCode"] == "NOT_FOUND")
      #expect(try await anna.lookup(["n-1"])[0]["fields"]["text"]["value"] == "x")
      let export = try await SchemaManagement.export(server, "production")
      #expect(export?.contains("Memo") == false)
      let late = try await anna.save("m-3", fields: [:], type: "Memo")
      #expect(late["reason"] == "Cannot create new type 'Memo' in production schema")
    }
  }
}
