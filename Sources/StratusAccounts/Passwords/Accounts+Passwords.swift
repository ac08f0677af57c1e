import StratusDomain
import StratusWire

extension Accounts {
  private var cost: PasswordHash.Cost { PasswordHash.Cost(logRounds: passwordLogRounds) }

  /// Gives an account a new password, and ends its browser sessions.
  ///
  /// - Parameter kept: the hash of a browser session that does not end, or nil to end all sessions.
  /// - Throws: `BAD_REQUEST` with advice if the password is not allowed.
  func setPassword(
    _ password: String, of account: Account, keeping kept: [UInt8]? = nil
  ) async throws(ServerError) {
    if let fault = PasswordRules.fault(of: password, email: account.email) {
      throw .badRequest(fault)
    }
    try await store(password, of: account.id)
    try await registry.deleteBrowserSessions(ofAccount: account.id, except: kept)
  }

  private func store(
    _ password: String, of accountID: String
  ) async throws(ServerError) {
    let (salt, cost) = (randomness(PasswordHash.saltCount), cost)
    let hash = try await passwords.run { () throws(ServerError) -> PasswordHash in
      try PasswordHash(of: password, salt: salt, cost: cost)
    }
    try await registry.keep(
      StoredPassword(accountID: accountID, hash: hash.text, changedAt: ambient.now()))
  }

  /// Returns the account with this e-mail address and password.
  ///
  /// NB: computes one hash in every case, so that the duration does not reveal whether the address
  /// exists.
  /// - Returns: nil for an unknown address, a wrong password, an account without a password, and a
  ///   disabled account.
  /// - Throws: `TRY_AGAIN_LATER` if too many sign-ins are waiting.
  func account(
    email: String, password: String
  ) async throws(ServerError) -> Account? {
    let account = try await registry.account(email: email.lowercased())
    let stored: StoredPassword?
    if let account {
      stored = try await registry.password(ofAccount: account.id)
    } else {
      stored = try await registry.password(ofAccount: "")
    }
    let (salt, cost) = (randomness(PasswordHash.saltCount), cost)
    let known = stored.flatMap { PasswordHash(text: $0.hash) }
    let isRight = try await passwords.run { () throws(ServerError) -> Bool in
      if let known { return try known.matches(password) }
      _ = try PasswordHash(of: password, salt: salt, cost: cost)
      return false
    }
    guard isRight, let account, !account.isDisabled else { return nil }
    if let known, known.cost != cost { try await store(password, of: account.id) }
    return account
  }
}
