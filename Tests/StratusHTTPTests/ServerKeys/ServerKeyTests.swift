import Crypto
import Foundation
import HTTPTypes
import StratusAccounts
import StratusTesting
import StratusWire
import Testing

/// Server-to-server keys over HTTP: requests that are accepted, and their rights.
@Suite struct `A request signed with a server-to-server key` {
  private static let create: JSON = [
    "operations": [
      [
        "operationType": "create",
        "record": [
          "recordName": "n-1", "recordType": "Note", "fields": ["title": ["value": "Milk"]],
        ],
      ]
    ]
  ]

  @Test
  func `a signed request writes to the public database as the user of its key`() async throws {
    try await withServerKey { _, program in
      let saved = try await program.send("records/modify", Self.create)
      let record = saved.json["records"][0]
      #expect(record["created"]["userRecordName"].string == program.user)
      #expect(record["serverErrorCode"].isNull)
      let found = try await program.send(
        "records/lookup", ["records": [["recordName": "n-1"], ["recordName": "\(program.user)"]]])
      #expect(found.json["records"][0]["fields"]["title"]["value"] == "Milk")
      #expect(found.json["records"][1]["recordType"] == "Users")
    }
  }

  @Test func `each server key has a user of its own`() async throws {
    try await withServerKey { server, first in
      let second = try await SigningClient(
        server, clock: first.clock, container: first.client.container)
      #expect(first.id != second.id)
      #expect(first.user != second.user)
      #expect(first.id.wholeMatch(of: /[0-9a-f]{64}/) != nil)
      #expect(first.user.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
      _ = try await first.send("records/modify", Self.create)
      let change: JSON = [
        "operations": [
          [
            "operationType": "forceUpdate",
            "record": ["recordName": "n-1", "recordType": "Note"],
          ]
        ]
      ]
      #expect(
        try await second.send("records/modify", change).json["records"][0]["serverErrorCode"]
          == "ACCESS_DENIED")
    }
  }

  @Test
  func `for an empty body, a client may sign an empty text or the hash of zero bytes`()
    async throws
  {
    try await withServerKey { _, program in
      for text in ["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", ""] {
        let answer = try await program.send("zones/list") { $0.bodyText = text }
        #expect(answer.status == 200, "signed '\(text)': \(answer.json)")
      }
    }
  }

  @Test func `a server key may sign the path with the query or without the query`() async throws {
    try await withServerKey { _, program in
      let query = "ckjsBuildVersion=2402&remapEnums=true"
      let path = program.client.target("zones/list")
      for signed in [nil, path] {
        let answer = try await program.send("zones/list", query: query) { $0.path = signed }
        #expect(answer.status == 200, "signed \(signed ?? "all"): \(answer.json)")
      }
      let headers = try program.headers(target: "/wrong", body: [])
      let listed = try await program.client.send(.get, path, headers: headers)
      listed.expectUnauthenticated("another path")
    }
  }

  @Test func `the names of the signature headers may have any case`() async throws {
    try await withServerKey { _, program in
      let answer = try await program.send("zones/list") {
        $0.edit = { headers in
          headers = Dictionary(
            uniqueKeysWithValues: headers.map { ($0.key.lowercased(), $0.value) })
        }
      }
      #expect(answer.status == 200)
    }
  }

  @Test func `a signed request is accepted whatever tokens its URL contains`() async throws {
    try await withServerKey { server, program in
      for query in [
        "ckAPIToken=wrong", "ckAPIToken=\(server.developer.apiToken)",
        "ckWebAuthToken=wrong&ckAPIToken=\(server.developer.apiToken)",
      ] {
        let answer = try await program.send("records/modify", Self.create, query: query)
        #expect(answer.status == 200, "\(query): \(answer.json)")
        let record = answer.json["records"][0]
        let user = record["serverRecord"]["created"]["userRecordName"].string
        #expect(record["created"]["userRecordName"].string ?? user == program.user)
      }
    }
  }

  @Test func `every signature that a server key makes is accepted`() async throws {
    try await withServerKey { _, program in
      // In about half of all ECDSA signatures, the number s is in the upper half of its range. The
      // server must accept these signatures, too.
      for _ in 0..<20 {
        let answer = try await program.send("zones/list")
        #expect(answer.status == 200)
      }
    }
  }

  @Test func `the same signed request is accepted twice within the time window`() async throws {
    try await withServerKey { _, program in
      let target = program.client.target("zones/list")
      let headers = try program.headers(target: target, body: [])
      for seconds: Int64 in [0, 599, 1] {
        program.clock.move(bySeconds: seconds)
        #expect(try await program.client.send(.get, target, headers: headers).status == 200)
      }
    }
  }

  @Test(arguments: ["private", "shared"])
  func `a signed request cannot use the private or the shared database`(database: String)
    async throws
  {
    try await withServerKey { _, program in
      for (endpoint, body) in [
        ("zones/list", nil), ("records/lookup", ["records": [["recordName": "n-1"]]]),
        ("records/modify", Self.create), ("changes/database", [:]),
        ("records/query", ["query": ["recordType": "Note"]]),
        ("assets/upload", ["tokens": [["recordType": "Note", "fieldName": "file"]]]),
      ] as [(String, JSON?)] {
        try await program.send(endpoint, body, in: database).expectUnauthenticated(
          "\(database) \(endpoint)", reason: Reason.serverKeyInPublicOnly)
      }
    }
  }

  @Test(arguments: ["users/caller", "users/current"])
  func `a signed request cannot ask for the caller's user identity`(endpoint: String) async throws {
    try await withServerKey { _, program in
      try await program.send(endpoint).expectUnauthenticated(
        endpoint, reason: Reason.serverKeyIsNoAccount)
    }
  }

  @Test func `a signed request can create subscriptions and notification tokens`() async throws {
    try await withServerKey { server, program in
      let subscription: JSON = [
        "operations": [
          [
            "operationType": "create",
            "subscription": [
              "subscriptionID": "s-1", "subscriptionType": "query",
              "query": ["recordType": "Note"], "firesOn": ["create"],
              "notificationInfo": ["shouldSendContentAvailable": true],
            ],
          ]
        ]
      ]
      _ = try await program.send("records/modify", Self.create)
      let made = try await program.send("subscriptions/modify", subscription)
      #expect(made.json["subscriptions"][0]["subscriptionID"] == "s-1", "\(made.json)")
      let token = try await program.send(
        "tokens/create", ["apnsEnvironment": "development", "clientId": "job"])
      #expect(token.json["webcourierURL"].string != nil, "\(token.json)")
    }
  }

  @Test
  func `a signed request does not use up the rate limit of an API token in its URL`() async throws {
    let clock = MovedClock()
    let limits = LimitSettings(requestsPerAPIToken: .init(perSecond: 1, burst: 2))
    try await withServer(live: clock.live, limits: limits) { server in
      let container = "iCloud.org.example.Notes"
      try await server.manage("containers/create", ["containerID": "\(container)"])
      let program = try await SigningClient(server, clock: clock, container: container)
      let anna = try await server.client("anna@example.org")
      let query = "ckAPIToken=\(server.developer.apiToken)"
      for _ in 0..<10 {
        #expect(try await program.send("zones/list", query: query).status == 200)
      }
      #expect(try await anna.get("users/caller").status == 200)
    }
  }
}
