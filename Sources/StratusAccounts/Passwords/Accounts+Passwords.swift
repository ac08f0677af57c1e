import StratusDomain
import StratusWire

extension Accounts {
  /// An account whose password was right.
  struct ProvenAccount: Sendable {
    let account: Account
    /// The stored hash of that password.
    let passwordHash: String
  }

  private var cost: PasswordHash.Cost { PasswordHash.Cost(logRounds: passwordLogRounds) }

  /// Gives an account a new password, and ends its browser sessions.
  ///
  /// - Parameters:
  ///   - proof: the password that the new one replaces; nil: any, or none.
  ///   - endsApps: whether the sessions of apps end, too. An account without an earlier password
  ///     keeps them, because no sign-in can have begun them.
  /// - Returns: the account with its new password; nil, and nothing changes, if another password
  ///   than that of the proof is stored by now.
  /// - Throws: `BAD_REQUEST` with advice if the password may not be used; `TRY_AGAIN_LATER` if too
  ///   many sign-ins wait.
  @discardableResult
  func setPassword(
    _ password: String, of account: Account, replacing proof: ProvenAccount? = nil,
    endsApps: Bool = true
  ) async throws(ServerError) -> ProvenAccount? {
    if let fault = PasswordRules.fault(of: password, email: account.email) {
      throw .badRequest(fault)
    }
    let hash = try await hash(password)
    let hadPassword = try await registry.password(ofAccount: account.id) != nil
    let isChanged = try await registry.change(
      to: StoredPassword(accountID: account.id, hash: hash, changedAt: ambient.now()),
      from: proof?.passwordHash, endsAppSessions: endsApps && hadPassword)
    memory.forget()
    return isChanged ? ProvenAccount(account: account, passwordHash: hash) : nil
  }

  /// The hash of a password with today's parameters, for a caller who has proven his identity.
  private func hash(_ password: String) async throws(ServerError) -> String {
    let (salt, cost) = (randomness(PasswordHash.saltCount), cost)
    let hash = try await passwords.run(inFront: true) { () throws(ServerError) -> PasswordHash in
      try PasswordHash(of: password, salt: salt, cost: cost)
    }
    return hash.text
  }

  /// Returns the account with this e-mail address and password.
  ///
  /// NB: makes one hash in every case, so that its time tells nothing about the address.
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
      // NB: another password may have been stored meanwhile, which must stay.
      if try await registry.rehash(ofAccount: account.id, from: stored.hash, to: hash) {
        return ProvenAccount(account: account, passwordHash: hash)
      }
    }
    return ProvenAccount(account: account, passwordHash: stored.hash)
  }
}
