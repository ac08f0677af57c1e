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

  static func passwordsAreKept(_ registry: any Registry) async throws {
    try expect(try await registry.password(ofAccount: "1"), nil)
    for (hash, time) in [("$a$", 1), ("$b$", 2)] {
      let password = StoredPassword(accountID: "1", hash: hash, changedAt: Int64(time))
      try await registry.keep(password)
      try expect(try await registry.password(ofAccount: "1"), password)
    }
    try expect(try await registry.password(ofAccount: "2"), nil)
  }

  static func browserSessionsAreFound(_ registry: any Registry) async throws {
    let (first, second, other) = (session(1), session(2), session(3, of: "2"))
    for session in [second, first, other] {
      try await registry.create(session)
      try expect(try await registry.browserSession(hash: session.hash), session)
    }
    try expect(try await registry.browserSessions(ofAccount: "1"), [first, second])
    try await registry.touchBrowserSession(hash: first.hash, at: 50)
    try expect(try await registry.browserSession(hash: first.hash)?.lastUsedAt, 50)
    try expect(try await registry.browserSession(hash: [9]), nil)
    var isRefused = false
    do { try await registry.create(first) } catch { isRefused = true }
    try expect(isRefused, true)
  }

  static func browserSessionsEnd(_ registry: any Registry) async throws {
    let sessions = [session(1), session(2), session(3, of: "2"), session(4, of: "2", endsAt: 5)]
    for session in sessions { try await registry.create(session) }
    try expect(try await registry.deleteBrowserSession(hash: sessions[0].hash), true)
    try expect(try await registry.deleteBrowserSession(hash: sessions[0].hash), false)
    try await registry.deleteBrowserSessions(endedBefore: 6)
    try expect(try await registry.browserSessions(ofAccount: "2"), [sessions[2]])
    try await registry.create(sessions[0])
    try await registry.deleteBrowserSessions(ofAccount: "1", except: sessions[1].hash)
    try expect(try await registry.browserSessions(ofAccount: "1"), [sessions[1]])
    try await registry.deleteBrowserSessions(ofAccount: "1", except: nil)
    try expect(try await registry.browserSessions(ofAccount: "1"), [])
    try expect(try await registry.browserSessions(ofAccount: "2"), [sessions[2]])
  }
}
