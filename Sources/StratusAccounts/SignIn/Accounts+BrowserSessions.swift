import StratusDomain
import StratusWire

extension Accounts {
  /// The lifetimes of browser sessions, in milliseconds. The session of a user who stays signed in
  /// after the browser is closed has the lifetime `kept`, and ends after `keptIdle` without a use.
  /// Other sessions have the lifetime `short`, and end after `shortIdle` without a use.
  enum BrowserSessionLife {
    static let kept: Int64 = 90 * 86_400_000
    static let keptIdle: Int64 = 14 * 86_400_000
    static let short: Int64 = 12 * 3_600_000
    static let shortIdle: Int64 = 30 * 60_000
    /// The maximum number of sessions of one account. Choice: a person has fewer browsers.
    static let countMax = 50
    /// The minimum time between two writes of a session's last use.
    static let touch: Int64 = 60_000
  }

  private static let browserLengthMax = 200

  /// Signs an account in on the server's own web pages.
  ///
  /// - Parameters:
  ///   - proof: the credential by which the user has signed in.
  ///   - isKept: whether the session continues after the browser is closed.
  /// - Returns: the text of the cookie, or nil if the account does not have the credential any
  ///   more.
  func openBrowserSession(
    of account: Account, by proof: SignInProof, isKept: Bool, browser: String?
  ) async throws(ServerError) -> String? {
    let now = ambient.now()
    let text = randomness(32).hex
    try await forgetEndedBrowserSessions()
    let session = BrowserSession(
      hash: Digest.sha256(Array(text.utf8)), accountID: account.id, createdAt: now,
      lastUsedAt: now,
      endsAt: now + (isKept ? BrowserSessionLife.kept : BrowserSessionLife.short),
      isKept: isKept, browser: String((browser ?? "").prefix(Self.browserLengthMax)))
    let isOpen = try await registry.create(
      session, provenBy: proof, countMax: BrowserSessionLife.countMax)
    return isOpen ? text : nil
  }

  /// Removes browser sessions that have ended.
  func forgetEndedBrowserSessions() async throws(ServerError) {
    let now = ambient.now()
    try await registry.deleteBrowserSessions(
      endedBefore: now, unusedSince: now - BrowserSessionLife.shortIdle,
      keptUnusedSince: now - BrowserSessionLife.keptIdle)
  }

  /// Returns the session of a cookie and its account, if both are valid.
  func browserSession(
    cookie: String
  ) async throws(ServerError) -> (session: BrowserSession, account: Account)? {
    guard cookie.utf8.count == 64 else { return nil }
    let now = ambient.now()
    let hash = Digest.sha256(Array(cookie.utf8))
    guard let session = try await registry.browserSession(hash: hash), session.isValid(at: now),
      let account = try await registry.account(id: session.accountID), !account.isDisabled
    else { return nil }
    if now - session.lastUsedAt >= BrowserSessionLife.touch {
      try await registry.touchBrowserSession(hash: hash, at: now)
    }
    return (session, account)
  }
}

extension BrowserSession {
  /// The ID of the session in forms, which is the beginning of its hash.
  var id: String { Array(hash.prefix(8)).hex }

  func isValid(at now: Int64) -> Bool {
    typealias Life = Accounts.BrowserSessionLife
    return now <= endsAt && now <= lastUsedAt + (isKept ? Life.keptIdle : Life.shortIdle)
  }
}
