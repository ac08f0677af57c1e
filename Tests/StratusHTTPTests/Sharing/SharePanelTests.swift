import StratusTesting
import Testing

/// The page that a web app embeds to share a record.
@Suite struct `The sharing panel` {
  private static let path = "/applications/ck-share-ui/current"

  @Test(arguments: ["/en-us/", "/de-de", "/en-us"])
  func `other pages may embed the sharing panel, which runs only the server's own script`(
    locale: String
  ) async throws {
    try await SignInScene.with { scene in
      let page = try await scene.browser.get(Self.path + locale)
      #expect(page.status == 200)
      #expect(page.text.contains("<form id=\"panel\" hidden>"))
      let policy = try #require(page.header("Content-Security-Policy"))
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; "))
      #expect(!policy.contains("frame-ancestors"))
      #expect(page.header("X-Frame-Options") == nil)
      #expect(page.header("Set-Cookie") == nil)
      let script = try await scene.browser.get("/auth/share-panel.js")
      #expect(script.text.contains("credentials: \"omit\""))
    }
  }

  @Test func `the path of the sharing panel has no other pages`() async throws {
    try await SignInScene.with { scene in
      for path in [Self.path + "/en-us/other", Self.path, "/applications", "/applications/x"] {
        let page = try await scene.browser.get(path)
        #expect(page.status == 404, "\(path)")
      }
    }
  }
}
