import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusAccounts

@Suite struct `A member of the team with a second factor` {
  private static let secret: [UInt8] = Array(repeating: 7, count: 20)

  /// Gives the account of a member a second factor.
  private func setFactor(_ email: String, in scene: ConsoleScene) async throws {
    let accounts = scene.server.accounts
    let proven = try #require(
      try await accounts.account(
        email: email, password: ConsoleScene.password, isKnown: true))
    let session = BrowserSession(
      hash: [1], accountID: proven.account.id, createdAt: 0, lastUsedAt: 0, endsAt: 0,
      isKept: false, browser: "")
    _ = try await accounts.setFactor(
      secret: Self.secret, step: 0, of: proven, keeping: session)
  }

  @Test func `with a second factor, a sign-in to the console needs a code, which works once`()
    async throws
  {
    try await ConsoleScene.with { scene in
      let member = try await scene.browser(of: .developer)
      let email = "developer@example.org"
      try await setFactor(email, in: scene)
      // The session that began without the factor has ended.
      #expect(try await member.call("session/fetch").json["member"].isNull)
      let right = TimeCode.code(secret: Self.secret, step: TimeCode.step(at: scene.clock.now))
      for (code, status) in [(nil, 401), ("", 401), ("000000", 401), (right, 200), (right, 401)]
        as [(String?, Int)]
      {
        var request: JSON = ["email": "\(email)", "password": "\(ConsoleScene.password)"]
        if let code { request = request.with("factor", .string(code)) }
        let answer = try await scene.browser.call("session/sign-in", request)
        #expect(answer.status == status, "\(answer.json)")
      }
    }
  }
}
