import HTTPTypes
import StratusHTTP
import StratusServer
import StratusTesting
import StratusWire
import Testing

/// The server's answers to callers that send too many requests.
@Suite struct LimitsOfTheServer {
  private func withLimits(
    _ limits: LimitSettings, clock: MovedClock = MovedClock(),
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let server = try await TestServer(live: clock.live, limits: limits)
    do {
      try await body(server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func expect(
    _ answer: Client.Answer, _ rule: LimitRule, status: Int, code: String, seconds: Int
  ) throws {
    answer.expectRefusal("\(rule)", code: code)
    #expect(answer.status == status)
    #expect(answer.reason == rule.reason)
    #expect(answer.json["retryAfter"] == .int(Int64(seconds)))
    #expect(try answer.header("Retry-After") == "\(seconds)")
    #expect(try answer.header("X-Stratus-Limit") == rule.rawValue)
  }

  @Test func `a user with too many requests is throttled, and other users are not`() async throws {
    let clock = MovedClock()
    let limits = LimitSettings(requestsPerUser: .init(perSecond: 1, burst: 3))
    try await withLimits(limits, clock: clock) { server in
      let anna = try await server.client("anna@example.org")
      for _ in 0..<3 { #expect(try await anna.get("users/caller").status == 200) }
      let refused = try await anna.get("users/caller")
      try expect(refused, .requestsPerUser, status: 429, code: "THROTTLED", seconds: 1)
      let bob = try await server.client("bob@example.org")
      #expect(try await bob.get("users/caller").status == 200)
      clock.move(bySeconds: 1)
      let answer = try await anna.get("users/caller")
      #expect(answer.status == 200)
      #expect(try answer.header("X-Stratus-Limit") == nil)
    }
  }

  @Test
  func `the requests of all users with one API token are throttled together`() async throws {
    let limits = LimitSettings(requestsPerAPIToken: .init(perSecond: 1, burst: 2))
    try await withLimits(limits) { server in
      let anna = try await server.client("anna@example.org")
      var ben = try await server.client("ben@example.org")
      ben.apiToken = anna.apiToken
      #expect(try await anna.get("users/caller").status == 200)
      #expect(try await ben.get("users/caller").status == 200)
      let refused = try await ben.get("users/caller")
      try expect(refused, .requestsPerAPIToken, status: 429, code: "THROTTLED", seconds: 1)
    }
  }

  @Test
  func `anonymous callers are throttled by address, and signed-in users are not`() async throws {
    let limits = LimitSettings(
      requestsPerUser: .init(perSecond: 1, burst: 100),
      requestsPerAPIToken: .init(perSecond: 1, burst: 100),
      anonymousRequestsPerAddress: .init(perSecond: 1, burst: 2),
      anonymousRequestsPerAPIToken: .init(perSecond: 1, burst: 3))
    try await withLimits(limits) { server in
      var anna = try await server.client("anna@example.org")
      anna.apiToken = server.otherUser.apiToken
      let body: JSON = ["records": [["recordName": "n"]]]
      func ask(from address: String) async throws -> Client.Answer {
        var otherUser = server.otherUser
        otherUser.clientAddress = address
        return try await otherUser.answer("records/lookup", body)
      }
      for _ in 0..<2 { #expect(try await ask(from: "192.0.2.1").status == 200) }
      try expect(
        try await ask(from: "192.0.2.1"), .anonymousRequestsPerAddress, status: 429,
        code: "THROTTLED", seconds: 1)
      #expect(try await ask(from: "192.0.2.2").status == 200)
      try expect(
        try await ask(from: "192.0.2.2"), .anonymousRequestsPerAPIToken, status: 429,
        code: "THROTTLED", seconds: 1)
      for _ in 0..<10 { #expect(try await anna.get("users/caller").status == 200) }
    }
  }

  @Test(arguments: [
    ["2001:db8::1", "2001:db8::2", "2001:0DB8:0:0:ffff::3"],
    ["::ffff:192.0.2.1", "192.0.2.1", "::FFFF:c000:201"],
  ])
  func `anonymous callers are throttled together if their addresses count as one address`(
    addresses: [String]
  ) async throws {
    let limits = LimitSettings(anonymousRequestsPerAddress: .init(perSecond: 1, burst: 2))
    try await withLimits(limits) { server in
      var statuses: [Int] = []
      for address in addresses + ["2001:db8:0:1::1"] {
        var client = server.otherUser
        client.clientAddress = address
        let body: JSON = ["records": [["recordName": "n"]]]
        statuses.append(try await client.answer("records/lookup", body).status)
      }
      #expect(statuses == [200, 200, 429, 200])
    }
  }

  @Test func `after wrong credentials, an address is refused before its credentials are examined`()
    async throws
  {
    let clock = MovedClock()
    let limits = LimitSettings(anonymousRequestsPerAddress: .init(perSecond: 1, burst: 3))
    try await withLimits(limits, clock: clock) { server in
      var anna = try await server.client("anna@example.org")
      try await server.manage("containers/create", ["containerID": "iCloud.org.example.Keys"])
      let program = try await SigningClient(
        server, clock: clock, container: "iCloud.org.example.Keys")
      var guesser = Client(router: server.router)
      (guesser.clientAddress, anna.clientAddress) = ("2001:db8::1", "2001:db8::2")
      var signer = program.client
      signer.clientAddress = "2001:db8::3"
      let target = signer.target("zones/list")
      var wrong = try program.headers(target: target, body: [])
      wrong["X-Apple-CloudKit-Request-KeyID"] = String(repeating: "0a", count: 32)
      for number in 0..<3 {
        guesser.apiToken = String(repeating: "\(number)", count: 64)
        #expect(try await guesser.get("users/caller").status == 401)
      }
      try expect(
        try await guesser.get("users/caller"), .anonymousRequestsPerAddress, status: 429,
        code: "THROTTLED", seconds: 1)
      #expect(try await signer.send(.get, target, headers: wrong).status == 429)
      // The server still answers a user with valid tokens, and requests from other addresses.
      #expect(try await anna.get("users/caller").status == 200)
      (guesser.clientAddress, signer.clientAddress) = ("2001:db8:0:1::1", "2001:db8:0:1::1")
      #expect(try await guesser.get("users/caller").status == 401)
      #expect(try await signer.send(.get, target, headers: wrong).status == 401)
      guesser.clientAddress = "2001:db8::1"
      clock.move(bySeconds: 1)
      #expect(try await guesser.get("users/caller").status == 401)
    }
  }

  @Test func `preflights with unknown tokens count as wrong credentials`() async throws {
    let limits = LimitSettings(anonymousRequestsPerAddress: .init(perSecond: 1, burst: 3))
    try await withLimits(limits) { server in
      var guesser = Client(router: server.router, apiToken: String(repeating: "a", count: 64))
      guesser.clientAddress = "192.0.2.1"
      for _ in 0..<3 { _ = try await guesser.send(.options, guesser.target("users/caller")) }
      #expect(try await guesser.get("users/caller").status == 429)
    }
  }

  @Test func `the bytes of a request and its answer count as further requests`() async throws {
    let clock = MovedClock()
    let limits = LimitSettings(requestsPerUser: .init(perSecond: 10, burst: 40))
    try await withLimits(limits, clock: clock) { server in
      let anna = try await server.client("anna@example.org")
      let text = String(repeating: "x", count: 1_000_000)
      try await anna.save("n", fields: ["text": ["value": .string(text)]])
      // About 1 MB arrives and 1 MB is sent, which counts as 30 requests of 64 KiB. The second save
      // is the last one allowed.
      try await anna.save("n", fields: ["text": ["value": .string(text)]])
      let refused = try await anna.get("users/caller")
      refused.expectRefusal("a request after 4 MB", code: "THROTTLED")
      clock.move(bySeconds: 8)
      #expect(try await anna.get("users/caller").status == 200)
    }
  }

  @Test
  func `a request with too many changes is refused, and none of the changes is made`()
    async throws
  {
    let limits = LimitSettings(operationsPerUser: .init(perSecond: 1, burst: 4))
    try await withLimits(limits) { server in
      let anna = try await server.client("anna@example.org")
      let save: JSON = [
        "operationType": "forceUpdate", "record": ["recordType": "Note", "recordName": "a"],
      ]
      try await anna.makeZone("Z")
      let body: JSON = ["zoneID": ["zoneName": "Z"], "operations": [save]]
      #expect(try await anna.answer("records/modify", body).status == 200)
      let three: JSON = [
        "zoneID": ["zoneName": "Z"],
        "operations": .array(
          ["x", "y", "z"].map {
            [
              "operationType": "forceUpdate",
              "record": ["recordType": "Note", "recordName": "\($0)"],
            ]
          }),
      ]
      let refused = try await anna.answer("records/modify", three)
      try expect(refused, .operationsPerUser, status: 429, code: "THROTTLED", seconds: 1)
      #expect(try await anna.lookup(["x"], in: "Z")[0]["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `a write to a zone with too many writers is refused temporarily`() async throws {
    try await withLimits(LimitSettings(zoneWritersMax: 0)) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Z")
      let body: JSON = [
        "zoneID": ["zoneName": "Z"],
        "operations": [["operationType": "forceDelete", "record": ["recordName": "a"]]],
      ]
      let refused = try await anna.answer("records/modify", body)
      try expect(refused, .writersPerZone, status: 503, code: "TRY_AGAIN_LATER", seconds: 1)
      #expect(try await anna.lookup(["a"], in: "Z").array?.count == 1)
    }
  }

  @Test func `opening a stream counts as a request, and a poll does not`() async throws {
    let clock = MovedClock()
    let limits = LimitSettings(requestsPerUser: .init(perSecond: 1, burst: 3))
    try await withLimits(limits, clock: clock) { server in
      let anna = try await server.client("anna@example.org")
      let token = try await anna.ask("tokens/create", as: "p", Tokens.request).json
      let target = anna.deviceTarget("notifications/stream", clientID: "c")
      for _ in 0..<2 { #expect(try await anna.open(target).head.status == .ok) }
      try await expectRefusal(
        try await anna.open(target), .requestsPerUser, seconds: 1)
      let poll = HTTPRequest(
        method: .get, scheme: "http", authority: "stratus.test",
        path: try token["webcourierURL"].target)
      for _ in 0..<5 {
        guard case .poll = await server.router.listen(poll) else {
          Issue.record("the server must not refuse a poll")
          return
        }
      }
      clock.move(bySeconds: 1)
      #expect(try await anna.open(target).head.status == .ok)
    }
  }

  @Test func `the number of a user's open streams is limited`() async throws {
    try await withLimits(LimitSettings(streamsPerUserMax: 2)) { server in
      let anna = try await server.client("anna@example.org")
      func target(_ device: String) -> String {
        anna.deviceTarget("notifications/stream", clientID: device)
      }
      var first: AsyncStream<[UInt8]>? = try await anna.open(target("a")).body
      let second = try await anna.open(target("b"))
      #expect(second.head.status == .ok)
      try await expectRefusal(try await anna.open(target("c")), .streamsPerUser, seconds: 60)
      let bob = try await server.client("bob@example.org")
      let other = try await bob.open(bob.deviceTarget("notifications/stream", clientID: "a"))
      #expect(other.head.status == .ok)
      withExtendedLifetime(first) {}
      first = nil
      #expect(try await anna.open(target("c")).head.status == .ok)
      withExtendedLifetime((second, other)) {}
    }
  }

  private func expectRefusal(
    _ answer: (head: HTTPResponse, body: AsyncStream<[UInt8]>), _ rule: LimitRule, seconds: Int
  ) async throws {
    let body = try await JSON(parsing: answer.body.reduce(into: []) { $0 += $1 })
    #expect(answer.head.status == .tooManyRequests)
    #expect(answer.head.headerFields[.retryAfter] == "\(seconds)")
    #expect(
      answer.head.headerFields[try #require(HTTPField.Name("X-Stratus-Limit"))] == rule.rawValue)
    #expect(body["serverErrorCode"] == "THROTTLED")
    #expect(body["reason"].string == rule.reason)
  }

  /// NB: in PostgreSQL the registry has the same limit, so the server would not start.
  @Test(.enabled(if: TestEngine.hasFiles, "each store of SQLite has a queue of its own"))
  func `a request to a store whose queue is full is refused temporarily`() async throws {
    try await withLimits(LimitSettings(storeWaitingMax: 0)) { server in
      let anna = try await server.client("anna@example.org")
      // The request is a write, because a read of a container that does not exist yet opens no
      // store.
      let zone: JSON = ["zoneID": ["zoneName": "Z"]]
      let refused = try await anna.answer(
        "zones/modify", ["operations": [["operationType": "create", "zone": zone]]])
      try expect(refused, .waitingPerStore, status: 503, code: "TRY_AGAIN_LATER", seconds: 1)
    }
  }

  @Test func `an index is built by several requests if each may read only a few records`()
    async throws
  {
    try await withLimits(LimitSettings(indexBuildRowsMax: 1)) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Z")
      let saves = (0..<3).map { number -> JSON in
        [
          "operationType": "forceUpdate",
          "record": [
            "recordType": "Note", "recordName": "\(number)",
            "fields": ["count": ["value": .int(Int64(number))]],
          ],
        ]
      }
      let zone: JSON = ["zoneName": "Z"]
      let saved = try await anna.answer(
        "records/modify", ["zoneID": zone, "operations": .array(saves)])
      #expect(saved.status == 200)
      let filter: JSON = [
        "comparator": "EQUALS", "fieldName": "count", "fieldValue": ["value": 1],
      ]
      let query: JSON = [
        "zoneID": zone, "query": ["recordType": "Note", "filterBy": [filter]],
      ]
      let refused = try await anna.answer("records/query", query)
      try expect(refused, .indexBuilding, status: 503, code: "TRY_AGAIN_LATER", seconds: 1)
      var tries = 1
      while tries < 10, try await anna.answer("records/query", query).status != 200 { tries += 1 }
      #expect(tries < 10)
    }
  }

  @Test func `the default limits allow 1,000 requests of one user in a row`() async throws {
    try await withLimits(.standard) { server in
      let anna = try await server.client("anna@example.org")
      for _ in 0..<1_000 { #expect(try await anna.get("users/caller").status == 200) }
    }
  }
}
