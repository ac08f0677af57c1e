import StratusDomain
import StratusServer
import StratusTesting
import StratusWire
import Testing

/// Custom roles of users.
@Suite struct `Custom roles` {
  /// Runs a body with notes that all callers may read and only editors may write. Ann is an editor.
  private func withEditor(
    _ body: (_ server: TestServer, _ ann: Client, _ bea: Client) async throws -> Void
  ) async throws {
    try await withServer { server in
      let ann = try await server.visitor("ann@example.org")
      let bea = try await server.visitor("bea@example.org")
      try await bea.save("n-1", fields: ["title": ["value": "Milk"]])
      try await server.setGrants(
        ["_world": .read, "Editor": [.create, .write]], customRoles: ["Editor", "Curator"])
      try await server.changeRole("grant", "Editor", of: "ann@example.org")
      try await body(server, ann, bea)
    }
  }

  @Test func `a granted or revoked role takes effect with the next request`() async throws {
    try await withEditor { server, ann, bea in
      let fields: JSON = ["title": ["value": "Bread"]]
      #expect(try await ann.save("n-1", fields: fields)["serverErrorCode"].isNull)
      #expect(try await bea.save("n-1", fields: fields)["serverErrorCode"] == "ACCESS_DENIED")
      try await server.changeRole("grant", "Editor", of: "BEA@example.org")
      #expect(try await bea.save("n-1", fields: fields)["serverErrorCode"].isNull)
      try await server.changeRole("revoke", "Editor", of: "ann@example.org")
      #expect(try await ann.save("n-1", fields: fields)["serverErrorCode"] == "ACCESS_DENIED")
      #expect(try await bea.save("n-2", fields: fields)["serverErrorCode"].isNull)
    }
  }

  @Test func `a role is valid in one container and environment only`() async throws {
    try await withEditor { server, ann, _ in
      var production = ann
      production.environment = "production"
      _ = try await production.post("users/caller")
      let address = StoreAddress(container: ann.container, environment: .production)
      try await server.setGrants(
        ["_world": .read, "Editor": [.create, .write]], customRoles: ["Editor"], at: address)
      #expect(try await production.save("n-9")["serverErrorCode"] == "ACCESS_DENIED")
    }
  }

  @Test
  func `a user record shows the user's roles, and the user cannot change the roles`() async throws {
    try await withEditor { server, ann, _ in
      let name = try await ann.userName()
      let record = try await ann.lookup([name])[0]
      #expect(record["fields"]["roles"]["type"] == "INT64_LIST")
      let roles = try #require(record["fields"]["roles"]["value"].array)
      #expect(roles.count == 1)
      for value in [[.int(1), .int(2), .int(3)], [], nil] as [[JSON]?] {
        for kind in ["forceUpdate", "forceReplace"] {
          let fields: JSON = ["roles": ["value": value.map { .array($0) } ?? .null]]
          let saved = try await ann.save(name, fields: fields, type: "Users", kind)
          #expect(saved["serverErrorCode"] == "ACCESS_DENIED", "\(kind) \(saved)")
        }
      }
      let whole = record.with(
        "fields", record["fields"].with("nick", ["value": "Annie", "type": "STRING"]))
      let saved = try await ann.modify([["operationType": "replace", "record": whole]])[0]
      #expect(saved["serverErrorCode"].isNull, "\(saved)")
      let replaced = try await ann.save(
        name, fields: ["nick": ["value": "A", "type": "STRING"]], type: "Users", "forceReplace")
      #expect(replaced["fields"]["roles"]["value"] == .array(roles), "\(replaced)")
      #expect(try await ann.save("n-2")["serverErrorCode"].isNull)
      try await server.changeRole("revoke", "Editor", of: "ann@example.org")
      #expect(try await ann.lookup([name])[0]["fields"].keys == ["nick"])
    }
  }

  @Test
  func `the list of roles shows users with their accounts, and all roles of the container`()
    async throws
  {
    try await withEditor { server, ann, _ in
      try await server.changeRole("grant", "Curator", of: "ann@example.org")
      try await server.changeRole("grant", "Curator", of: "bea@example.org")
      var request: JSON = ["containerID": "\(notes.container)", "environment": "development"]
      let list = try await server.manage("roles/list", request)
      #expect(list["roles"] == ["Curator", "Editor"])
      #expect(list["users"].array?.map { $0["email"] } == ["ann@example.org", "bea@example.org"])
      #expect(list["users"][0]["roles"] == ["Curator", "Editor"])
      #expect(list["users"][0]["userRecordName"].string == (try await ann.userName()))
      request = request.with("email", "bea@example.org")
      let one = try await server.manage("roles/list", request)["users"]
      #expect(one.array?.map { $0["roles"] } == [["Curator"]])
    }
  }

  @Test func `the user of a server-to-server key can have roles`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let bea = try await server.visitor("bea@example.org")
      try await bea.save("n-1", fields: ["title": ["value": "Milk"]])
      try await server.setGrants(
        ["_world": .read, "Editor": [.create, .write]], customRoles: ["Editor"])
      let program = try await SigningClient(server, clock: clock, container: notes.container)
      let save: JSON = [
        "operations": [
          [
            "operationType": "forceUpdate",
            "record": [
              "recordName": "n-1", "recordType": "Note", "fields": ["title": ["value": "Bread"]],
            ],
          ]
        ]
      ]
      func result() async throws -> JSON {
        try await program.send("records/modify", save).json["records"][0]["serverErrorCode"]
      }
      let request: JSON = [
        "containerID": .string(notes.container), "environment": "development",
        "id": .string(program.id), "role": "Editor",
      ]
      #expect(try await result() == "ACCESS_DENIED")
      try await server.manage("roles/grant", request)
      #expect(try await result().isNull)
      let place = JSON.object(["containerID": request["containerID"], "environment": "development"])
      let list = try await server.manage("roles/list", place)["users"]
      #expect(list.array?.count == 1)
      #expect(list[0]["serverKeyID"].string == program.id)
      #expect(list[0]["userRecordName"].string == program.user)
      try await server.manage("roles/revoke", request)
      #expect(try await result() == "ACCESS_DENIED")
      for (key, value, code) in [
        ("id", "00", "NOT_FOUND"), ("environment", "production", "BAD_REQUEST"),
        ("email", "bea@example.org", "BAD_REQUEST"), ("id", nil, "BAD_REQUEST"),
      ] as [(String, JSON, String)] {
        let error = try await server.refusedRole("grant", request.with(key, value))
        #expect(error["serverErrorCode"].string == code, "\(key) \(value)")
      }
    }
  }

  @Test
  func `a grant with an unknown role, account or container is refused with a hint`() async throws {
    try await withEditor { server, _, _ in
      let good = TestServer.request("Curator", of: "ann@example.org")
      let rows: [(JSON, String)] = [
        (good.with("role", "Boss"), "its roles are Curator, Editor"),
        (good.with("email", "nobody@example.org"), "stratus account create"),
        (good.with("containerID", "iCloud.none"), "stratus container create"),
        (good.with("environment", "production"), "stratus schema import"),
      ]
      for (request, hint) in rows {
        for verb in ["grant", "revoke"] {
          let error = try await server.refusedRole(verb, request)
          #expect(error["serverErrorCode"] == "NOT_FOUND")
          #expect(error["reason"].string?.contains(hint) == true, "\(error)")
        }
      }
      let error = try await server.refusedRole("revoke", good)
      #expect(error["reason"].string?.contains("stratus role list") == true)
    }
  }

  @Test func `the log contains the operator's grants and revocations of roles`() async throws {
    let log = CapturedLog()
    let server = try await TestServer(live: Live(), log: log)
    _ = try await server.visitor("ann@example.org").post("users/caller")
    try await server.setGrants([:], customRoles: ["Editor"])
    try await server.changeRole("grant", "Editor", of: "ann@example.org")
    try await server.changeRole("grant", "Editor", of: "ann@example.org")
    try await server.changeRole("revoke", "Editor", of: "ann@example.org")
    let lines = log.text.split(separator: "\n").filter { $0.contains("the role 'Editor'") }
    #expect(lines.count == 2, "\(log.text)")
    #expect(lines.first?.contains("granted") == true)
    #expect(lines.last?.contains("'ann@example.org'") == true)
    await server.stop()
  }
}
