import StratusDomain
import StratusWire

extension Accounts {
  /// An account for which the caller has given the right password.
  struct ProvenAccount: Sendable {
    let account: Account
    /// The stored hash of that password.
    let passwordHash: String
  }

  private var cost: PasswordHash.Cost { PasswordHash.Cost(logRounds: passwordLogRounds) }

  /// Gives an account a new password, and ends its browser sessions.
  ///
  /// - Parameters:
  ///   - proof: proves that the caller knows the present password. If it is nil, the account may
  ///     have any password, or none.
  ///   - endsApps: whether the sessions of apps end, too. If the account had no password before,
  ///     they continue, because no sign-in with a password can have begun them.
  /// - Returns: the account with its new password. If the password was changed after the proof was
  ///   made, nothing changes, and the result is nil.
  /// - Throws: `BAD_REQUEST` with advice if the password may not be used; `TRY_AGAIN_LATER` if too
  ///   many sign-ins wait.
  @discardableResult
  func setPassword(
    _ password: String, of account: Account, replacing proof: ProvenAccount? = nil,
    endsApps: Bool = true
  ) async throws(ServerError) -> ProvenAccount? {
    try PasswordRules.require(password, email: account.email)
    let hash = try await hash(password)
    let hadPassword = try await registry.password(ofAccount: account.id) != nil
    let isChanged = try await registry.change(
      to: StoredPassword(accountID: account.id, hash: hash, changedAt: ambient.now()),
      from: proof?.passwordHash, endsAppSessions: endsApps && hadPassword)
    memory.forget()
    if isChanged, hadPassword {
      try journal(.password, .browserSessions, of: account.id)
      if endsApps { try journal(.sessions, of: account.id) }
    }
    return isChanged ? ProvenAccount(account: account, passwordHash: hash) : nil
  }

  /// Uses a mailed code. Sets the password of the account for which the code was made, and creates
  /// this account if the code permits it.
  ///
  /// - Returns: nil if the code cannot be used any more.
  /// - Throws: `BAD_REQUEST` with advice if the password may not be used; `TRY_AGAIN_LATER` if too
  ///   many sign-ins wait.
  func redeem(
    _ code: MailCode, password: String
  ) async throws(ServerError) -> ProvenAccount? {
    try PasswordRules.require(password, email: code.email)
    let hash = try await hash(password)
    let account = try await registry.redeem(
      codeHash: code.hash, newID: randomness(16).hex, passwordHash: hash, at: ambient.now())
    memory.forget()
    if let account {
      try journal(.password, .browserSessions, .sessions, of: account.id)
    }
    return account.map { ProvenAccount(account: $0, passwordHash: hash) }
  }

  /// Hashes a password with the current parameters. The caller has already been identified, so the
  /// hash does not wait behind the hashes for unknown callers.
  private func hash(_ password: String) async throws(ServerError) -> String {
    let (salt, cost) = (randomness(PasswordHash.saltCount), cost)
    let hash = try await passwords.run(inFront: true) { () throws(ServerError) -> PasswordHash in
      try PasswordHash(of: password, salt: salt, cost: cost)
    }
    return hash.text
  }

  /// Returns the account with this e-mail address and password.
  ///
  /// NB: a hash is computed in every case, so that the time of the answer does not tell whether an
  /// account has the address.
  /// - Parameter isKnown: whether the caller's browser is known to the account, so that the attempt
  ///   does not wait behind those of unknown browsers.
  /// - Returns: nil for an unknown address, a wrong password, an account without a password, and a
  ///   disabled account.
  /// - Throws: `TRY_AGAIN_LATER` if too many sign-ins are waiting.
  func account(
    email: String, password: String, isKnown: Bool
  ) async throws(ServerError) -> ProvenAccount? {
    let account = try await registry.account(email: email.lowercased())
    let stored: StoredPassword?
    if let account {
      stored = try await registry.password(ofAccount: account.id)
    } else {
      stored = try await registry.password(ofAccount: "")
    }
    let (salt, cost) = (randomness(PasswordHash.saltCount), cost)
    let known = stored.flatMap { PasswordHash(text: $0.hash) }
    let isRight = try await passwords.run(inFront: isKnown) { () throws(ServerError) -> Bool in
      if let known { return try known.matches(password) }
      _ = try PasswordHash(of: password, salt: salt, cost: cost)
      return false
    }
    guard isRight, let account, !account.isDisabled, let known, let stored else { return nil }
    if known.cost != cost {
      let hash = try await hash(password)
      // NB: if another password was stored in the meantime, `rehash` does not replace it.
      if try await registry.rehash(ofAccount: account.id, from: stored.hash, to: hash) {
        return ProvenAccount(account: account, passwordHash: hash)
      }
    }
    return ProvenAccount(account: account, passwordHash: stored.hash)
  }
}
