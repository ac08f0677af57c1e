import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// The endpoints `notifications/changes`, `read`, `badge` and `acknowledge`.
@Suite struct `Endpoints for stored notifications` {
  @Test
  func `stored notifications are read in pages, and a later page has later notifications`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let user = try await anna.userName()
      for id in ["1", "2", "3"] { try await server.queue(id, for: user) }
      try await server.queue("x", for: "_somebody")
      let first = try await anna.ask("notifications/changes", ["resultsLimit": 2]).json
      #expect(Self.ids(first) == ["1", "2"])
      #expect(first["moreComing"] == true)
      let second = try await anna.ask(
        "notifications/changes", ["serverChangeToken": first["serverChangeToken"]]
      ).json
      #expect(Self.ids(second) == ["3"])
      #expect(second["moreComing"] == false)
      try await server.queue("4", for: user)
      let third = try await anna.ask(
        "notifications/changes", ["serverChangeToken": second["serverChangeToken"]]
      ).json
      #expect(Self.ids(third) == ["4"])
    }
  }

  @Test
  func `a page lists the notifications that were marked as read since the previous page`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let user = try await anna.userName()
      for id in ["1", "2", "3"] { try await server.queue(id, for: user) }
      let first = try await anna.ask("notifications/changes").json
      let read = try await anna.ask(
        "notifications/read", ["notificationIDs": ["3", "1", "9"]]
      ).json
      #expect(read["notificationIDs"] == ["3", "1"])
      try await server.queue("4", for: user)
      let token: JSON = ["serverChangeToken": first["serverChangeToken"]]
      let second = try await anna.ask("notifications/changes", token).json
      #expect(Self.ids(second) == ["4"])
      #expect(second["readIDs"] == ["3", "1"])
      let cut = try await anna.ask("notifications/changes", token.with("resultsLimit", 1)).json
      #expect(Self.ids(cut) == [])
      #expect(cut["readIDs"] == ["3"])
      #expect(cut["moreComing"] == true)
      let whole = try await anna.ask("notifications/changes").json
      #expect(whole["notifications"].array?.map { $0["read"] } == [true, false, true, false])
    }
  }

  @Test
  func `a change token of another user or of a database is refused for notifications`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let bert = try await server.client("bert@example.org")
      let own = try await anna.ask("notifications/changes").json["serverChangeToken"]
      let database = try await anna.post("changes/database")["syncToken"]
      for (client, token) in [(bert, own), (anna, database), (anna, "rubbish")] {
        let answer = try await client.ask("notifications/changes", ["serverChangeToken": token])
        answer.expectRefusal("\(token)", code: "BAD_REQUEST")
      }
      let misused = try await anna.answer("changes/database", ["syncToken": own])
      misused.expectRefusal("a token of notifications", code: "BAD_REQUEST")
    }
  }

  @Test
  func `a notification increases the badge from the last value that a client set`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let user = try await anna.userName()
      #expect(try await anna.ask("notifications/badge", ["badge": 41]).status == 200)
      try await server.queue("1", for: user, badges: true)
      let all = try await anna.ask("notifications/changes").json
      #expect(all["notifications"][0]["payload"]["aps"]["badge"] == 42)
      let negative = try await anna.ask("notifications/badge", ["badge": -1])
      negative.expectRefusal("-1", code: "BAD_REQUEST")
    }
  }

  @Test func `a request that marks too many notifications as read is refused`() async throws {
    try await withAnna { anna in
      let ids = (0...Limits.notificationIDsPerRequestMax).map { JSON.string("\($0)") }
      let answer = try await anna.ask("notifications/read", ["notificationIDs": .array(ids)])
      answer.expectRefusal("\(ids.count)", code: "BAD_REQUEST")
    }
  }

  @Test func `a request that acknowledges notifications needs a client ID`() async throws {
    try await withAnna { anna in
      let answer = try await anna.ask("notifications/acknowledge", ["through": 1])
      answer.expectRefusal("nameless", code: "BAD_REQUEST")
    }
  }

  private static func ids(_ page: JSON) -> [String] {
    page["notifications"].array?.compactMap { $0["payload"]["ck"]["nid"].string } ?? []
  }
}
