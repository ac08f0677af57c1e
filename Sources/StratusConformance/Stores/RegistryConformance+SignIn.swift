import StratusDomain
import StratusWire

/// The checks of passwords and browser sessions.
extension RegistryConformance {
  private static func session(
    _ number: UInt8, of account: String = "1", endsAt: Int64 = 90
  ) -> BrowserSession {
    BrowserSession(
      hash: [number, 0, 255], accountID: account, createdAt: Int64(number), lastUsedAt: 2,
      endsAt: endsAt, isKept: number.isMultiple(of: 2), browser: "Browser \(number)")
  }

  private static func password(
    _ hash: String, of account: String = "1", changedAt: Int64 = 1
  ) -> StoredPassword {
    StoredPassword(accountID: account, hash: hash, changedAt: changedAt)
  }

  /// Stores sessions of accounts whose password has the hash `$a$`.
  private static func keep(
    _ sessions: [BrowserSession], in registry: any Registry, countMax: Int = 100
  ) async throws {
    for session in sessions {
      try expect(
        try await registry.create(session, provenBy: .password(hash: "$a$"), countMax: countMax),
        true)
    }
  }

  private static func setPasswords(in registry: any Registry) async throws {
    for account in ["1", "2"] {
      _ = try await registry.change(
        to: password("$a$", of: account), from: nil, endsAppSessions: false)
    }
  }

  static func passwordsAreKept(_ registry: any Registry) async throws {
    try expect(try await registry.password(ofAccount: "1"), nil)
    let (first, second) = (password("$a$"), password("$b$", changedAt: 2))
    for (password, earlier) in [(first, nil), (second, "$a$"), (second, nil)] as [(_, String?)] {
      try expect(
        try await registry.change(to: password, from: earlier, endsAppSessions: false), true)
      try expect(try await registry.password(ofAccount: "1"), password)
    }
    try expect(try await registry.change(to: first, from: "$c$", endsAppSessions: false), false)
    try expect(try await registry.rehash(ofAccount: "1", from: "$a$", to: "$d$"), false)
    try expect(try await registry.password(ofAccount: "1"), second)
    try expect(try await registry.rehash(ofAccount: "1", from: "$b$", to: "$d$"), true)
    try expect(try await registry.password(ofAccount: "1"), password("$d$", changedAt: 2))
    try expect(try await registry.password(ofAccount: "2"), nil)
    try expect(try await registry.rehash(ofAccount: "2", from: "", to: "$d$"), false)
  }

  static func aNewPasswordEndsSessions(_ registry: any Registry) async throws {
    let store = StoreAddress(container: "a", environment: .production)
    for account in ["1", "2"] {
      try await registry.create(
        Session(
          id: "app \(account)", accountID: account, store: store, createdAt: 1, lastUsedAt: 1,
          endsAt: 90))
    }
    try await setPasswords(in: registry)
    try await keep([session(1), session(2, of: "2")], in: registry)
    let version = try await registry.version()
    // The expected password is not the account's password, so nothing changes.
    _ = try await registry.change(to: password("$b$"), from: "$c$", endsAppSessions: true)
    try expect(try await registry.browserSessions(ofAccount: "1"), [session(1)])
    _ = try await registry.change(to: password("$b$"), from: "$a$", endsAppSessions: false)
    try expect(try await registry.browserSessions(ofAccount: "1"), [])
    try expect(try await registry.sessions().map(\.id), ["app 1", "app 2"])
    try expect(try await registry.version(), version)
    _ = try await registry.change(to: password("$b$"), from: nil, endsAppSessions: true)
    try expect(try await registry.sessions().map(\.id), ["app 2"])
    try expect(try await registry.version() == version, false)
    try expect(try await registry.browserSessions(ofAccount: "2"), [session(2, of: "2")])
    // A sign-in that the earlier password proved is refused.
    try expect(
      try await registry.create(session(3), provenBy: .password(hash: "$a$"), countMax: 100), false)
    try expect(try await registry.browserSessions(ofAccount: "1"), [])
  }

  static func theLeastUsedSessionsGiveWay(_ registry: any Registry) async throws {
    try await setPasswords(in: registry)
    try await keep([session(1), session(2), session(3), session(4, of: "2")], in: registry)
    try await registry.touchBrowserSession(hash: session(1).hash, at: 50)
    try await keep([session(5)], in: registry, countMax: 2)
    let hashes = try await registry.browserSessions(ofAccount: "1").map(\.hash)
    try expect(hashes, [session(1).hash, session(5).hash])
    try expect(try await registry.browserSessions(ofAccount: "2").count, 1)
    let store = StoreAddress(container: "a", environment: .production)
    func app(_ id: String, of account: String = "1", in store: StoreAddress) -> Session {
      Session(
        id: id, accountID: account, store: store, createdAt: 1, lastUsedAt: 1, endsAt: 90)
    }
    let others = [
      app("d", in: StoreAddress(container: "a", environment: .development)),
      app("e", in: StoreAddress(container: "b", environment: .production)),
      app("f", of: "2", in: store),
    ]
    for session in [app("1", in: store), app("2", in: store), app("3", in: store)] + others {
      try await registry.create(session)
    }
    try await registry.touchSession(id: "1", at: 50)
    let version = try await registry.version()
    try await registry.create(app("4", in: store), countMax: 2)
    try expect(try await registry.sessions().map(\.id), ["1", "4", "d", "e", "f"])
    try expect(try await registry.version() == version, false)
  }

  static func browserSessionsAreFound(_ registry: any Registry) async throws {
    let (first, second, other) = (session(1), session(2), session(3, of: "2"))
    try await setPasswords(in: registry)
    for session in [second, first, other] {
      try await keep([session], in: registry)
      try expect(try await registry.browserSession(hash: session.hash), session)
    }
    try expect(try await registry.browserSessions(ofAccount: "1"), [first, second])
    try await registry.touchBrowserSession(hash: first.hash, at: 50)
    try expect(try await registry.browserSession(hash: first.hash)?.lastUsedAt, 50)
    try expect(try await registry.browserSession(hash: [9]), nil)
    var isRefused = false
    do { try await keep([first], in: registry) } catch { isRefused = true }
    try expect(isRefused, true)
  }

  static func browserSessionsEnd(_ registry: any Registry) async throws {
    let sessions = [session(1), session(2), session(3, of: "2"), session(4, of: "2", endsAt: 5)]
    try await setPasswords(in: registry)
    try await keep(sessions, in: registry)
    try expect(try await registry.deleteBrowserSession(hash: sessions[0].hash), true)
    try expect(try await registry.deleteBrowserSession(hash: sessions[0].hash), false)
    try await registry.deleteBrowserSessions(
      endedBefore: 6, unusedSince: 0, keptUnusedSince: 0)
    try expect(try await registry.browserSessions(ofAccount: "2"), [sessions[2]])
    try await keep([sessions[0]], in: registry)
    try await registry.deleteBrowserSessions(ofAccount: "1", except: sessions[1].hash)
    try expect(try await registry.browserSessions(ofAccount: "1"), [sessions[1]])
    try await registry.deleteBrowserSessions(ofAccount: "1", except: nil)
    try expect(try await registry.browserSessions(ofAccount: "1"), [])
    try expect(try await registry.browserSessions(ofAccount: "2"), [sessions[2]])
  }

  static func unusedBrowserSessionsEnd(_ registry: any Registry) async throws {
    try await setPasswords(in: registry)
    let (short, kept, other) = (session(1), session(2), session(3, of: "2"))
    try await keep([short, kept, other], in: registry)
    try await registry.touchBrowserSession(hash: other.hash, at: 10)
    try await registry.deleteBrowserSessions(endedBefore: 5, unusedSince: 3, keptUnusedSince: 2)
    try expect(try await registry.browserSession(hash: short.hash), nil)
    try expect(try await registry.browserSession(hash: kept.hash), kept)
    try await registry.deleteBrowserSessions(endedBefore: 5, unusedSince: 3, keptUnusedSince: 3)
    try expect(try await registry.browserSession(hash: kept.hash), nil)
    try expect(try await registry.browserSession(hash: other.hash)?.lastUsedAt, 10)
  }
}
