import Testing

/// The endpoints `users/caller` and `users/current`.
@Suite struct UsersEndpoints {
  @Test(arguments: ["public", "private"])
  func `an answer has the caller's identity at top level and in a list of users`(database: String)
    async throws
  {
    try await withAnna { anna in
      var anna = anna
      anna.database = database
      let answer = try await anna.get("users/caller")
      #expect(answer.status == 200)
      let name = try #require(answer.json["userRecordName"].string)
      #expect(name.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
      #expect(answer.json["users"][0]["userRecordName"].string == name)
      #expect(try await anna.get("users/current").json["userRecordName"].string == name)
    }
  }

  @Test(arguments: ["users/caller", "users/current"])
  func `an anonymous caller is asked to sign in`(endpoint: String) async throws {
    try await withServer { server in
      let answer = try await server.otherUser.get(endpoint)
      answer.expectRefusal(endpoint, code: "AUTHENTICATION_REQUIRED")
      #expect(answer.status == 421)
    }
  }

  @Test
  func `a user has one record name in each container, and the name does not change`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let again = try await server.client("anna@example.org")
      let bea = try await server.client("bea@example.org")
      var elsewhere = anna
      elsewhere.container = "iCloud.org.example.Other"
      let name = try await anna.post("users/caller")["userRecordName"]
      #expect(try await again.post("users/caller")["userRecordName"] == name)
      #expect(try await bea.post("users/caller")["userRecordName"] != name)
      #expect(try await elsewhere.post("users/caller")["userRecordName"] != name)
    }
  }

  @Test func `a user has a Users record, which every caller can look up`() async throws {
    try await withServer { server in
      // A write creates the container.
      try await server.client("bea@example.org").makeZone("Work")
      var anna = try await server.client("anna@example.org")
      anna.database = "public"
      let name = try #require(try await anna.post("users/caller")["userRecordName"].string)
      let record = try await server.otherUser.lookup([name])[0]
      #expect(record["recordType"] == "Users")
      #expect(record["created"]["userRecordName"].string == name)
    }
  }
}
