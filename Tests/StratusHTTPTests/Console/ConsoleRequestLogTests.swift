import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

@Suite struct `The request log in the console` {
  /// Sends a query as an app. The value in its filter must not appear in the log. Returns the
  /// request's ID.
  private func query(_ scene: ConsoleScene, in container: String) async throws -> String {
    let made = try await scene.server.manage(
      "api-tokens/create", ["containerID": "\(container)", "environment": "development"])
    let token = try #require(made["token"].string)
    let body: JSON = [
      "query": [
        "recordType": "Note",
        "filterBy": [
          [
            "fieldName": "title", "comparator": "EQUALS",
            "fieldValue": ["value": "canary value"],
          ]
        ],
      ]
    ]
    var head = HTTPRequest(
      method: .post, scheme: "http", authority: "stratus.test",
      path: "/database/1/\(container)/development/public/records/query?ckAPIToken=\(token)")
    head.headerFields[.userAgent] = "Notes/42 Linux"
    let (answer, _) = await scene.server.router.answer(
      head, body: WholeBody(try body.bytes), from: "192.0.2.99")
    let name = try #require(HTTPField.Name("X-Apple-Request-UUID"))
    return try #require(answer.headerFields[name])
  }

  @Test func `the console lists a request of an app without its contents`() async throws {
    try await ConsoleScene.with { scene in
      let owner = try await scene.ownersBrowser()
      let id = try await query(scene, in: ConsoleScene.container)
      let answer = try await owner.call("management/requests/list")
      let entry = answer.json["requests"][0]
      #expect(entry["requestID"] == "\(id)")
      #expect(entry["containerID"] == "\(ConsoleScene.container)")
      #expect(entry["endpoint"] == "records/query")
      #expect(entry["app"] == "Notes/42")
      #expect(entry["query"] == "Note where title EQUALS")
      for secret in ["anary", "192.0.2.99", "ckAPIToken"] {
        #expect(!answer.text.contains(secret), "\(secret)")
      }
    }
  }

  @Test func `a refused request is listed with its error code`() async throws {
    try await ConsoleScene.with { scene in
      let owner = try await scene.ownersBrowser()
      let head = HTTPRequest(
        method: .post, scheme: "http", authority: "stratus.test",
        path: "/database/1/\(ConsoleScene.container)/development/public/records/query")
      _ = await scene.server.router.answer(head, body: WholeBody([]), from: "192.0.2.99")
      let failed = try await owner.call(
        "management/requests/list", ["outcome": "failed"]
      ).json
      #expect(failed["requests"][0]["outcome"] == "AUTHENTICATION_FAILED", "\(failed)")
      #expect(failed["requests"][0]["reason"] == "Authentication failed")
      let fine = try await owner.call("management/requests/list", ["outcome": "ok"]).json
      #expect(fine["requests"] == [])
    }
  }

  @Test
  func `a member who is limited to some containers sees no requests to other containers`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let other = "iCloud.org.example.B"
      try await scene.server.manage("containers/create", ["containerID": "\(other)"])
      let browser = try await scene.browser(of: .auditor, in: [ConsoleScene.container])
      _ = try await query(scene, in: other)
      let id = try await query(scene, in: ConsoleScene.container)
      let list = try await browser.call("management/requests/list").json["requests"]
      #expect(list.array?.map { $0["requestID"].string } == [id])
    }
  }

  @Test
  func `a member who is limited to some containers sees the telemetry of these containers`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let other = "iCloud.org.example.B"
      try await scene.server.manage("containers/create", ["containerID": "\(other)"])
      let browser = try await scene.browser(of: .auditor, in: [ConsoleScene.container])
      _ = try await query(scene, in: other)
      _ = try await query(scene, in: ConsoleScene.container)
      let points = try await browser.call("management/telemetry/fetch").json["points"]
      #expect(points.array?.count == 1)
      #expect(points[0]["containerID"] == "\(ConsoleScene.container)")
      #expect(points[0]["endpoint"] == "records/query" && points[0]["count"] == 1)
    }
  }

  @Test(arguments: [
    ("missing required field 'zoneID'", "missing required field '…'"),
    ("record 'a'b' is of type 'x', not 'y'", "record '…'"),
    ("Invalid recordType 'secret", "Invalid recordType '…"),
    ("Authentication failed", "Authentication failed"),
  ])
  func `the reason of an error is logged without the caller's words`(
    reason: String, logged: String
  ) {
    #expect(Router.loggedForm(of: reason) == logged)
  }

  @Test func `an open page of the console gets each request as it arrives`() async throws {
    try await ConsoleScene.with { scene in
      let other = "iCloud.org.example.B"
      try await scene.server.manage("containers/create", ["containerID": "\(other)"])
      let browser = try await scene.browser(of: .developer, in: [ConsoleScene.container])
      var events = try await browser.live("?requests").makeAsyncIterator()
      #expect(await events.next() == "event: status\ndata: {\"version\":\"1.2.3\"}\n\n")
      _ = try await query(scene, in: other)
      let id = try await query(scene, in: ConsoleScene.container)
      // The page also gets an event about the created container.
      var event = await events.next() ?? ""
      while event.hasPrefix("event: changes") { event = await events.next() ?? "" }
      #expect(event.hasPrefix("event: requests\ndata: {\"requestID\":\"\(id)\""), "\(event)")
    }
  }

  @Test func `requests that arrive together reach a page together, at most 20 in a second`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      var events = try await browser.live("?requests").makeAsyncIterator()
      #expect(await events.next() == "event: status\ndata: {\"version\":\"1.2.3\"}\n\n")
      let entries = (0..<26).map { number in
        RequestEntry(
          requestID: "r\(number)", time: number < 25 ? 1 : 1_001, milliseconds: 1, bytesIn: 1,
          bytesOut: 1, containerID: ConsoleScene.container, environment: .development,
          database: .public, endpoint: "records/query", outcome: "ok", steps: 1,
          userRecordName: nil, deviceID: "", app: "")
      }
      func event(_ entry: RequestEntry) -> String {
        "event: requests\ndata: \(String(decoding: entry.jsonBytes, as: UTF8.self))\n\n"
      }
      scene.server.requestLog.append(Array(entries[..<25]))
      #expect(await events.next() == entries[..<20].map(event).joined())
      scene.server.requestLog.append([entries[25]])
      let skipped = "event: requests\ndata: {\"skipped\":5}\n\n"
      #expect(await events.next() == skipped + event(entries[25]))
    }
  }

  @Test
  func `live updates need a session, the same origin, and fewer than six streams`() async throws {
    try await ConsoleScene.with { scene in
      let guest = scene.browser
      #expect(try await guest.get("/console/1/live").status == 401)
      let owner = try await scene.ownersBrowser()
      owner.fields["Sec-Fetch-Site"] = "same-site"
      #expect(try await owner.get("/console/1/live").status == 403)
      owner.fields["Sec-Fetch-Site"] = "same-origin"
      var streams: [AsyncStream<String>] = []
      for _ in 0..<6 { streams.append(try await owner.live()) }
      #expect(try await owner.get("/console/1/live").status == 429)
      #expect(streams.count == 6)
    }
  }
}

extension ConsoleBrowser {
  /// Opens the stream of live updates.
  func live(_ query: String = "") async throws -> AsyncStream<String> {
    var head = HTTPRequest(
      method: .get, scheme: "http", authority: host, path: "/console/1/live" + query)
    head.headerFields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
    head.headerFields[.cookie] = "stratus-console=\(cookie ?? "")"
    let (answer, body) = await router.answer(head, body: WholeBody([]), from: "192.0.2.7")
    #expect(answer.status == .ok)
    guard case .events(let events) = body else {
      Issue.record("the answer has no events")
      return AsyncStream { $0.finish() }
    }
    return AsyncStream { continuation in
      let task = Task {
        for await event in events { continuation.yield(String(decoding: event, as: UTF8.self)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
