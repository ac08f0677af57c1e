import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusAccounts
@testable import StratusServer

/// A restore of an older backup applies later removals again.
@Suite struct `The journal of removals` {
  private func restored(
    _ url: URL, _ source: Backup.RemovalSource, _ clock: MovedClock,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let data = url.appendingPathComponent("restored-" + UUID().uuidString)
    _ = try Backup.restore(
      url.appendingPathComponent("backup"), to: data,
      keys: url.appendingPathComponent("keys"), removals: source, live: clock.live)
    let server = try await TestServer(onDiskIn: data, live: clock.live)
    try await server.finishRemovals()
    try await body(server)
    await server.stop()
  }

  @Test(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite"))
  func `later deletions and revocations are applied to a restored backup`() async throws {
    try await KeyFolder.with { url in
      let (clock, data) = (MovedClock(), url.appendingPathComponent("data"))
      var limits = LimitSettings.unpaced
      limits.passwordLogRounds = 4
      let server = try await TestServer(onDiskIn: data, live: clock.live, limits: limits)
      let clients = try await [
        server.client("anna@example.org"), server.client("bob@example.org"),
        server.client("cid@example.org"), server.client("dora@example.org"),
      ]
      for client in clients { try await client.save("n-1") }
      try await server.manage("containers/create", ["containerID": "iCloud.test.a"])
      try await server.manage(
        "api-tokens/create", ["containerID": "iCloud.test.a", "environment": "production"])
      let made = try await server.manage("api-tokens/list", [:])["apiTokens"].array ?? []
      let token = try #require(made.first { $0["containerID"] == "iCloud.test.a" })
      try await server.manage(
        "accounts/configure", ["email": "dora@example.org", "password": "seven green bicycles"])
      // Dora's account is enabled again before the backup, so the restore does not disable it.
      try await server.manage("accounts/disable", ["email": "dora@example.org"])
      try await server.manage("accounts/enable", ["email": "dora@example.org"])
      clock.move(bySeconds: 10)
      _ = try Backup.make(
        of: data, at: url.appendingPathComponent("backup"),
        keys: url.appendingPathComponent("keys"),
        live: clock.live)
      clock.move(bySeconds: 10)
      try await server.manage("accounts/delete", ["email": "anna@example.org"])
      try await server.manage("accounts/disable", ["email": "bob@example.org"])
      let sessions = try await server.manage("web-tokens/list", [:])["webTokens"].array ?? []
      let cid = try #require(sessions.first { $0["email"] == "cid@example.org" })
      try await server.manage("web-tokens/revoke", ["id": cid["id"]])
      try await server.manage("api-tokens/revoke", ["id": token["id"]])
      try await server.manage(
        "accounts/configure", ["email": "dora@example.org", "password": "nine red bicycles"])
      await server.stop()

      func statuses(_ server: TestServer) async throws -> [Int] {
        var result: [Int] = []
        for var client in clients.prefix(3) {
          client = Client(
            router: server.router, apiToken: client.apiToken, webAuthToken: client.webAuthToken)
          result.append(try await client.answer("users/caller", [:]).status)
        }
        return result
      }
      func emails(_ server: TestServer) async throws -> Set<String> {
        let listed = try await server.manage("accounts/list", [:])["accounts"].array ?? []
        return Set(listed.compactMap { $0["email"].string })
      }
      let journal = data.appendingPathComponent("removals.log")
      try await restored(url, .file(journal), clock) { server in
        #expect(try await statuses(server) == [421, 401, 421])
        #expect(!(try await emails(server).contains("anna@example.org")))
        let tokens = try await server.manage("api-tokens/list", [:])["apiTokens"].array ?? []
        #expect(!tokens.contains { $0["id"] == token["id"] })
        let id = try await server.accountID("dora@example.org")
        #expect(try await server.accounts.registry.password(ofAccount: id) == nil)
        let listed = try await server.manage("accounts/list", [:])["accounts"].array ?? []
        #expect(listed.first { $0["email"] == "dora@example.org" }?["disabled"] == false)
      }
      for source in [Backup.RemovalSource.none, .backup] {
        try await restored(url, source, clock) { server in
          let found = (try await statuses(server), try await emails(server))
          #expect(found.0 == [200, 200, 200])
          #expect(found.1.contains("anna@example.org"))
        }
      }
    }
  }

  /// Entries of earlier versions do not say by whom an account was restricted.
  @Test
  func `after a restore, a user can end only a restriction that the user began`() async throws {
    try await SignInScene.with { scene in
      let (server, browser) = (scene.server, scene.browser)
      let id = try await server.accountID(SignInScene.email)
      _ = try await browser.signIn()
      _ = try await browser.submit(
        try await browser.get("/account/data"), "/account/data/restrict",
        ["current": SignInScene.password, "action": "begin"])
      let file = server.folder.appendingPathComponent("removals.log")
      let entries = try RemovalFile.entries(in: file, after: 0).filter { $0.kind == .restricted }
      #expect(entries.count == 1)
      let earlier = RemovalEntry(time: 1, kind: .restricted, subject: id)
      for (entries, isByUser) in [(entries, true), ([earlier], false)] {
        // The backup is from before the restriction.
        _ = try await server.accounts.registry.setRestricted(false, accountID: id)
        let count = try await server.accounts.apply(
          entries, roles: server.roles, remover: server.remover)
        #expect(count == 1)
        let account = try #require(try await server.accounts.registry.account(id: id))
        #expect(account.isRestricted)
        #expect(account.isRestrictedByUser == isByUser)
        let page = try await browser.get("/account/data")
        #expect((page.form("/account/data/restrict") != nil) == isByUser)
      }
    }
  }

  @Test
  func `the journal has no secrets, only its owner can read it, and a truncated entry is skipped`()
    async throws
  {
    try await KeyFolder.with { url in
      let data = url.appendingPathComponent("data")
      let server = try await TestServer(onDiskIn: data)
      let anna = try await server.client("anna@example.org")
      let sessions = try await server.manage("web-tokens/list", [:])["webTokens"].array ?? []
      for session in sessions {
        try await server.manage("web-tokens/revoke", ["id": session["id"]])
      }
      let file = data.appendingPathComponent("removals.log")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(!text.contains(try #require(anna.webAuthToken)))
      #expect(!text.contains("anna@example.org"))
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
      await server.stop()

      let count = try RemovalFile.entries(in: file, after: 0).count
      #expect(count == sessions.count)
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(text.utf8.count - 20))
      try handle.close()
      let time: Int64 = 9_000_000_000_000
      let (earlier, later) = (
        RemovalEntry(time: time, kind: .member, subject: "1"),
        RemovalEntry(time: time + 1, kind: .member, subject: "2")
      )
      try RemovalFile(data: data).append([later, earlier])
      let entries = try RemovalFile.entries(in: file, after: 0)
      #expect(entries.count == count + 1)
      #expect(entries.suffix(2) == [earlier, later])
      #expect(try RemovalFile.entries(in: file, after: time) == [later])
    }
  }
}
