import StratusDomain
import StratusTesting
import StratusWire
import Testing

@Suite struct `The quota of a database` {
  private static let container = "iCloud.org.example.Notes"

  /// Runs a test with a signed-in user that has a zone `Work`.
  private func with(
    _ body: (TestServer, Client) async throws -> Void
  ) async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      try await body(server, anna)
    }
  }

  private func text(_ count: Int) -> JSON {
    ["text": ["value": .string(String(repeating: "x", count: count))]]
  }

  private func show(_ server: TestServer, _ email: String? = nil) async throws -> JSON {
    var request: JSON = ["containerID": "\(Self.container)", "environment": "development"]
    if let email { request = request.with("email", "\(email)") }
    return try await server.manage("quotas/show", request)
  }

  private func set(_ server: TestServer, _ target: String, _ more: JSON) async throws {
    let request =
      more
      .with("containerID", .string(Self.container)).with("environment", "development")
      .with("target", .string(target))
    try await server.manage("quotas/set", request)
  }

  private func used(_ server: TestServer) async throws -> Int64 {
    try #require(try await show(server, "anna@example.org")["usedBytes"].integer)
  }

  @Test func `saves and deletions change the counted bytes`() async throws {
    try await with { server, anna in
      let before = try await used(server)
      try await anna.save("n", in: "Work", fields: text(100))
      let small = try await used(server)
      #expect(small - before > 100)
      try await anna.save("n", in: "Work", fields: text(300))
      #expect(try await used(server) == small + 200)
      let types = try await show(server, "anna@example.org")["types"]
      #expect(types[0]["recordType"] == "Note")
      #expect(types[0]["records"] == 1)
      _ = try await anna.modify(
        [["operationType": "forceDelete", "record": ["recordName": "n"]]], in: "Work")
      #expect(try await used(server) == before)
    }
  }

  @Test func `the bytes of a file count towards the usage of its record type`() async throws {
    try await with { server, anna in
      let file = try await anna.upload(Array(repeating: 7, count: 1_000))
      try await anna.saveNote(photo: file)
      let types = try await show(server, "anna@example.org")["types"]
      #expect(types[0]["assetBytes"] == 1_000)
    }
  }

  @Test func `the bytes of a deleted zone do not count`() async throws {
    try await with { server, anna in
      let before = try await used(server)
      try await anna.save("n", in: "Work", fields: text(100))
      try await anna.deleteZone("Work")
      #expect(try await used(server) == before)
    }
  }

  @Test func `the refusal of a save beyond the quota contains the number of bytes that are left`()
    async throws
  {
    try await with { server, anna in
      try await anna.save("n", in: "Work", fields: text(100))
      let used = try await used(server)
      try await set(server, "eachUser", ["bytes": .int(used + 50)])
      let refused = try await anna.modify(
        [
          [
            "operationType": "create",
            "record": ["recordName": "m", "recordType": "Note", "fields": text(200)],
          ]
        ], in: "Work", atomic: true)[0]
      #expect(refused["serverErrorCode"] == "QUOTA_EXCEEDED")
      #expect(refused["reason"].string?.contains("50 bytes are left") == true, "\(refused)")
      #expect(try await self.used(server) == used)
      // A longer text in the same record is refused, but a shorter text is accepted.
      #expect(
        try await anna.save("n", in: "Work", fields: text(151))["serverErrorCode"]
          == "QUOTA_EXCEEDED")
      #expect(try await anna.save("n", in: "Work", fields: text(150))["recordName"] == "n")
      #expect(try await anna.save("n", in: "Work", fields: text(1))["recordName"] == "n")
    }
  }

  @Test func `deletions are possible in a database that exceeds its quota`() async throws {
    try await with { server, anna in
      try await anna.save("n", in: "Work", fields: text(100))
      try await set(server, "eachUser", ["bytes": 0])
      #expect(try await anna.save("m", in: "Work")["serverErrorCode"] == "QUOTA_EXCEEDED")
      let deleted = try await anna.modify(
        [["operationType": "forceDelete", "record": ["recordName": "n"]]], in: "Work")
      #expect(deleted[0]["deleted"] == true)
    }
  }

  @Test func `in an atomic batch, one save beyond the quota makes all operations fail`()
    async throws
  {
    try await with { server, anna in
      let used = try await used(server)
      try await set(server, "eachUser", ["bytes": .int(used + 300)])
      let operations: JSON = .array(
        ["a", "b"].map { name in
          [
            "operationType": "create",
            "record": [
              "recordName": .string(name), "recordType": "Note", "fields": text(200),
            ],
          ]
        })
      let refused = try await anna.modify(operations, in: "Work", atomic: true)
      #expect(refused[0]["serverErrorCode"] == "ATOMIC_ERROR")
      #expect(refused[1]["serverErrorCode"] == "QUOTA_EXCEEDED")
      let partly = try await anna.modify(operations, in: "Work", atomic: false)
      #expect(partly[0]["recordName"] == "a")
      #expect(partly[0]["serverErrorCode"].isNull)
      #expect(partly[1]["serverErrorCode"] == "QUOTA_EXCEEDED")
    }
  }

  @Test func `the quota of an account replaces the quota of each user`() async throws {
    try await with { server, anna in
      try await set(server, "eachUser", ["bytes": 0])
      #expect(try await anna.save("a", in: "Work")["serverErrorCode"] == "QUOTA_EXCEEDED")
      let email: JSON = ["email": "anna@example.org"]
      try await set(server, "account", email.with("unlimited", true))
      #expect(try await anna.save("a", in: "Work")["recordName"] == "a")
      try await set(server, "account", email.with("bytes", 1))
      #expect(try await anna.save("b", in: "Work")["serverErrorCode"] == "QUOTA_EXCEEDED")
      try await set(server, "eachUser", ["unlimited": true])
      #expect(try await anna.save("b", in: "Work")["serverErrorCode"] == "QUOTA_EXCEEDED")
      try await set(server, "account", email.with("standard", true))
      #expect(try await anna.save("b", in: "Work")["recordName"] == "b")
    }
  }

  /// A participant must not learn how many bytes the owner uses.
  @Test func `a participant's save counts for the owner, and a refusal hides the owner's usage`()
    async throws
  {
    try await withServer { server in
      let scene = try await ShareScene(server)
      let share = try await scene.share("Rome", with: [scene.invited("bob")])
      let bob = try await scene.guest("bob")
      try await scene.accept(share["shortGUID"], as: bob)
      func create(_ name: String) async throws -> JSON {
        let record: JSON = [
          "recordName": .string(name), "recordType": "Place", "fields": text(100),
          "parent": ["recordName": "Rome"],
        ]
        let answer = try await scene.modify(
          [["operationType": "create", "record": record]], as: bob)
        return answer.json["records"][0]
      }
      func usedByAnn() async throws -> Int64 {
        try #require(try await show(server, "ann@example.org")["usedBytes"].integer)
      }
      let before = try await usedByAnn()
      #expect(try await create("Hill")["recordName"] == "Hill")
      let after = try await usedByAnn()
      #expect(after - before > 100)
      try await set(server, "account", ["email": "ann@example.org", "bytes": .int(after)])
      let refused = try await create("Lake")
      #expect(refused["serverErrorCode"] == "QUOTA_EXCEEDED")
      #expect(refused["reason"] == .string(Reason.ownerQuotaExceeded))
    }
  }

  @Test func `the public database has a quota of its own`() async throws {
    try await with { server, anna in
      var visitor = anna
      visitor.database = "public"
      try await visitor.save("p", fields: text(10))
      try await set(server, "public", ["bytes": 1])
      #expect(try await visitor.save("q")["serverErrorCode"] == "QUOTA_EXCEEDED")
      #expect(try await anna.save("q", in: "Work")["recordName"] == "q")
      let shown = try await show(server)
      #expect(shown["quotaBytes"] == 1)
      #expect(shown["users"][0]["email"] == "anna@example.org")
    }
  }

  @Test(
    arguments: [
      ["target": "public", "standard": true], ["target": "nothing", "bytes": 1],
      ["target": "account", "bytes": 1], ["target": "public"], ["target": "public", "bytes": -1],
      ["target": "account", "email": "none@example.org", "bytes": 1],
    ] as [JSON])
  func `a malformed quota is refused`(request: JSON) async throws {
    try await with { server, _ in
      let answer = try await server.managementAnswer(
        "quotas/set",
        request.with("containerID", .string(Self.container)).with("environment", "development"))
      #expect([400, 404].contains(answer.status), "\(answer.json)")
    }
  }
}
