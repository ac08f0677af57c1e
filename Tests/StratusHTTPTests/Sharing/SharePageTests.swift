import HTTPTypes
import StratusTesting
import Testing

/// The page at the URL of a share.
@Suite struct `The page of a share` {
  /// Anna signs in with the browser. Ann owns the zone Trips in the same container.
  private struct Stage {
    let sign: SignInScene
    let ann: Client
    let guid: String

    static let unknown = "0NEa3AEPXwK71VM4gHFnvh2kw"

    /// - Parameter participants: the participants of the private share of the record Rome.
    static func with(
      _ participants: [JSON], publicly permission: String = "NONE",
      title: String = "A trip", _ body: (Stage) async throws -> Void
    ) async throws {
      try await SignInScene.with { sign in
        try await sign.server.manage("accounts/create", ["email": "ann@example.org"])
        let made = try await sign.server.manage(
          "web-tokens/create",
          [
            "email": "ann@example.org", "containerID": "\(SignInScene.container)",
            "environment": "development",
          ])
        let ann = sign.client(made["token"].string)
        try await ann.makeZone("Trips")
        let share: JSON = [
          "recordName": "Share-1", "recordType": "cloudkit.share",
          "forRecord": ["recordName": "Rome"], "publicPermission": .string(permission),
          "fields": ["cloudkit.title": ["value": .string(title), "type": "STRING"]],
          "participants": .array(participants),
        ]
        let saved = try await ann.modify(
          [operation("create", "Rome"), ["operationType": "create", "record": share]],
          in: "Trips")
        let guid = try #require(saved[1]["shortGUID"].string, "\(saved)")
        try await body(Stage(sign: sign, ann: ann, guid: guid))
      }
    }

    func participants() async throws -> [JSON] {
      try await ann.lookup(["Share-1"], in: "Trips")[0]["participants"].array ?? []
    }
  }

  private static let anna: JSON = [
    "permission": "READ_WRITE",
    "userIdentity": ["lookupInfo": ["emailAddress": .string(SignInScene.email)]],
  ]

  /// Returns the text of a page without the values that differ for each request.
  private func plain(_ page: Browser.Page, _ id: String) -> String {
    page.textWithoutChallenge.replacing(id, with: "ID").replacing(
      page.form("/share/\(id)/request")?["form"] ?? page.form("/auth/sign-in")?["form"] ?? "-",
      with: "")
  }

  @Test
  func `an invited user signs in, accepts by a button and becomes a participant`() async throws {
    try await Stage.with([Self.anna]) { stage in
      let browser = stage.sign.browser
      let door = try await browser.get("/share/\(stage.guid)")
      #expect(door.status == 200)
      #expect(!door.text.contains("A trip"))
      let page = try await browser.submit(
        door, "/auth/sign-in",
        ["email": SignInScene.email, "password": SignInScene.password])
      #expect(page.status == 200)
      #expect(page.text.contains("<h1>A trip</h1>"))
      #expect(page.text.contains("ann@example.org"))
      #expect(page.text.contains(SignInScene.container))
      let joined = try await browser.submit(page, "/share/\(stage.guid)/accept")
      #expect(joined.status == 200)
      #expect(joined.text.contains("You take part."))
      let participants = try await stage.participants()
      #expect(participants.count == 2)
      #expect(participants[1]["acceptanceStatus"] == "ACCEPTED")
    }
  }

  @Test func `a GET request never accepts a share`() async throws {
    try await Stage.with([Self.anna]) { stage in
      let browser = stage.sign.browser
      _ = try await browser.signIn()
      for path in ["", "/accept", "/request"] {
        _ = try await browser.get("/share/\(stage.guid)\(path)")
      }
      #expect(try await stage.participants()[1]["acceptanceStatus"] == "INVITED")
    }
  }

  @Test func `a user whose account is restricted can neither see nor join a share`() async throws {
    try await Stage.with([Self.anna]) { stage in
      let browser = stage.sign.browser
      _ = try await browser.signIn()
      let open = try await browser.get("/share/\(stage.guid)")
      #expect(open.text.contains("<h1>A trip</h1>"))
      try await stage.sign.server.manage("accounts/restrict", ["email": "\(SignInScene.email)"])
      let page = try await browser.get("/share/\(stage.guid)")
      #expect(page.status == 403)
      #expect(!page.text.contains("A trip"))
      let unknown = try await browser.get("/share/\(Stage.unknown)")
      #expect(unknown.text == page.text)
      #expect(try await browser.get("/share/\(stage.guid)/picture").status == 403)
      for step in ["accept", "request"] {
        let form = try #require(open.form("/share/\(stage.guid)/accept"))
        let refused = try await browser.send(
          .post, "/share/\(stage.guid)/\(step)", form, from: open)
        #expect(refused.text == page.text)
      }
      #expect(try await stage.participants()[1]["acceptanceStatus"] == "INVITED")
      try await stage.sign.server.manage("accounts/unrestrict", ["email": "\(SignInScene.email)"])
      let joined = try await browser.submit(open, "/share/\(stage.guid)/accept")
      #expect(joined.text.contains("You take part."))
    }
  }

  @Test func `an acceptance of a share by a form needs the page's form token`() async throws {
    try await Stage.with([Self.anna]) { stage in
      let browser = stage.sign.browser
      _ = try await browser.signIn()
      let refused = try await browser.send(.post, "/share/\(stage.guid)/accept", [:])
      #expect(refused.status == 403)
      #expect(try await stage.participants()[1]["acceptanceStatus"] == "INVITED")
    }
  }

  @Test
  func `for a user without access, a private share's page equals an unknown share's page`()
    async throws
  {
    try await Stage.with([]) { stage in
      let browser = stage.sign.browser
      var door = try await browser.get("/share/\(stage.guid)")
      let unknownDoor = try await browser.get("/share/\(Stage.unknown)")
      #expect(door.status == unknownDoor.status)
      #expect(plain(door, stage.guid) == plain(unknownDoor, Stage.unknown))
      _ = try await browser.signIn()
      door = try await browser.get("/share/\(stage.guid)")
      let unknown = try await browser.get("/share/\(Stage.unknown)")
      #expect(door.status == 404)
      #expect(door.status == unknown.status)
      #expect(plain(door, stage.guid) == plain(unknown, Stage.unknown))
      #expect(!door.text.contains("A trip"))
      #expect(!door.text.contains("ann@example.org"))
      let asked = try await browser.submit(door, "/share/\(stage.guid)/request")
      let askedUnknown = try await browser.submit(unknown, "/share/\(Stage.unknown)/request")
      #expect(asked.text == askedUnknown.text)
      #expect(asked.status == askedUnknown.status)
    }
  }

  @Test func `a user can ask for access on the page of a share that takes requests`() async throws {
    try await Stage.with([]) { stage in
      let share = try await stage.ann.lookup(["Share-1"], in: "Trips")[0]
      _ = try await stage.ann.modify(
        [
          ["operationType": "update", "record": share.with("denyAccessRequests", false)]
        ], in: "Trips")
      let browser = stage.sign.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/share/\(stage.guid)")
      _ = try await browser.submit(page, "/share/\(stage.guid)/request")
      let found = try await stage.ann.lookup(["Share-1"], in: "Trips")[0]
      #expect(
        found["requesters"][0]["userIdentity"]["lookupInfo"]["emailAddress"]
          == .string(SignInScene.email))
    }
  }

  @Test func `a user with the URL of a public share does not see the owner's address`() async throws
  {
    try await Stage.with([], publicly: "READ_ONLY") { stage in
      let browser = stage.sign.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/share/\(stage.guid)")
      #expect(page.text.contains("<h1>A trip</h1>"))
      #expect(!page.text.contains("ann@example.org"))
    }
  }

  @Test
  func `a participant opens the app with the URL of the share, and others get a web page`()
    async throws
  {
    try await Stage.with([Self.anna]) { stage in
      try await stage.sign.server.manage(
        "containers/configure",
        [
          "containerID": "\(SignInScene.container)", "environment": "development",
          "shareAppURL": "trips://open?share=", "shareFallbackURL": "https://trips.example.org/",
        ])
      var visitor = stage.ann
      visitor.database = "public"
      let unknown = try await visitor.post(
        "records/resolve", ["shortGUIDs": [["value": "AAAnEa3AEPXwK71VM4gHFnvh2"]]])
      #expect(unknown["results"][0]["webpageURL"] == "https://trips.example.org/")
      let browser = stage.sign.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/share/\(stage.guid)")
      #expect(!page.text.contains("trips://"))
      let joined = try await browser.submit(page, "/share/\(stage.guid)/accept")
      #expect(joined.data("app") == "trips://open?share=")
      #expect(joined.text.contains("href=\"trips://open?share=http%3A%2F%2Flocalhost%2Fshare%2F"))
      #expect(joined.text.contains("href=\"https://trips.example.org/\""))
    }
  }

  @Test func `the page shows a share's title with HTML as text`() async throws {
    try await Stage.with([Self.anna], title: "<script>alert(1)</script>") { stage in
      let browser = stage.sign.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/share/\(stage.guid)")
      #expect(page.text.contains("&lt;script&gt;alert(1)"))
      #expect(!page.text.contains("<script>alert"))
    }
  }

  @Test(arguments: ["/share", "/share/", "/share/short", "/share/a%2Fb%2Fccccccc", "/share/x/y/z"])
  func `a path without an ID of a share leads to no page`(_ path: String) async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      #expect(try await browser.get(path).status == 404)
    }
  }

  @Test func `a sign-in with a forged ID of a share leads to the account page`() async throws {
    try await Stage.with([Self.anna]) { stage in
      let browser = stage.sign.browser
      let door = try await browser.get("/share/\(stage.guid)")
      let answer = try await browser.submit(
        door, "/auth/sign-in",
        [
          "email": SignInScene.email, "password": SignInScene.password,
          "share": "../../evil.example.org/",
        ], follows: false)
      #expect(answer.location == "/account")
    }
  }
}
