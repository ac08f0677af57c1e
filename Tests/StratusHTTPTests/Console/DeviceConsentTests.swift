import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

@Suite struct `The sync state of a user's devices` {
  private static let user = "carla@example.org"
  private static let store: JSON = [
    "containerID": "\(ConsoleScene.container)", "environment": "development",
  ]

  /// Creates a user with a session of an app, and returns the user's browser and the app.
  private func makeUser(_ scene: ConsoleScene) async throws -> (Browser, Client) {
    try await scene.server.manage(
      "accounts/create", ["email": "\(Self.user)", "password": "\(ConsoleScene.password)"])
    let token = try await scene.server.manage(
      "web-tokens/create", Self.store.with("email", "\(Self.user)"))
    let api = try await scene.server.manage("api-tokens/create", Self.store)
    let client = Client(
      router: scene.server.router, apiToken: api["token"].string,
      webAuthToken: token["token"].string,
      extraQuery: "clientId=phone-1")
    let browser = Browser(scene.server)
    let page = try await browser.signIn(
      email: Self.user, password: ConsoleScene.password, keep: true)
    #expect(page.status == 200)
    return (browser, client)
  }

  private func makeCode(_ browser: Browser) async throws -> String {
    let page = try await browser.open("/account/devices")
    let made = try await browser.submit(page, "/account/devices/consent")
    let begin = try #require(made.text.firstRange(of: "<strong><code>"), "\(made.text)")
    return String(made.text[begin.upperBound...].prefix { $0 != "<" })
  }

  private func code(_ text: String) -> JSON { Self.store.with("code", "\(text)") }

  @Test func `the lag of a device is shown to its user, and to a member with the user's code`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let (browser, client) = try await makeUser(scene)
      try await client.makeZone("Notes")
      let zone: JSON = ["zones": [["zoneID": ["zoneName": "Notes"]]]]
      _ = try await client.post("changes/zone", zone)
      var laptop = client
      laptop.extraQuery = "clientId=laptop-2"
      for (device, name) in [(client, "own"), (laptop, "secret-a"), (laptop, "secret-b")] {
        _ = try await device.post(
          "records/modify",
          [
            "zoneID": ["zoneName": "Notes"],
            "operations": [
              [
                "operationType": "create",
                "record": ["recordName": "\(name)", "recordType": "Note", "fields": [:]],
              ]
            ],
          ])
      }
      scene.clock.move(bySeconds: 600)
      let page = try await browser.open("/account/devices")
      #expect(page.text.contains("phone-1"))
      #expect(page.text.contains("has not fetched 2 records of the zone"))
      #expect(!page.text.contains("secret-"))
      let developer = try await scene.browser(of: .developer, in: [ConsoleScene.container])
      let code = try await makeCode(browser)
      let answer = try await developer.call("management/devices/list", self.code(code))
      #expect(answer.status == 200, "\(answer.json)")
      let devices = answer.json["devices"].array ?? []
      let device = try #require(devices.first { $0["deviceID"] == "phone-1" }, "\(answer.json)")
      #expect(device["zones"][0]["lag"] == 2, "\(device)")
      #expect(device["lastSave"].integer != nil)
      #expect(!answer.text.contains("secret-"))
      #expect(!answer.text.contains(Self.user))
    }
  }

  @Test func `the devices of a user are not shown without the user's code`() async throws {
    try await ConsoleScene.with { scene in
      let (browser, _) = try await makeUser(scene)
      let owner = try await scene.ownersBrowser()
      for text in ["", "7KQM-PX2A-W9TD-4HGN", String(repeating: "A", count: 10_000)] {
        let answer = try await owner.call("management/devices/list", code(text))
        #expect(answer.status == 404, "\(answer.json)")
      }
      let byOperator = try await scene.server.managementAnswer(
        "devices/list", code("7KQM-PX2A-W9TD-4HGN"))
      #expect(byOperator.status == 404)
      let valid = try await makeCode(browser)
      #expect(
        try await owner.call("management/devices/list", code(valid.lowercased())).status == 200)
    }
  }

  @Test func `the account page shows that a team member has seen the user's devices`() async throws
  {
    try await ConsoleScene.with { scene in
      let (browser, _) = try await makeUser(scene)
      let sentence =
        "saw the state of your devices with your code for \(ConsoleScene.container) (development)"
      let code = code(try await makeCode(browser))
      #expect(try await !browser.open("/account").text.contains(sentence))
      let developer = try await scene.browser(of: .developer)
      #expect(try await developer.call("management/devices/list", code).status == 200)
      #expect(try await browser.open("/account").text.contains(sentence))
      let entries = try await scene.server.manage("audit/list", ["email": "\(Self.user)"])
      let entry = entries["entries"].array?.first { $0["action"] == "devices/list" }
      #expect(entry?["member"] == "developer@example.org", "\(entries)")
      #expect(entry?["containerID"] == "\(ConsoleScene.container)")
    }
  }

  @Test func `a code of consent ends after an hour, or when the user ends it`() async throws {
    try await ConsoleScene.with { scene in
      let (browser, _) = try await makeUser(scene)
      let owner = try await scene.ownersBrowser()
      let first = try await makeCode(browser)
      scene.clock.move(bySeconds: 1_500)
      _ = try await owner.call("management/status")
      scene.clock.move(bySeconds: 1_500)
      #expect(try await owner.call("management/devices/list", code(first)).status == 200)
      let used = try await browser.open("/account/devices")
      #expect(used.text.contains("last used"))
      scene.clock.move(bySeconds: 600)
      #expect(try await owner.call("management/devices/list", code(first)).status == 404)
      let second = try await makeCode(browser)
      let page = try await browser.open("/account/devices")
      _ = try await browser.submit(page, "/account/devices/end")
      #expect(try await owner.call("management/devices/list", code(second)).status == 404)
    }
  }

  @Test func `a member who is limited to other containers cannot use a code of consent`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let (browser, _) = try await makeUser(scene)
      try await scene.server.manage("containers/create", ["containerID": "iCloud.org.example.B"])
      let member = try await scene.browser(of: .developer, in: ["iCloud.org.example.B"])
      let answer = try await member.call(
        "management/devices/list", code(try await makeCode(browser)))
      #expect(answer.status == 404)
      #expect(answer.json["reason"] == "\(Reason.containerNotFound)")
    }
  }
}

@Suite struct `Test accounts` {
  private static let test = "test@example.org"
  private static let path =
    "database/\(ConsoleScene.container)/development/private/records/modify"

  private func save(_ name: String) -> JSON {
    [
      "operations": [
        [
          "operationType": "create",
          "record": ["recordName": "\(name)", "recordType": "Note", "fields": [:]],
        ]
      ]
    ]
  }

  private func names(_ browser: ConsoleBrowser, _ prefix: String) async throws -> [String?] {
    let answer = try await browser.call(
      prefix + Self.path.replacing("modify", with: "query"),
      ["query": ["recordType": "Note"]])
    return answer.json["records"].array?.map { $0["recordName"].string } ?? ["\(answer.json)"]
  }

  @Test func `a developer who acts in the name of a test account uses that account's data`()
    async throws
  {
    try await ConsoleScene.with { scene in
      try await scene.server.manage(
        "accounts/create", ["email": "\(Self.test)", "isTest": true])
      let developer = try await scene.browser(of: .developer)
      let session = try await developer.call("session/fetch").json
      #expect(session["testAccounts"] == ["\(Self.test)"], "\(session)")
      let saved = try await developer.call("as/test%40example.org/" + Self.path, save("a"))
      #expect(saved.status == 200, "\(saved.json)")
      #expect(try await developer.call(Self.path, save("b")).status == 200)
      #expect(try await names(developer, "as/\(Self.test)/") == ["a"])
      #expect(try await names(developer, "") == ["b"])
    }
  }

  @Test func `a member cannot act in the name of a person's account`() async throws {
    try await ConsoleScene.with { scene in
      let owner = try await scene.ownersBrowser()
      try await scene.server.manage("accounts/create", ["email": "person@example.org"])
      for email in ["person@example.org", ConsoleScene.owner, "nobody@example.org", "", "%"] {
        let answer = try await owner.call("as/\(email)/" + Self.path, save("a"))
        #expect(answer.status == 404, "\(email): \(answer.json)")
        #expect(answer.json["reason"] == "\(Reason.endpointUnknown)")
      }
      // An existing account cannot become a test account.
      let again = try await scene.server.managementAnswer(
        "accounts/create", ["email": "person@example.org", "isTest": true])
      #expect(again.status == 400)
      let answer = try await owner.call("as/person@example.org/" + Self.path, save("a"))
      #expect(answer.status == 404)
    }
  }

  @Test func `only members who may use records can act in the name of a test account`() async throws
  {
    try await ConsoleScene.with { scene in
      try await scene.server.manage(
        "accounts/create", ["email": "\(Self.test)", "isTest": true])
      for role in [TeamRole.operator, .auditor] {
        let browser = try await scene.browser(of: role)
        #expect(try await browser.call("session/fetch").json["testAccounts"] == .null)
        #expect(try await browser.call("as/\(Self.test)/" + Self.path, save("a")).status == 404)
      }
      let stranger = scene.browser
      #expect(try await stranger.call("as/\(Self.test)/" + Self.path, save("a")).status == 401)
      let other = "iCloud.org.example.B"
      try await scene.server.manage("containers/create", ["containerID": "\(other)"])
      let limited = try await scene.browser(of: .developer, in: [other])
      #expect(try await limited.call("as/\(Self.test)/" + Self.path, save("a")).status == 404)
    }
  }

  @Test func `the account page tells the user of a test account that others can see its data`()
    async throws
  {
    try await ConsoleScene.with { scene in
      try await scene.server.manage(
        "accounts/create",
        ["email": "\(Self.test)", "isTest": true, "password": "\(ConsoleScene.password)"])
      let page = try await Browser(scene.server).signIn(
        email: Self.test, password: ConsoleScene.password)
      #expect(page.text.contains("This is a test account."))
    }
  }
}
