import StratusAccounts
import StratusDomain
import StratusTesting
import Testing

/// Mails to the addresses that a share invites (docs/internals/sharing.md).
@Suite struct `Invitations to shares by mail` {
  /// Ann owns the zone Trips with the record Rome.
  private struct Stage {
    let mail: MailScene
    let ann: Client

    /// - Parameter permits: whether the container permits invitation mails.
    static func with(
      permits: Bool = true, _ body: (Stage) async throws -> Void
    ) async throws {
      try await MailScene.with { mail in
        try await mail.server.manage("accounts/create", ["email": "ann@example.org"])
        let made = try await mail.server.manage(
          "web-tokens/create",
          [
            "email": "ann@example.org", "containerID": "\(SignInScene.container)",
            "environment": "development",
          ])
        let ann = mail.scene.client(made["token"].string)
        try await ann.makeZone("Trips")
        if permits {
          try await mail.server.manage(
            "containers/configure",
            [
              "containerID": "\(SignInScene.container)", "environment": "development",
              "mailsInvitations": true,
            ])
        }
        try await body(Stage(mail: mail, ann: ann))
      }
    }

    /// Shares a new record with addresses, and returns the share record.
    func share(
      _ name: String, with addresses: [String], title: String = "A trip"
    ) async throws -> JSON {
      let share: JSON = [
        "recordName": "Share-\(name)", "recordType": "cloudkit.share",
        "forRecord": ["recordName": "\(name)"],
        "fields": ["cloudkit.title": ["value": .string(title), "type": "STRING"]],
        "participants": .array(
          addresses.map { address -> JSON in
            [
              "permission": "READ_WRITE",
              "userIdentity": ["lookupInfo": ["emailAddress": .string(address)]],
            ]
          }),
      ]
      let saved = try await ann.modify(
        [operation("create", name), ["operationType": "create", "record": share]], in: "Trips")
      return saved[1]
    }
  }

  @Test func `an invited person gets a mail, signs up by another mail, and accepts`() async throws {
    try await Stage.with { stage in
      let share = try await stage.share("Rome", with: ["Bea@Example.org"])
      let guid = try #require(share["shortGUID"].string, "\(share)")
      let invitations = try await stage.mail.mails()
      try #require(invitations.map(\.recipient) == ["bea@example.org"])
      let text = invitations[0].text
      #expect(text.contains("ann@example.org shares something with you"))
      #expect(text.contains("\n\(MailScene.url)/share/\(guid)\n"))
      // The browser has no session yet, so the page is the same as for an unknown ID.
      let browser = stage.mail.scene.browser
      let door = try await browser.get("/share/\(guid)")
      #expect(door.text.contains("href=\"/auth/sign-up\""))
      _ = try await stage.mail.ask(browser, "/auth/sign-up", "bea@example.org")
      let form = try await browser.get(try await stage.mail.link())
      let page = try await browser.submit(
        form, "/auth/code", ["password": MailScene.newPassword])
      #expect(page.text.contains("<h1>A trip</h1>"))
      let joined = try await browser.submit(page, "/share/\(guid)/accept")
      #expect(joined.text.contains("You take part."))
      let records = try await stage.ann.lookup(["Share-Rome"], in: "Trips")
      #expect(records[0]["participants"][1]["acceptanceStatus"] == "ACCEPTED")
      #expect(browser.cookies["stratus-share"] == nil)
    }
  }

  @Test func `no invitation is mailed unless the operator permits it for the container`()
    async throws
  {
    try await Stage.with(permits: false) { stage in
      let share = try await stage.share("Rome", with: ["bea@example.org"])
      #expect(share["shortGUID"].string != nil)
      #expect(try await stage.mail.mails().isEmpty)
    }
  }

  @Test
  func `an invitation mail has no text that the inviter wrote, and is the same without an account`()
    async throws
  {
    try await Stage.with { stage in
      _ = try await stage.share(
        "Rome", with: [SignInScene.email, "nobody@example.org"], title: "Buy pills")
      let mails = try await stage.mail.mails()
      #expect(Set(mails.map(\.recipient)) == [SignInScene.email, "nobody@example.org"])
      #expect(Set(mails.map(\.text)).count == 1)
      #expect(Set(mails.map(\.subject)).count == 1)
      #expect(!mails.contains { $0.text.contains("pills") || $0.subject.contains("pills") })
    }
  }

  @Test func `a later save of a share mails only the addresses that it adds`() async throws {
    try await Stage.with { stage in
      var share = try await stage.share("Rome", with: ["bea@example.org"])
      _ = try await stage.mail.mails()
      for addresses in [["bea@example.org"], ["bea@example.org", "cid@example.org"]] {
        let people = addresses.map { address -> JSON in
          [
            "permission": "READ_ONLY",
            "userIdentity": ["lookupInfo": ["emailAddress": .string(address)]],
          ]
        }
        let saved = try await stage.ann.modify(
          [
            [
              "operationType": "update",
              "record": share.with("participants", .array(people)).with("fields", [:]),
            ]
          ], in: "Trips")
        share = saved[0]
      }
      #expect(try await stage.mail.mails().map(\.recipient) == ["cid@example.org"])
    }
  }

  @Test func `one mailbox gets at most three invitations in an hour, and still gets a reset link`()
    async throws
  {
    try await Stage.with { stage in
      for number in 0..<5 {
        _ = try await stage.share("Trip\(number)", with: ["anna+\(number)@example.org"])
      }
      #expect(try await stage.mail.mails().count == 3)
      _ = try await stage.mail.ask(stage.mail.scene.browser, "/auth/reset", SignInScene.email)
      #expect(try await stage.mail.mails().map(\.subject) == ["Set a new password"])
    }
  }

  @Test func `one account causes at most twenty invitations in an hour, even in one save`()
    async throws
  {
    try await Stage.with { stage in
      let share = try await stage.share("Rome", with: (0..<30).map { "u\($0)@example.org" })
      #expect(share["participants"].array?.count == 31)
      #expect(try await stage.mail.mails().count == 20)
      stage.mail.scene.clock.move(bySeconds: 3_601)
      _ = try await stage.share("Oslo", with: ["v@example.org"])
      #expect(try await stage.mail.mails().map(\.recipient) == ["v@example.org"])
    }
  }

  @Test(arguments: ["no at sign", "a@b@c", "a\r\nBcc: x@example.org", "<a@example.org>"])
  func `an address that mails cannot be sent to gets no invitation`(_ address: String) async throws
  {
    try await Stage.with { stage in
      _ = try await stage.share("Rome", with: [address])
      #expect(try await stage.mail.mails().isEmpty)
    }
  }
}
