import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

@Suite struct `Live updates of the console` {
  private static let status = "event: status\ndata: {\"version\":\"1.2.3\"}\n\n"

  private func save(
    _ name: String, _ scene: ConsoleScene, by browser: ConsoleBrowser
  ) async throws {
    let answer = try await browser.call(
      "database/\(ConsoleScene.container)/development/public/records/modify",
      [
        "operations": [
          [
            "operationType": "create",
            "record": ["recordName": "\(name)", "recordType": "Note", "fields": [:]],
          ]
        ]
      ])
    #expect(answer.status == 200, "\(answer.json)")
  }

  @Test func `an open page learns which database a save has changed, but not which record`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      var events = try await browser.live().makeAsyncIterator()
      #expect(await events.next() == Self.status)
      try await save("secret-name", scene, by: browser)
      #expect(
        await events.next() == """
          event: changes
          data: {"changes":[{"area":"records","containerID":"\(ConsoleScene.container)",\
          "environment":"development","database":"public"}]}


          """)
    }
  }

  @Test func `an open page learns of the changes that a command makes`() async throws {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      var events = try await browser.live().makeAsyncIterator()
      #expect(await events.next() == Self.status)
      try await scene.server.manage("containers/list", [:])
      try await scene.server.manage("accounts/create", ["email": "bert@example.org"])
      #expect(
        await events.next() == """
          event: changes
          data: {"changes":[{"area":"accounts"}]}


          """)
    }
  }

  @Test func `a member limited to one container gets no news of other containers or accounts`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let browser = try await scene.browser(of: .auditor, in: [ConsoleScene.container])
      var events = try await browser.live().makeAsyncIterator()
      #expect(await events.next() == Self.status)
      try await scene.server.manage("containers/create", ["containerID": "iCloud.org.example.B"])
      try await scene.server.manage("accounts/create", ["email": "bert@example.org"])
      try await scene.server.manage(
        "containers/configure",
        [
          "containerID": "\(ConsoleScene.container)", "environment": "development",
          "allowsQueryExtensions": true,
        ])
      let event = await events.next() ?? ""
      #expect(event.hasPrefix("event: changes\ndata: {\"changes\":[{\"area\":\"containers\""))
      #expect(!event.contains("example.B"))
      #expect(!event.contains("accounts"))
    }
  }

  @Test func `a page that does not show the request log gets no news of apps' requests`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      var events = try await browser.live().makeAsyncIterator()
      #expect(await events.next() == Self.status)
      scene.server.requestLog.append([
        RequestEntry(
          requestID: "r", time: 1, milliseconds: 1, bytesIn: 1, bytesOut: 1,
          containerID: ConsoleScene.container, environment: .development, database: .public,
          endpoint: "records/query", outcome: "ok", steps: 1, userRecordName: nil, deviceID: "",
          app: "")
      ])
      try await save("a", scene, by: browser)
      #expect(await events.next()?.hasPrefix("event: changes") == true)
    }
  }

  @Test func `an automatic request of an open page does not prolong the session`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let browser = try await scene.ownersBrowser()
      browser.fields["Stratus-Refresh"] = "1"
      for _ in 0..<3 {
        scene.clock.move(bySeconds: 601)
        _ = try await browser.call("management/status")
      }
      #expect(try await browser.call("management/status").status == 401)
    }
  }
}
