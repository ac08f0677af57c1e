import Foundation
import StratusTesting
import Testing

/// A development server creates a container on the first write. A read must not create a container,
/// because the container's name may be mistyped.
@Suite struct `A container that does not exist yet` {
  private static let zone: JSON = ["zoneID": ["zoneName": "Work"]]

  /// Requests that only read.
  private static let reads: [(endpoint: String, body: JSON)] = [
    ("users/caller", [:]), ("zones/list", [:]), ("zones/lookup", ["zones": [["zoneName": "a"]]]),
    ("records/lookup", ["records": [["recordName": "a"]]]),
    ("records/query", ["query": ["recordType": "Note"]]), ("changes/database", [:]),
    ("changes/zone", ["zones": [["zoneID": ["zoneName": "_defaultZone"]]]]),
    ("subscriptions/list", [:]), ("subscriptions/lookup", ["subscriptions": []]),
    ("notifications/changes", [:]), ("users/current", [:]),
  ]

  private func containers(_ server: TestServer) async throws -> JSON {
    try await server.manage("containers/list", [:])["containers"]
  }

  @Test(arguments: reads.indices)
  func `a read does not create a missing container`(_ index: Int) async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      _ = try await anna.answer(Self.reads[index].endpoint, Self.reads[index].body)
      #expect(try await containers(server) == [])
      let folder = server.folder.appendingPathComponent(anna.container)
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test
  func `the first write creates a missing container, and its records can be looked up`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      _ = try await anna.post("zones/list")
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work")
      #expect(try await containers(server) == ["\(anna.container)"])
      #expect(try await anna.lookup(["n-1"], in: "Work")[0]["recordName"] == "n-1")
      let other = try await server.client("anna@example.org")
      #expect(try await other.lookup(["n-1"], in: "Work")[0]["recordName"] == "n-1")
    }
  }

  @Test func `the caller's user record can be read before the container is created`() async throws {
    try await withAnna { anna in
      let name = try #require(try await anna.post("users/caller")["userRecordName"].string)
      #expect(try await anna.lookup([name])[0]["recordType"] == "Users")
      try await anna.makeZone("Work")
      #expect(try await anna.post("users/caller")["userRecordName"].string == name)
      #expect(try await anna.lookup([name])[0]["recordType"] == "Users")
    }
  }

  @Test
  func `a change token of a missing container stays valid when the container is created`()
    async throws
  {
    try await withAnna { anna in
      let before = try await anna.post("changes/database")
      #expect(before["zones"] == [])
      try await anna.makeZone("Work")
      let after = try await anna.post("changes/database", ["syncToken": before["syncToken"]])
      #expect(after["zones"][0]["zoneID"]["zoneName"] == "Work")
    }
  }

  @Test func `a container with an illegal name is refused`() async throws {
    try await withAnna { anna in
      var wrong = anna
      wrong.container = "notes"
      let answer = try await wrong.answer("zones/list", [:])
      #expect(answer.status == 400)
    }
  }
}
