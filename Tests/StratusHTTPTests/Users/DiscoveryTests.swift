import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// The discovery of users by their addresses, record names and telephone numbers.
@Suite struct `The discovery of users` {
  private static let ann = "ann@example.org"

  /// Runs a body with Ann and Bea. Ann has used the container, and Bea looks for her.
  private func withTwo(
    limits: LimitSettings = .unpaced, clock: MovedClock = MovedClock(),
    _ body: (_ server: TestServer, _ bea: Client, _ annName: String) async throws -> Void
  ) async throws {
    try await withServer(live: clock.live, limits: limits) { server in
      let ann = try await server.visitor(Self.ann)
      let bea = try await server.visitor("bea@example.org")
      // A write makes the container.
      try await bea.save("n-1")
      try await body(server, bea, try await ann.userName())
    }
  }

  private func configure(_ server: TestServer, _ changes: [String: JSON]) async throws {
    var body: JSON = ["email": .string(Self.ann)]
    for (key, value) in changes { body = body.with(key, value) }
    try await server.manage("accounts/configure", body)
  }

  private func discover(_ client: Client, _ lookup: JSON) async throws -> JSON {
    try await client.post("users/discover", ["lookupInfos": [lookup]])["users"]
  }

  @Test func `a request with a refused password does not change the profile`() async throws {
    try await withTwo { server, bea, name in
      let answer = try await server.managementAnswer(
        "accounts/configure",
        ["email": .string(Self.ann), "isDiscoverable": true, "password": "password"])
      #expect(answer.status == 400)
      #expect(try await discover(bea, ["userRecordName": .string(name)]) == [])
    }
  }

  @Test func `a user is found by address and by record name only after an agreement`() async throws
  {
    try await withTwo { server, bea, name in
      let lookups: [JSON] = [
        ["emailAddress": "Ann@Example.org"], ["userRecordName": .string(name)],
      ]
      for decision in [nil, false, true, false] as [Bool?] {
        if let decision {
          try await configure(
            server,
            ["isDiscoverable": .bool(decision), "givenName": "Ann", "familyName": "Äpfel"])
        }
        for lookup in lookups {
          let users = try await discover(bea, lookup)
          guard decision == true else {
            #expect(users == [], "\(lookup)")
            continue
          }
          let expected: JSON = [
            "userRecordName": .string(name),
            "nameComponents": ["givenName": "Ann", "familyName": "Äpfel"], "lookupInfo": lookup,
          ]
          #expect(users == [expected])
        }
      }
    }
  }

  @Test func `an answer has only the users who are found, in the order of the lookups`()
    async throws
  {
    try await withTwo { server, bea, name in
      try await configure(server, ["isDiscoverable": true])
      let all = try await bea.post(
        "users/discover",
        [
          "lookupInfos": [
            ["emailAddress": "nobody@example.org"], ["userRecordName": .string(name)],
            ["phoneNumber": "+49 30 1234567"], ["emailAddress": .string(Self.ann)],
            ["userRecordName": "_none"], ["phoneNumber": "no number"],
          ]
        ])["users"].array
      #expect(
        all?.map { $0["lookupInfo"] } == [
          ["userRecordName": .string(name)], ["emailAddress": .string(Self.ann)],
        ])
      // The server knows no contacts.
      #expect(try await bea.get("users/discover").json["users"] == [])
      #expect(try await bea.post("users/lookup/contacts")["users"] == [])
    }
  }

  @Test func `the older lookups answer with first and last names, or an error for each user`()
    async throws
  {
    try await withTwo { server, bea, name in
      try await configure(
        server, ["isDiscoverable": true, "givenName": "Ann", "familyName": ""])
      let byEmail = try await bea.post(
        "users/lookup/email",
        ["users": [["emailAddress": "ann@example.org"], ["emailAddress": "x@example.org"]]]
      )["users"]
      #expect(
        byEmail[0] == [
          "userRecordName": .string(name), "firstName": "Ann", "emailAddress": "ann@example.org",
        ])
      #expect(byEmail[1]["serverErrorCode"] == "NOT_FOUND")
      #expect(byEmail[1]["emailAddress"] == "x@example.org")
      let byName = try await bea.post(
        "users/lookup/id", ["users": [["userRecordName": .string(name)]]])["users"]
      #expect(byName == [["userRecordName": .string(name), "firstName": "Ann"]])
    }
  }

  @Test func `a user whose account is closed, or who never used the app, is not found`()
    async throws
  {
    try await withTwo { server, bea, _ in
      try await configure(server, ["isDiscoverable": true])
      let lookup: JSON = ["emailAddress": .string(Self.ann)]
      for (close, open) in [("disable", "enable"), ("restrict", "unrestrict")] {
        try await server.manage("accounts/\(close)", ["email": .string(Self.ann)])
        #expect(try await discover(bea, lookup) == [])
        try await server.manage("accounts/\(open)", ["email": .string(Self.ann)])
        #expect(try await discover(bea, lookup).array?.count == 1)
      }
      var elsewhere = bea
      elsewhere.container = "iCloud.org.example.Other"
      #expect(try await discover(elsewhere, lookup) == [])
    }
  }

  @Test func `callers see their own name only after their agreement`() async throws {
    try await withTwo { server, _, name in
      let ann = try await server.visitor(Self.ann)
      try await configure(server, ["givenName": "Ann", "familyName": "Lee"])
      var caller = try await ann.post("users/caller")
      #expect(caller["nameComponents"].isNull)
      #expect(caller["discoverability"] == "UNDECIDED")
      try await configure(server, ["isDiscoverable": true])
      caller = try await ann.post("users/caller")
      #expect(caller["nameComponents"] == ["givenName": "Ann", "familyName": "Lee"])
      #expect(caller["users"][0]["nameComponents"] == caller["nameComponents"])
      #expect(caller["discoverability"] == "GRANTED")
      let current = try await ann.get("users/current").json
      #expect(
        current == ["userRecordName": .string(name), "firstName": "Ann", "lastName": "Lee"])
    }
  }

  @Test func `lookups are refused outside the public database, and for malformed requests`()
    async throws
  {
    try await withTwo { _, bea, _ in
      let lookup: JSON = ["lookupInfos": [["emailAddress": "a@b.org"]]]
      for (database, type) in [("private", "privatedb"), ("shared", "shareddb")] {
        var caller = bea
        caller.database = database
        let answer = try await caller.answer("users/discover", lookup)
        #expect(answer.status == 400)
        #expect(answer.reason == "endpoint not applicable in the database type '\(type)'")
      }
      let many = [JSON](repeating: ["emailAddress": "a@b.org"], count: 101)
      for body in [
        ["lookupInfos": [[:]]], ["lookupInfos": 1], ["lookupInfos": [1]],
        ["lookupInfos": .array(many)],
      ] as [JSON] {
        let answer = try await bea.answer("users/discover", body)
        answer.expectRefusal("\(body)", code: "BAD_REQUEST")
      }
      for endpoint in ["users/lookup/email", "users/lookup/id"] {
        let answer = try await bea.answer(endpoint, [:])
        answer.expectRefusal(endpoint, code: "BAD_REQUEST")
      }
    }
  }

  @Test func `a user has a limited number of lookups in an hour, whether they find a user or not`()
    async throws
  {
    let clock = MovedClock()
    var limits = LimitSettings.unpaced
    limits.userLookupsPerHour = 100
    try await withTwo(limits: limits, clock: clock) { server, bea, name in
      let lookups = (0..<50).map { number -> JSON in
        number == 0 ? ["userRecordName": .string(name)] : ["emailAddress": "a\(number)@b.org"]
      }
      for _ in 0..<2 {
        _ = try await bea.post("users/discover", ["lookupInfos": .array(lookups)])
      }
      for (endpoint, key) in [("users/discover", "lookupInfos"), ("users/lookup/email", "users")] {
        let refused = try await bea.answer(endpoint, [key: [["emailAddress": "x@b.org"]]])
        refused.expectRefusal(endpoint, code: "THROTTLED")
        #expect(refused.reason == LimitRule.userLookups.reason)
        #expect(refused.json["retryAfter"] == 36)
      }
      let other = try await server.visitor("other@example.org")
      #expect(try await discover(other, ["emailAddress": "x@b.org"]) == [])
      clock.move(bySeconds: 36)
      #expect(try await discover(bea, ["emailAddress": "x@b.org"]) == [])
    }
  }

  @Test
  func `a web page gets a token of the caller's session only for an API token of the same store`()
    async throws
  {
    try await withTwo { server, _, _ in
      let place: JSON = [
        "containerID": .string(notes.container), "environment": "development",
      ]
      let made = try await server.manage("api-tokens/create", place)
      let production = try await server.manage(
        "api-tokens/create", place.with("environment", "production"))
      let ann = try await server.visitor(Self.ann)
      for token in ["", "00", production["token"]] as [JSON] {
        let refused = try await ann.answer("users/token", ["apiToken": token])
        refused.expectRefusal("\(token)", code: "BAD_REQUEST")
      }
      let answer = try await ann.post("users/token", ["apiToken": made["token"]])
      var page = ann
      page.apiToken = made["token"].string
      page.webAuthToken = answer["webAuthToken"].string
      #expect(try await page.userName() == (try await ann.userName()))
      try await server.manage("accounts/disable", ["email": .string(Self.ann)])
      #expect(try await page.get("users/caller").status == 401)
    }
  }
}
