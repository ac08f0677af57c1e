import HTTPTypes
import StratusTesting
import StratusWire
import Testing

@Suite struct `The page about name and discovery` {
  @Test func `the user sets the name, and decides about discovery`() async throws {
    try await SignInScene.with { scene in
      let browser = scene.browser
      _ = try await browser.signIn()
      var page = try await browser.get("/account/profile")
      #expect(page.form("/account/profile")?["given"] == "")
      #expect(page.text.contains("value=\"no\" checked"))
      page = try await browser.submit(
        page, "/account/profile",
        ["given": " <Anna> ", "family": "O'Neil", "discoverable": "yes"])
      #expect(page.status == 200)
      #expect(page.text.contains("value=\"&lt;Anna&gt;\""))
      #expect(page.form("/account/profile")?["family"] == "O'Neil")
      #expect(page.text.contains("value=\"yes\" checked"))
      // A form without an answer withdraws the agreement.
      page = try await browser.submit(
        page, "/account/profile", ["given": "", "family": "", "discoverable": nil])
      #expect(page.text.contains("value=\"no\" checked"))
      let long = String(repeating: "a", count: 65)
      page = try await browser.submit(page, "/account/profile", ["given": long])
      #expect(page.status == 422)
      #expect(scene.log.text.contains("changed its name and discovery"))
    }
  }

  @Test func `without a sign-in, the page shows and changes nothing`() async throws {
    try await SignInScene.with { scene in
      #expect(try await scene.browser.get("/account/profile").status == 303)
      let browser = scene.browser
      _ = try await browser.signIn()
      let page = try await browser.get("/account/profile")
      let stranger = scene.browser
      _ = try await stranger.get("/auth/sign-in")
      let answer = try await stranger.send(
        .post, "/account/profile", page.form("/account/profile"), from: page)
      #expect(answer.status == 403)
    }
  }
}
