import Foundation
import StratusTesting
import Testing

/// The server's own pages know a user only by the cookie of a browser session. The credentials of
/// apps, programs and operators have no effect there.
@Suite struct `The authorization matrix of pages` {
  private struct Page: Hashable {
    let path: String
    let isPost: Bool
  }

  /// The requests of `stratus login`, which have no form token and need other fields than a form.
  private static let requestsOfPrograms = [
    "/auth/device-authorization", "/auth/token", "/auth/revoke",
  ]

  /// The pages in the switch of `AccountPages`, and examples of pages whose paths vary.
  private static func pages() throws -> [Page] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/StratusAccounts/Pages/AccountPages.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let found = text.matches(
      of: /case \(((Device|Address)Page\.path)?(?: \+ )?(?:"([^"]+)")?, (true|false)\)/
    ).map { match in
      let beginning = match.output.2.map { $0 == "Device" ? "/auth/device" : "/auth/address" }
      return Page(
        path: (beginning ?? "") + String(match.output.3 ?? ""), isPost: match.output.4 == "true")
    }
    #expect(found.count == text.matches(of: /(true|false)\):/).count)
    let others = ["/share/0NEa3AEPXwK71VM", "/auth/callback/x"]
    return found + others.map { Page(path: $0, isPost: false) }
      + requestsOfPrograms.map { Page(path: $0, isPost: true) }
  }

  @Test func `a page has the same answer for every caller without a browser session`()
    async throws
  {
    try await ConsoleScene.with { console in
      let scene = try await AccessScene(console, in: "development")
      var (cells, wrong) = (0, 0)
      for page in try Self.pages() {
        for caller in AccessCaller.allCases {
          let result = try await scene.page(page.path, isPost: page.isPost, as: caller)
          let anonymous = try await scene.page(page.path, isPost: page.isPost, as: .anonymous)
          // The account pages need a browser session. A form needs the form token of its page.
          let expected =
            page.isPost && !Self.requestsOfPrograms.contains(page.path)
            ? "403 "
            : page.path.hasPrefix("/account") ? "303 /auth/sign-in" : anonymous
          cells += 1
          if !result.hasPrefix(expected) || result != anonymous {
            wrong += 1
            Issue.record("\(caller) \(page.path): \(result.prefix(200)), expected \(expected)")
          }
        }
      }
      print("pages: \(cells) cells, \(wrong) wrong")
    }
  }
}
