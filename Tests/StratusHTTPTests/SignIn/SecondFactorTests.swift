import Foundation
import StratusDomain
import StratusTesting
import Testing

@testable import StratusAccounts

/// An account with a second factor.
private struct FactorScene {
  let mail: MailScene
  let secret: [UInt8]
  let recoveryCodes: [String]

  var scene: SignInScene { mail.scene }

  /// The code that the user's app shows now.
  var code: String {
    TimeCode.code(secret: secret, step: TimeCode.step(at: scene.clock.now))
  }

  /// Advances the clock to the next code, because each code is valid once.
  func awaitNextCode() { scene.clock.move(bySeconds: 30) }

  static func with(_ body: (FactorScene, Browser) async throws -> Void) async throws {
    try await MailScene.with(.closed) { mail in
      let browser = mail.scene.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/account/factor")
      let secret = try secret(on: page)
      let step = TimeCode.step(at: mail.scene.clock.now)
      let shown = try await browser.submit(
        page, "/account/factor",
        [
          "current": SignInScene.password,
          "code": TimeCode.code(secret: secret, step: step),
        ])
      try #require(shown.status == 200, "\(shown.text)")
      let codes = texts(on: shown)
      #expect(codes.count == 10)
      let scene = FactorScene(mail: mail, secret: secret, recoveryCodes: codes)
      scene.awaitNextCode()
      try await body(scene, browser)
    }
  }

  /// Returns the contents of the `code` elements of a page.
  static func texts(on page: Browser.Page) -> [String] {
    page.text.split(separator: "<code>").dropFirst().map { piece in
      String(piece.prefix { $0 != "<" }).replacing(" ", with: "")
    }
  }

  static func secret(on page: Browser.Page) throws -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let text = try #require(texts(on: page).first)
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    for character in text {
      bits = bits << 5 | (try #require(alphabet.firstIndex(of: character)))
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 255))
      }
      bits &= 0xFFF
    }
    return bytes
  }

  /// Signs in with the password, and sends a second factor.
  func signIn(_ browser: Browser, factor: String) async throws -> Browser.Page {
    let step = try await browser.signIn()
    try #require(step.form("/auth/second-step") != nil, "\(step.text)")
    return try await browser.submit(step, "/auth/second-step", ["factor": factor])
  }
}

@Suite struct `A second factor` {
  @Test func `with a second factor, a sign-in needs the password and a code of the app`()
    async throws
  {
    try await FactorScene.with { factor, _ in
      let browser = factor.scene.browser
      let step = try await browser.signIn()
      #expect(step.status == 200)
      // The password alone gives no session.
      #expect(try await browser.get("/account").status == 303)
      let wrong = try await browser.submit(step, "/auth/second-step", ["factor": "000000"])
      #expect(wrong.status == 403)
      let account = try await browser.submit(
        wrong, "/auth/second-step", ["factor": factor.code])
      #expect(account.status == 200)
      #expect(account.text.contains(SignInScene.email))
    }
  }

  @Test func `each code of a second factor is valid only once`() async throws {
    try await FactorScene.with { factor, _ in
      let code = factor.code
      let first = try await factor.signIn(factor.scene.browser, factor: code)
      #expect(first.status == 200)
      let second = try await factor.signIn(factor.scene.browser, factor: code)
      #expect(second.status == 403)
      factor.awaitNextCode()
      let later = try await factor.signIn(factor.scene.browser, factor: code)
      #expect(later.status == 403)
      let new = try await factor.signIn(factor.scene.browser, factor: factor.code)
      #expect(new.status == 200)
    }
  }

  @Test func `each recovery code is valid only once, and a mail reports its use`()
    async throws
  {
    try await FactorScene.with { factor, _ in
      _ = try await factor.mail.mails()
      let code = factor.recoveryCodes[3]
      let typed = code.lowercased().prefix(5) + "-" + code.dropFirst(5)
      #expect(
        try await factor.signIn(factor.scene.browser, factor: String(typed)).status == 200)
      #expect(try await factor.mail.mails().map(\.subject) == ["A recovery code was used"])
      #expect(try await factor.signIn(factor.scene.browser, factor: code).status == 403)
    }
  }

  @Test func `wrong codes of a second factor cause delays, which a right password does not end`()
    async throws
  {
    try await FactorScene.with { factor, _ in
      let browser = factor.scene.browser
      for _ in 0..<10 {
        #expect(try await factor.signIn(browser, factor: "000000").status == 403)
      }
      let page = try await factor.signIn(browser, factor: factor.code)
      #expect(page.status == 429)
      factor.scene.clock.move(bySeconds: 2)
      #expect(try await factor.signIn(browser, factor: factor.code).status == 200)
    }
  }

  @Test func `a pending sign-in ends after ten minutes, or when the password changes`()
    async throws
  {
    try await FactorScene.with { factor, _ in
      let browser = factor.scene.browser
      var step = try await browser.signIn()
      factor.scene.clock.move(bySeconds: 601)
      let late = try await browser.submit(
        step, "/auth/second-step", ["factor": factor.code], follows: false)
      #expect(late.location == "/auth/sign-in")
      step = try await browser.signIn()
      try await factor.mail.server.manage(
        "accounts/configure",
        ["email": "\(SignInScene.email)", "password": "\(MailScene.newPassword)"])
      let changed = try await browser.submit(
        step, "/auth/second-step", ["factor": factor.code], follows: false)
      #expect(changed.location == "/auth/sign-in")
    }
  }

  @Test func `a password reset by mail still needs the second factor`() async throws {
    try await FactorScene.with { factor, _ in
      let browser = factor.scene.browser
      _ = try await factor.mail.mails()
      _ = try await factor.mail.ask(browser, "/auth/reset", SignInScene.email)
      let form = try await browser.get(try await factor.mail.link())
      let new = MailScene.newPassword
      for wrong in [nil, "", "000000"] as [String?] {
        let refused = try await browser.submit(
          form, "/auth/code", ["password": new, "factor": wrong])
        #expect(refused.status == 403)
      }
      let account = try await browser.submit(
        form, "/auth/code", ["password": new, "factor": factor.code])
      #expect(account.text.contains("Your account"))
    }
  }

  @Test func `setting up a second factor needs password and code, and signs out other browsers`()
    async throws
  {
    try await MailScene.with(.closed) { mail in
      let scene = mail.scene
      let browser = scene.browser, other = scene.browser
      _ = try await browser.signIn()
      _ = try await other.signIn()
      let page = try await browser.get("/account/factor")
      let secret = try FactorScene.secret(on: page)
      let code = TimeCode.code(secret: secret, step: TimeCode.step(at: scene.clock.now))
      for (password, typed) in [("wrong", code), (SignInScene.password, "000000")] {
        let refused = try await browser.submit(
          page, "/account/factor", ["current": password, "code": typed])
        #expect(refused.status == 403)
        #expect(try FactorScene.secret(on: refused) == secret)
      }
      #expect(try await other.get("/account").status == 200)
      let done = try await browser.submit(
        page, "/account/factor", ["current": SignInScene.password, "code": code])
      #expect(done.status == 200)
      #expect(try await browser.get("/account").status == 200)
      #expect(try await other.get("/account").status == 303)
      // The page shows the recovery codes only once.
      #expect(FactorScene.texts(on: try await browser.get("/account/factor")).isEmpty)
    }
  }

  @Test func `a user can make new recovery codes and remove the second factor`() async throws {
    try await FactorScene.with { factor, browser in
      var page = try await browser.get("/account/factor")
      let shown = try await browser.submit(
        page, "/account/factor/change",
        ["current": SignInScene.password, "factor": factor.code, "action": "codes"])
      let codes = FactorScene.texts(on: shown)
      #expect(Set(codes).isDisjoint(with: factor.recoveryCodes))
      let old = try await factor.signIn(
        factor.scene.browser, factor: factor.recoveryCodes[0])
      #expect(old.status == 403)
      page = try await browser.get("/account/factor")
      _ = try await browser.submit(
        page, "/account/factor/change",
        ["current": SignInScene.password, "factor": codes[0], "action": "remove"])
      let account = try await factor.scene.browser.signIn()
      #expect(account.text.contains("Your account"))
    }
  }

  @Test func `the operator can remove the second factor of a user`() async throws {
    try await FactorScene.with { factor, _ in
      for status in [200, 404] {
        let answer = try await factor.mail.server.managementAnswer(
          "accounts/configure",
          ["email": "\(SignInScene.email)", "removesSecondFactor": true])
        #expect(answer.status == status)
      }
      #expect(try await factor.scene.browser.signIn().text.contains("Your account"))
    }
  }
}
