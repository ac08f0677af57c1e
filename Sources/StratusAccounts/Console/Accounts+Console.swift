public import StratusDomain
import StratusWire

/// A member of the team with a session of the console.
public struct ConsoleVisitor: Sendable {
  public var account: Account
  public var member: TeamMember
  /// The session, whose `createdAt` says when the password was given.
  public var session: BrowserSession

  /// Whether the member may see the container.
  public func sees(container: String) -> Bool { member.containers?.contains(container) ?? true }
}

extension Accounts {
  /// The minimum time between two writes of a member's last use, in milliseconds.
  private static let memberTouchMilliseconds: Int64 = 60_000

  /// Returns the member of the team with this e-mail address and password.
  ///
  /// - Returns: nil for a wrong password, and also for an account that is not in the team. The hash
  ///   of the password is computed in both cases.
  /// - Throws: `TRY_AGAIN_LATER` if too many sign-ins are waiting.
  func teamMember(
    email: String, password: String
  ) async throws(ServerError) -> (proven: ProvenAccount, member: TeamMember)? {
    guard let proven = try await account(email: email, password: password, isKnown: false),
      let member = try await registry.teamMember(accountID: proven.account.id)
    else { return nil }
    return (proven, member)
  }

  /// Opens a session of the console.
  ///
  /// - Returns: the text of the cookie, or nil if the account has another password by now.
  func openConsoleSession(
    of proven: ProvenAccount, browser: String?
  ) async throws(ServerError) -> String? {
    let now = ambient.now()
    let text = randomness(32).hex
    try await forgetEndedBrowserSessions()
    let session = BrowserSession(
      hash: Self.consoleHash(text), accountID: proven.account.id, createdAt: now, lastUsedAt: now,
      endsAt: now + BrowserSessionLife.short, isKept: false,
      browser: String(("console, " + (browser ?? "")).prefix(200)))
    let isOpen = try await registry.create(
      session, provenBy: .password(hash: proven.passwordHash), countMax: BrowserSessionLife.countMax
    )
    return isOpen ? text : nil
  }

  /// Returns the member whose session a cookie proves, or nil if it proves none.
  ///
  /// - Parameter isTouching: whether the request counts as a use of the session.
  func consoleVisitor(
    cookie: String, isTouching: Bool = true
  ) async throws(ServerError) -> ConsoleVisitor? {
    guard cookie.utf8.count == 64 else { return nil }
    let now = ambient.now()
    let hash = Self.consoleHash(cookie)
    guard let session = try await registry.browserSession(hash: hash), session.isValid(at: now),
      let account = try await registry.account(id: session.accountID), !account.isDisabled,
      let member = try await registry.teamMember(accountID: account.id)
    else { return nil }
    if isTouching, now - session.lastUsedAt >= Self.memberTouchMilliseconds {
      try await registry.touchBrowserSession(hash: hash, at: now)
      try await registry.touchMember(accountID: account.id, at: now)
    }
    return ConsoleVisitor(account: account, member: member, session: session)
  }

  /// Ends the session of a cookie.
  func endConsoleSession(cookie: String) async throws(ServerError) {
    _ = try await registry.deleteBrowserSession(hash: Self.consoleHash(cookie))
  }

  /// Returns the stored hash of a console's cookie.
  ///
  /// NB: the hash is computed from the word `console` and the text of the cookie. So a cookie of
  /// the console never has the hash of a session on the account pages, and a cookie of those pages
  /// never has the hash of a session in the console.
  private static func consoleHash(_ text: String) -> [UInt8] {
    Digest.sha256(Array(("console " + text).utf8))
  }
}
