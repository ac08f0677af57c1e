import StratusWire
import Synchronization
import Testing

@testable import StratusAccounts
@testable import StratusDomain
@testable import StratusServer

/// Two processes with one registry and one key file. Each has its own memory.
@Suite struct `Two processes with one registry` {
  private struct Pair {
    let one: Accounts
    let other: Accounts
    let clock: MovedClock
    let account: Account
    let apiToken = String(repeating: "ab", count: 32)

    /// Opens a session in one process.
    func webToken() async throws -> String {
      try await one.openSession(of: account, with: notes)
    }

    func admit(_ webToken: String, by accounts: Accounts) async throws(ServerError) -> Admission {
      try await accounts.admit(
        Credentials(apiToken: apiToken, webAuthToken: webToken), to: notes)
    }

    func refusal(of webToken: String, by accounts: Accounts) async -> ErrorCode? {
      do throws(ServerError) {
        _ = try await admit(webToken, by: accounts)
        return nil
      } catch {
        return error.code
      }
    }
  }

  private func withPair(_ body: (Pair) async throws -> Void) async throws {
    try await KeyFolder.with { url in
      let clock = MovedClock()
      let registry = try ServerStorage(inMemory: clock.live).registry
      func accounts() async throws -> Accounts {
        try await Accounts(
          registry: registry, signingKeys: try KeyFile(data: url), ambient: clock.live.ambient,
          randomness: clock.live.randomness)
      }
      let pair = Pair(
        one: try await accounts(), other: try await accounts(), clock: clock,
        account: Account(id: "1", email: "ann@example.org", isDisabled: false))
      _ = try await registry.create(pair.account)
      try await registry.create(APIToken(text: pair.apiToken, store: notes, createdAt: 1))
      try await body(pair)
    }
  }

  /// Both processes keep the checked session in memory.
  @Test
  func `a process refuses a session within a second after another process ended the session`()
    async throws
  {
    try await withPair { pair in
      let token = try await pair.webToken()
      for accounts in [pair.one, pair.other] {
        let admission = try await pair.admit(token, by: accounts)
        let session = try #require(admission.principal.sessionID)
        #expect(try await accounts.endedSessions(among: [session]) == [])
      }
      let session = try #require(try await pair.one.registry.sessions().first?.id)
      _ = try await pair.one.registry.deleteSession(id: session)
      pair.clock.move(bySeconds: 1)
      #expect(await pair.refusal(of: token, by: pair.other) == .authenticationRequired)
      #expect(try await pair.other.endedSessions(among: [session]) == [session])
    }
  }

  @Test
  func `a process notices within a second that another process disables or enables an account`()
    async throws
  {
    try await withPair { pair in
      let token = try await pair.webToken()
      let admission = try await pair.admit(token, by: pair.other)
      let session = try #require(admission.principal.sessionID)
      #expect(try await pair.other.disabledUsers(of: notes.container) == [])
      _ = try await pair.one.registry.setDisabled(true, accountID: "1")
      pair.clock.move(bySeconds: 1)
      #expect(await pair.refusal(of: token, by: pair.other) == .authenticationFailed)
      #expect(try await pair.other.endedSessions(among: [session]) == [session])
      #expect(try await pair.other.disabledUsers(of: notes.container).count == 1)
      _ = try await pair.one.registry.setDisabled(false, accountID: "1")
      pair.clock.move(bySeconds: 1)
      #expect(await pair.refusal(of: token, by: pair.other) == nil)
    }
  }

  /// The second process has read only the old key. This process must accept tokens of the new key
  /// without delay.
  @Test func `a process accepts a token that another process sealed with a new key`() async throws {
    try await withPair { pair in
      let old = try await pair.webToken()
      #expect(await pair.refusal(of: old, by: pair.other) == nil)
      try await pair.one.rotateTokenKey()
      let fresh = try await pair.webToken()
      #expect(await pair.refusal(of: fresh, by: pair.other) == nil)
      #expect(await pair.refusal(of: old, by: pair.other) == nil)
      try await pair.one.rotateTokenKey()
      pair.clock.move(bySeconds: 1)
      #expect(await pair.refusal(of: old, by: pair.other) == .authenticationFailed)
      #expect(await pair.refusal(of: fresh, by: pair.other) == nil)
    }
  }

  @Test
  func `a process reads the registry's version again after a second, but not at once`()
    async throws
  {
    try await withPair { pair in
      let token = try await pair.webToken()
      #expect(await pair.refusal(of: token, by: pair.other) == nil)
      #expect(!pair.other.memory.mustReadVersion(now: pair.clock.now))
      pair.clock.move(bySeconds: 1)
      #expect(pair.other.memory.mustReadVersion(now: pair.clock.now))
    }
  }
}
