import Foundation
import HTTPTypes
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusAccounts

/// A program on a device without a browser. The program signs its user in.
private struct Device {
  let scene: SignInScene
  var clientAddress = "192.0.2.50"

  /// Sends a form and returns the status and the JSON of the answer.
  func send(_ path: String, _ form: [String: String]) async throws -> (status: Int, json: JSON) {
    let browser = scene.browser
    browser.clientAddress = clientAddress
    let page = try await browser.send(.post, path, form)
    #expect(page.header("Content-Type") == "application/json; charset=utf-8")
    #expect(page.header("Cache-Control") == "no-store")
    #expect(page.header("Set-Cookie") == nil)
    return (page.status, try JSON(parsing: Array(page.text.utf8)))
  }

  func begin(machine: String = "workshop") async throws -> JSON {
    let (status, json) = try await send(
      "/auth/device-authorization", ["client_id": scene.apiToken, "device_name": machine])
    try #require(status == 200, "\(json)")
    return json
  }

  /// Advances the clock, and asks for the token.
  func ask(
    _ codes: JSON, _ changes: [String: String] = [:], afterSeconds seconds: Int64 = 5
  ) async throws -> (status: Int, json: JSON) {
    scene.clock.move(bySeconds: seconds)
    let form = [
      "client_id": scene.apiToken, "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
      "device_code": try #require(codes["device_code"].string),
    ]
    return try await send("/auth/token", form.merging(changes) { $1 })
  }

  func error(_ codes: JSON, _ changes: [String: String] = [:]) async throws -> String? {
    let (status, json) = try await ask(codes, changes)
    #expect(status >= 400)
    return json["error"].string
  }
}

/// RFC 8628, the device authorization grant.
@Suite struct `A device without a browser` {
  /// Returns the path of the page that the device shows to its user.
  private func page(_ codes: JSON) throws -> String {
    let url = try #require(codes["verification_uri_complete"].string)
    #expect(url == "http://localhost/auth/device?user_code=\(codes["user_code"].string ?? "")")
    return String(url.dropFirst("http://localhost".count))
  }

  @Test func `a device gets a token after its user has approved it`() async throws {
    try await SignInScene.with { scene in
      let before = try await scene.appSessionCount()
      let device = Device(scene: scene)
      let codes = try await device.begin()
      #expect(codes["expires_in"].integer == 600)
      #expect(codes["interval"].integer == 5)
      #expect(codes["verification_uri"].string == "http://localhost/auth/device")
      let letters = try #require(codes["user_code"].string)
      #expect(letters.wholeMatch(of: /[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/) != nil)
      #expect(try await device.error(codes) == "authorization_pending")
      let browser = scene.browser
      let form = try await browser.get(try page(codes))
      #expect(form.text.contains("to sign in a device"))
      #expect(!form.text.contains("workshop"))
      let consent = try await browser.submit(
        form, "/auth/sign-in", ["email": SignInScene.email, "password": SignInScene.password])
      for text in [
        "workshop", "192.0.2.50", letters, SignInScene.email, SignInScene.container,
        "development",
      ] { #expect(consent.text.contains(text), "\(text)") }
      // Opening the page does not sign in the device yet.
      #expect(try await device.error(codes) == "authorization_pending")
      let done = try await browser.submit(consent, "/auth/device/approve")
      #expect(done.text.contains("The device continues"))
      let (status, token) = try await device.ask(codes)
      #expect(status == 200)
      #expect(token["token_type"].string == "ckWebAuthToken")
      #expect(token["containerID"].string == SignInScene.container)
      #expect(token["environment"].string == "development")
      let client = scene.client(token["access_token"].string)
      #expect(try await client.get("users/caller").status == 200)
      // The device code gives only one token, and the user code is no longer valid.
      #expect(try await device.error(codes) == "expired_token")
      #expect(try await browser.get(try page(codes)).status == 404)
      #expect(try await scene.appSessionCount() == before + 1)
    }
  }

  @Test func `a device whose user refuses the sign-in gets no token`() async throws {
    try await SignInScene.with { scene in
      let before = try await scene.appSessionCount()
      let device = Device(scene: scene)
      let codes = try await device.begin()
      let browser = scene.browser
      _ = try await browser.signIn()
      let consent = try await browser.get(try page(codes))
      #expect(try await browser.submit(consent, "/auth/device/refuse").status == 200)
      #expect(try await browser.submit(consent, "/auth/device/approve").status == 404)
      #expect(try await device.error(codes) == "access_denied")
      #expect(try await scene.appSessionCount() == before)
    }
  }

  @Test func `a device needs its own code, its own API token and the right grant`() async throws {
    try await SignInScene.with { scene in
      let before = try await scene.appSessionCount()
      let device = Device(scene: scene)
      let codes = try await device.begin()
      let browser = scene.browser
      _ = try await browser.signIn()
      _ = try await browser.submit(
        try await browser.get(try page(codes)), "/auth/device/approve")
      let other = try await scene.server.manage(
        "api-tokens/create",
        ["containerID": "\(SignInScene.container)", "environment": "production"])
      let otherToken = try #require(other["token"].string)
      for (changes, error) in [
        (["client_id": "none"], "invalid_client"), (["client_id": otherToken], "expired_token"),
        (["grant_type": "password"], "unsupported_grant_type"),
        (["device_code": String(repeating: "0", count: 64)], "expired_token"),
        (["device_code": ""], "expired_token"),
      ] { #expect(try await device.error(codes, changes) == error) }
      #expect(try await scene.appSessionCount() == before)
      #expect(try await device.ask(codes).status == 200)
    }
  }

  @Test func `the codes of a device's sign-in expire after ten minutes`() async throws {
    try await SignInScene.with { scene in
      let device = Device(scene: scene)
      let codes = try await device.begin()
      let browser = scene.browser
      _ = try await browser.signIn()
      let consent = try await browser.get(try page(codes))
      scene.clock.move(bySeconds: 601)
      #expect(try await browser.get(try page(codes)).status == 404)
      #expect(try await browser.submit(consent, "/auth/device/approve").status == 404)
      #expect(try await device.error(codes) == "expired_token")
    }
  }

  @Test func `a device that asks too often has to wait longer`() async throws {
    try await SignInScene.with { scene in
      let device = Device(scene: scene)
      let codes = try await device.begin()
      #expect(try await device.error(codes) == "authorization_pending")
      for (seconds, error) in [
        (1, "slow_down"), (8, "slow_down"), (15, "authorization_pending"),
      ] as [(Int64, String)] {
        let answer = try await device.ask(codes, afterSeconds: seconds)
        #expect(answer.json["error"].string == error, "after \(seconds) s")
      }
    }
  }

  @Test func `a device gets no token if the account is disabled or has a new password`()
    async throws
  {
    for isDisabled in [true, false] {
      try await SignInScene.with { scene in
        let before = try await scene.appSessionCount()
        let device = Device(scene: scene)
        let codes = try await device.begin()
        let browser = scene.browser
        _ = try await browser.signIn()
        _ = try await browser.submit(
          try await browser.get(try page(codes)), "/auth/device/approve")
        scene.clock.move(bySeconds: 1)
        if isDisabled {
          try await scene.server.manage("accounts/disable", ["email": "\(SignInScene.email)"])
        } else {
          try await scene.server.manage(
            "accounts/configure",
            ["email": "\(SignInScene.email)", "password": "nine red bicycles"])
        }
        #expect(try await device.error(codes) == "expired_token")
        #expect(try await scene.appSessionCount() == before)
      }
    }
  }

  @Test func `an attacker cannot try many user codes`() async throws {
    try await SignInScene.with { scene in
      let device = Device(scene: scene)
      let codes = try await device.begin()
      let browser = scene.browser
      _ = try await browser.signIn()
      for number in 0..<10 {
        #expect(
          try await browser.get("/auth/device?user_code=BCDF-GHJ\(number)").status == 404)
        // A right code does not reset the count of wrong codes.
        if number == 5 { #expect(try await browser.get(try page(codes)).status == 200) }
      }
      #expect(try await browser.get(try page(codes)).status == 429)
      scene.clock.move(bySeconds: 3)
      #expect(try await browser.get(try page(codes)).status == 200)
    }
  }

  @Test func `one client address cannot use all pending device sign-ins that the server allows`()
    async throws
  {
    try await SignInScene.with { scene in
      var device = Device(scene: scene)
      for _ in 0..<100 { _ = try await device.begin() }
      let form = ["client_id": scene.apiToken]
      let refused = try await device.send("/auth/device-authorization", form)
      #expect(refused.status == 429)
      #expect(refused.json["error"].string == "slow_down")
      device.clientAddress = "192.0.2.51"
      #expect(try await device.send("/auth/device-authorization", form).status == 200)
      device.clientAddress = "192.0.2.50"
      scene.clock.move(bySeconds: 601)
      #expect(try await device.send("/auth/device-authorization", form).status == 200)
    }
  }

  @Test func `a device can end its own session`() async throws {
    try await SignInScene.with { scene in
      let made = try await scene.server.manage(
        "web-tokens/create",
        [
          "email": "\(SignInScene.email)", "containerID": "\(SignInScene.container)",
          "environment": "development",
        ])
      let token = try #require(made["token"].string)
      let device = Device(scene: scene)
      // RFC 7009 §2.2: the answer to an unknown token is the same.
      for text in ["", "unknown", token, token] {
        let answer = try await device.send(
          "/auth/revoke", ["client_id": scene.apiToken, "token": text])
        #expect(answer.status == 200)
      }
      #expect(try await scene.client(token).get("users/caller").status == 421)
      #expect(
        try await device.send("/auth/revoke", ["client_id": "x", "token": token]).status == 401)
    }
  }

  @Test func `the sign-in of a device needs HTTPS unless the client is on the same machine`()
    async throws
  {
    try await SignInScene.with { scene in
      let browser = scene.browser
      browser.host = "cloud.example.org"
      let page = try await browser.send(
        .post, "/auth/device-authorization", ["client_id": scene.apiToken])
      #expect(page.status == 403)
      #expect(try await browser.get("/auth/token").status == 405)
    }
  }

  @Test func `the shown name of a machine is short and has no control characters`() {
    #expect(ShownName.clean("a\nb\u{202E}c\u{0}") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}")
    #expect(ShownName.clean(String(repeating: "x", count: 100)).count == 64)
    var grant = DeviceGrant(
      apiTokenHash: [1, 2], userCodeHash: [3], machine: "a b", clientAddress: "::1", beganAt: 5)
    for decision in [
      DeviceGrant.Decision.none, .refused, .approved(accountID: "0a", at: 7),
    ] {
      grant.decision = decision
      #expect(DeviceGrant(text: grant.text) == grant)
    }
    for text in ["", "a", "01\n02\nx\nfive\n\nm", "01\n02\nx\n5\n1 2 3\nm"] {
      #expect(DeviceGrant(text: text) == nil)
    }
  }

  @Test func `a typed user code is read with or without hyphen, spaces and capitals`() {
    for typed in ["BCDF-GHJK", "bcdfghjk", " bcdf ghjk ", "BCDF\u{2011}GHJK"] {
      #expect(UserCode.read(typed) == "BCDFGHJK")
    }
    for typed in [
      "", "BCDFGHJ", "BCDFGHJKL", "ACDFGHJK", "BCDF-GHJ1", String(repeating: "-", count: 99),
    ] { #expect(UserCode.read(typed) == nil) }
  }

  @Test func `the goal of a sign-in is the page of a device, of a share or of the account`() {
    #expect(SignInGoal(device: "").path == "/auth/device")
    #expect(SignInGoal(device: "BCDFGHJK").path == "/auth/device?user_code=BCDF-GHJK")
    #expect(SignInGoal(share: "0abc").path == "/share/0abc")
    #expect(SignInGoal().path == "/account")
    #expect(SignInGoal().formPath == "/auth/sign-in")
  }
}
