import HTTPTypes
import StratusAccounts
import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// A share invites an address that is not the address of the user's account.
@Suite struct `Further addresses of an account` {
  /// Ann shares the record Rome with an address. Anna signs in with a browser.
  private struct Stage {
    let mail: MailScene
    let ann: Client
    let guid: String

    static let invited = "anna@example.net"
    static let unknown = "0NEa3AEPXwK71VM4gHFnvh2kw"

    static func with(
      sendsMails: Bool = true, mailsPerHour: Int = MailSettings.mailsPerHour,
      publicly permission: String = "NONE", _ body: (Stage) async throws -> Void
    ) async throws {
      try await MailScene.with(isAvailable: sendsMails, mailsPerHour: mailsPerHour) { mail in
        try await mail.server.manage("accounts/create", ["email": "ann@example.org"])
        let ann = mail.scene.client(try await token(of: "ann@example.org", on: mail))
        try await ann.makeZone("Trips")
        let share: JSON = [
          "recordName": "Share-1", "recordType": "cloudkit.share",
          "forRecord": ["recordName": "Rome"], "publicPermission": .string(permission),
          "fields": ["cloudkit.title": ["value": "A trip", "type": "STRING"]],
          "participants": [
            [
              "permission": "READ_WRITE",
              "userIdentity": ["lookupInfo": ["emailAddress": "\(invited)"]],
            ]
          ],
        ]
        let saved = try await ann.modify(
          [operation("create", "Rome"), ["operationType": "create", "record": share]],
          in: "Trips")
        let guid = try #require(saved[1]["shortGUID"].string, "\(saved)")
        try await body(Stage(mail: mail, ann: ann, guid: guid))
      }
    }

    static func token(of email: String, on mail: MailScene) async throws -> String? {
      let made = try await mail.server.manage(
        "web-tokens/create",
        [
          "email": .string(email), "containerID": "\(SignInScene.container)",
          "environment": "development",
        ])
      return made["token"].string
    }

    var path: String { "/share/\(guid)" }

    /// Anna's app.
    func app() async throws -> Client {
      var app = mail.scene.client(try await Self.token(of: SignInScene.email, on: mail))
      app.database = "public"
      return app
    }

    func ask(_ endpoint: String, _ app: Client) async throws -> JSON {
      try await app.post(endpoint, ["shortGUIDs": [["value": .string(guid)]]])["results"][0]
    }

    /// Asks for a mail on the page of a share.
    func ask(
      _ browser: Browser, for email: String, at path: String? = nil
    ) async throws -> Browser.Page {
      let path = path ?? self.path
      return try await browser.submit(
        try await browser.get(path), path + "/address", ["address": email])
    }

    /// Returns the path of the link in the only waiting mail.
    func link() async throws -> String {
      let mails = try await mail.mails()
      try #require(mails.count == 1)
      let start = MailScene.url + "/auth/address?code="
      let line = try #require(
        mails[0].text.split(separator: "\n").first { $0.hasPrefix(start) }, "\(mails[0].text)")
      return String(line.dropFirst(MailScene.url.count))
    }

    func participants() async throws -> [JSON] {
      try await ann.lookup(["Share-1"], in: "Trips")[0]["participants"].array ?? []
    }
  }

  @Test func `a user confirms another address by a mail, and accepts a share for it`() async throws
  {
    try await Stage.with { stage in
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      #expect(try await browser.get(stage.path).status == 404)
      let asked = try await stage.ask(browser, for: " Anna@Example.net ")
      #expect(asked.text.contains("Look into your mailbox"))
      let form = try await browser.get(try await stage.link())
      // Mail programs open links on their own, so the page changes nothing.
      let other = stage.mail.scene.browser
      _ = try await other.signIn()
      #expect(try await other.get(stage.path).status == 404)
      let page = try await browser.submit(form, "/auth/address")
      #expect(page.text.contains("<h1>A trip</h1>"))
      let joined = try await browser.submit(page, stage.path + "/accept")
      #expect(joined.text.contains("You take part."))
      #expect(try await stage.participants().map { $0["acceptanceStatus"] }.last == "ACCEPTED")
      let notice = try #require(try await stage.mail.mails().first)
      #expect(notice.recipient == SignInScene.email)
      #expect(notice.text.contains(Stage.invited))
    }
  }

  @Test func `an app can accept a share after the user has confirmed the address`() async throws {
    try await Stage.with { stage in
      let app = try await stage.app()
      for endpoint in ["records/resolve", "records/accept"] {
        let refused = try await stage.ask(endpoint, app)
        #expect(refused["serverErrorCode"] == "NOT_FOUND")
        #expect(refused["reason"].string == Reason.participantMayNeedVerification)
        #expect(
          refused["potentialMatchList"][0]["contactInformation"]["emailAddress"] == "a…@e….net")
      }
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      _ = try await stage.ask(browser, for: Stage.invited)
      let form = try await browser.get(try await stage.link())
      _ = try await browser.submit(form, "/auth/address")
      let accepted = try await stage.ask("records/accept", app)
      #expect(accepted["participantStatus"] == "ACCEPTED")
      #expect(accepted["participantType"] == "USER")
    }
  }

  @Test func `a user needs no verification once no invitation is open`() async throws {
    try await Stage.with { stage in
      let share = try await stage.ann.lookup(["Share-1"], in: "Trips")[0]
      _ = try await stage.ann.modify(
        [["operationType": "update", "record": share.with("participants", [])]], in: "Trips")
      let refused = try await stage.ask("records/resolve", try await stage.app())
      #expect(refused["serverErrorCode"] == "NOT_FOUND")
      #expect(refused["reason"].string == Reason.shareNotFound)
    }
  }

  @Test func `a user needs no verification for a share that everyone with the URL may join`()
    async throws
  {
    try await Stage.with(publicly: "READ_ONLY") { stage in
      let shown = try await stage.ask("records/resolve", try await stage.app())
      #expect(shown["serverErrorCode"].isNull)
      #expect(shown["participantType"] == "PUBLIC_USER")
    }
  }

  @Test func `the pages for a private share and for an unknown ID send the same mails`()
    async throws
  {
    try await Stage.with { stage in
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      let unknown = "/share/" + Stage.unknown
      let one = try await stage.ask(browser, for: Stage.invited)
      let known = try await stage.mail.mails()
      let two = try await stage.ask(browser, for: Stage.invited, at: unknown)
      let other = try await stage.mail.mails()
      #expect(one.status == two.status)
      #expect(one.text.replacing(stage.guid, with: Stage.unknown) == two.text)
      #expect(known.map(\.subject) == other.map(\.subject))
    }
  }

  @Test func `a mailed code works only in the browser that asked for it, and for ten minutes`()
    async throws
  {
    try await Stage.with { stage in
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      _ = try await stage.ask(browser, for: Stage.invited)
      let link = try await stage.link()
      let other = stage.mail.scene.browser
      #expect(try await other.get(link).status == 400)
      _ = try await other.signIn()
      #expect(try await other.get(link).status == 400)
      // The code sets no password.
      let password = link.replacing("/auth/address", with: "/auth/code")
      #expect(try await browser.get(password).status == 400)
      let form = try await browser.get(link)
      #expect(form.status == 200)
      stage.mail.scene.clock.move(bySeconds: 601)
      #expect(try await browser.get(link).status == 400)
      #expect(try await browser.submit(form, "/auth/address").status == 400)
      #expect(try await browser.get(stage.path).status == 404)
    }
  }

  @Test func `a mailed code is not valid after another account has signed in`() async throws {
    try await Stage.with { stage in
      try await stage.mail.server.manage(
        "accounts/create", ["email": "bea@example.org", "password": "\(SignInScene.password)"])
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      _ = try await stage.ask(browser, for: Stage.invited)
      let link = try await stage.link()
      _ = try await browser.submit(try await browser.get("/account"), "/auth/sign-out")
      _ = try await browser.signIn(email: "bea@example.org")
      #expect(try await browser.get(link).status == 400)
    }
  }

  @Test func `an address that has an account of its own gets a mail without a code`() async throws {
    try await Stage.with { stage in
      try await stage.mail.server.manage("accounts/create", ["email": "\(Stage.invited)"])
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      let asked = try await stage.ask(browser, for: Stage.invited)
      #expect(asked.text.contains("Look into your mailbox"))
      let mails = try await stage.mail.mails()
      #expect(mails.map(\.subject) == ["Your address has an account"])
      #expect(!mails[0].text.contains("code="))
    }
  }

  @Test func `one account and one mailbox get a limited number of mails`() async throws {
    try await Stage.with { stage in
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      for _ in 0..<4 {
        #expect(try await stage.ask(browser, for: Stage.invited).status == 200)
      }
      #expect(try await stage.mail.mails().count == 3)
      #expect(try await stage.ask(browser, for: "b@example.net").status == 200)
      #expect(try await stage.ask(browser, for: "c@example.net").status == 429)
      #expect(try await stage.mail.mails().map(\.recipient) == ["b@example.net"])
      stage.mail.scene.clock.move(bySeconds: 3_601)
      _ = try await browser.signIn()
      #expect(try await stage.ask(browser, for: "c@example.net").status == 200)
    }
  }

  @Test(arguments: ["", "no address", "anna@example.org", "a\r\nBcc: x@example.org"])
  func `a malformed address and the account's own address get no mail`(_ address: String)
    async throws
  {
    try await Stage.with { stage in
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      #expect(try await stage.ask(browser, for: address).status == 422)
      #expect(try await stage.mail.mails().isEmpty)
    }
  }

  @Test func `a server that sends no mails does not offer to confirm an address`() async throws {
    try await Stage.with(sendsMails: false) { stage in
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      let page = try await browser.get(stage.path)
      #expect(page.form(stage.path + "/address") == nil)
      let form = try #require(page.form(stage.path + "/request"))
      let refused = try await browser.send(.post, stage.path + "/address", form, from: page)
      #expect(refused.status == 404)
    }
  }

  @Test func `the page of the account lists further addresses and removes them`() async throws {
    try await Stage.with { stage in
      let browser = stage.mail.scene.browser
      _ = try await browser.signIn()
      _ = try await stage.ask(browser, for: Stage.invited)
      let form = try await browser.get(try await stage.link())
      _ = try await browser.submit(form, "/auth/address")
      #expect(try await browser.get(stage.path).status == 200)
      let account = try await browser.get("/account")
      #expect(account.text.contains(Stage.invited))
      let after = try await browser.submit(account, "/account/addresses/remove")
      #expect(!after.text.contains(Stage.invited))
      #expect(try await browser.get(stage.path).status == 404)
    }
  }
}
