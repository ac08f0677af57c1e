import StratusTesting
import StratusWire
import Testing

@Suite struct `A restricted account` {
  private func withRestricted(
    _ body: (_ server: TestServer, _ anna: Client) async throws -> Void
  ) async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.save("n-1", fields: ["title": ["value": "Milk"]])
      try await server.manage("accounts/restrict", ["email": "anna@example.org"])
      try await body(server, anna)
    }
  }

  @Test(arguments: [
    "users/caller", "zones/list", "changes/database", "records/query", "records/lookup",
    "records/modify", "subscriptions/list", "assets/upload",
  ])
  func `every request for data of a restricted account is refused`(endpoint: String) async throws {
    try await withRestricted { _, anna in
      let answer = try await anna.answer(endpoint, [:])
      #expect(answer.status == 403)
      #expect(answer.json["serverErrorCode"] == "ACCESS_DENIED")
    }
  }

  @Test func `a restricted member cannot open its own data in the console`() async throws {
    try await ConsoleScene.with { scene in
      let developer = try await scene.browser(of: .developer)
      let other = try await scene.ownersBrowser()
      let path = "database/\(ConsoleScene.container)/development/private/records/lookup"
      let body: JSON = ["records": [["recordName": "n-1"]]]
      let email: JSON = ["email": "developer@example.org"]
      #expect(try await developer.call(path, body).status == 200)
      try await scene.server.manage("accounts/restrict", email)
      let refused = try await developer.call(path, body)
      #expect(refused.status == 403)
      #expect(refused.json["serverErrorCode"] == "ACCESS_DENIED")
      #expect(refused.json["reason"] == "\(Reason.accountRestricted)")
      #expect(try await developer.call("session/fetch").status == 200)
      #expect(try await other.call(path, body).status == 200)
      try await scene.server.manage("accounts/unrestrict", email)
      #expect(try await developer.call(path, body).status == 200)
    }
  }

  @Test func `a member cannot open the data of a restricted test account`() async throws {
    try await ConsoleScene.with { scene in
      let email: JSON = ["email": "test@example.org"]
      try await scene.server.manage("accounts/create", email.with("isTest", true))
      let developer = try await scene.browser(of: .developer)
      let path =
        "as/test@example.org/database/\(ConsoleScene.container)/development/private/zones/list"
      #expect(try await developer.call(path).status == 200)
      try await scene.server.manage("accounts/restrict", email)
      let refused = try await developer.call(path)
      #expect(refused.status == 403)
      #expect(refused.json["reason"] == "\(Reason.accountRestricted)")
    }
  }

  @Test func `other users of the container are not affected by a restriction`() async throws {
    try await withRestricted { server, _ in
      let bob = try await server.client("bob@example.org")
      let answer = try await bob.post("zones/list", [:])
      #expect(answer["zones"][0]["zoneID"]["zoneName"] == "_defaultZone")
    }
  }

  @Test func `when the restriction ends, the data of the account is unchanged`() async throws {
    try await withRestricted { server, anna in
      let listed = try await server.manage("accounts/list", [:])["accounts"]
      #expect(
        listed[0] == ["email": "anna@example.org", "disabled": false, "restricted": true])
      try await server.manage("accounts/unrestrict", ["email": "anna@example.org"])
      let answer = try await anna.post("records/lookup", ["records": [["recordName": "n-1"]]])
      #expect(answer["records"][0]["fields"]["title"]["value"] == "Milk")
    }
  }

  @Test func `an unknown account cannot be restricted`() async throws {
    try await withServer { server in
      for endpoint in ["accounts/restrict", "accounts/unrestrict"] {
        let answer = try await server.managementAnswer(endpoint, ["email": "ben@example.org"])
        #expect(answer.status == 404)
      }
    }
  }
}
