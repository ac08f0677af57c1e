import Foundation
import HTTPTypes
import StratusDomain
import StratusServer
import StratusTesting
import StratusWire
import Testing

/// The count of requests that production refuses because its schema lacks a type, field or index.
@Suite struct `The production radar` {
  private func withProduction(
    _ body: (TestServer, _ production: Client) async throws -> Void
  ) async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      try await anna.save("n", fields: ["title": ["value": "Milk"], "count": ["value": 1]])
      try await server.manage("schema/deploy", ["containerID": "\(anna.container)"])
      var production = anna
      production.environment = "production"
      production.extraQuery = "clientBuildNumber=Notes/42"
      try await body(server, production)
    }
  }

  /// The types, fields and indexes that the radar counted as missing, each as `kind type name app
  /// count`.
  private func radar(of server: TestServer) async throws -> [String] {
    let status = try await server.manage("status", [:])
    return (status["productionLacks"].array ?? []).map { item in
      let words = ["kind", "recordType", "name", "app"].map { item[$0].string ?? "?" }
      return words.joined(separator: " ") + " \(item["count"].integer ?? -1)"
    }.sorted()
  }

  @Test
  func `the production radar counts refused saves, queries, uploads and subscriptions`()
    async throws
  {
    try await withProduction { server, production in
      #expect(try await radar(of: server) == [])
      for _ in 0..<3 { try await production.save("a", fields: ["due": ["value": 1]]) }
      try await production.save("b", type: "Photo")
      let query: JSON = ["recordType": "Note", "filterBy": [.filter("EQUALS", "place", "x")]]
      _ = try await production.answer("records/query", ["query": query])
      let unsorted: JSON = ["recordType": "Note"]
      _ = try await production.answer("records/query", ["query": unsorted])
      _ = try await production.answer("records/query", ["query": ["recordType": "Album"]])
      let token: JSON = ["recordName": "x", "recordType": "Note", "fieldName": "photo"]
      _ = try await production.answer("assets/upload", ["tokens": [token]])
      let watched: JSON = [
        "subscriptionID": "s", "subscriptionType": "query", "firesOn": ["create"],
        "query": ["recordType": "Diary"],
      ]
      _ = try await production.answer(
        "subscriptions/modify",
        ["operations": [["operationType": "create", "subscription": watched]]])
      #expect(
        try await radar(of: server) == [
          "field Note due Notes/42 3", "field Note photo Notes/42 1",
          "field Note place Notes/42 1", "index Note ___recordID QUERYABLE Notes/42 1",
          "type Album  Notes/42 1", "type Diary  Notes/42 1", "type Photo  Notes/42 1",
        ])
    }
  }

  @Test
  func `the production radar names the app by its User-Agent, or leaves the name empty`()
    async throws
  {
    try await withProduction { server, production in
      var caller = production
      caller.extraQuery = ""
      let body: JSON = ["query": ["recordType": "Album"]]
      for agent in ["Notes/7 CFNetwork/1490 Darwin/23", "Böse/1", nil] {
        _ = try await caller.send(
          .post, caller.target("records/query"), headers: agent.map { ["User-Agent": $0] } ?? [:],
          body: body.bytes)
      }
      #expect(
        try await radar(of: server) == [
          "type Album   1", "type Album  Bse/1 1", "type Album  Notes/7 1",
        ])
    }
  }

  @Test
  func `the production radar counts neither development requests nor unrelated refusals`()
    async throws
  {
    try await withProduction { server, production in
      var development = production
      development.environment = "development"
      _ = try await development.answer("records/query", ["query": ["recordType": "Album"]])
      try await production.save("n", fields: ["title": ["value": 1]])
      try await production.save("n", "update", tag: "x")
      #expect(try await radar(of: server) == [])
    }
  }

  @Test
  func `the production radar forgets what a deployment has added to production`() async throws {
    try await withProduction { server, production in
      try await production.save("a", fields: ["due": ["value": 1]])
      try await production.save("b", type: "Photo")
      var development = production
      development.environment = "development"
      try await development.save("a", fields: ["due": ["value": 1]])
      try await server.manage("schema/deploy", ["containerID": "\(production.container)"])
      #expect(try await radar(of: server) == ["type Photo  Notes/42 1"])
    }
  }

  @Test func `the production radar keeps its counts over a restart`() async throws {
    let folder = temporaryFolder()
    let first = try await TestServer(folder: folder)
    var production = try await first.client("anna@example.org")
    production.environment = "production"
    for _ in 0..<2 { try await production.save("b", type: "Photo") }
    await first.stop()
    let second = try await TestServer(folder: folder)
    #expect(try await radar(of: second) == ["type Photo   2"])
    let status = try await second.manage("status", [:])
    #expect(status["version"].string == ServerVersion.current)
    #expect(status["ready"] == true)
    let size = status["containers"][0]["stores"][0]["sizeBytes"].integer
    #expect((size ?? 0) > 0)
    await second.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}
