public import StratusDomain
import StratusWire

extension Accounts {
  /// Returns the user record name of an account in a container. The first call stores it in the
  /// registry.
  ///
  /// If the registry cannot be written, the call still succeeds, because the next call computes the
  /// same name.
  func user(
    _ accountID: String, in container: String
  ) async throws(ServerError) -> String {
    if let known = try await registry.user(ofAccount: accountID, in: container) {
      return known.userRecordName
    }
    let name = names.userRecordName(accountID: accountID, container: container)
    do throws(ServerError) {
      try await registry.keep(
        ContainerUser(container: container, userRecordName: name, accountID: accountID))
    } catch { return name }
    return name
  }

  /// Returns the addresses by which shares may invite the user of an account: the address of the
  /// account, and then the further addresses that the user has confirmed.
  func addresses(of account: Account) async throws(ServerError) -> [String] {
    [account.email.lowercased()]
      + (try await registry.addresses(ofAccount: account.id).map(\.email))
  }

  /// Returns the addresses of a user's account, or none if the user has no account.
  public func addresses(
    ofUser user: String, in container: String
  ) async throws(ServerError) -> [String] {
    guard let known = try await registry.user(named: user, in: container),
      let account = try await registry.account(id: known.accountID)
    else { return [] }
    return try await addresses(of: account)
  }

  /// Returns the user record name of an account in a container, and stores nothing.
  func knownUser(
    _ accountID: String, in container: String
  ) async throws(ServerError) -> String {
    try await registry.user(ofAccount: accountID, in: container)?.userRecordName
      ?? names.userRecordName(accountID: accountID, container: container)
  }

  /// Stores the missing user names of sessions, because an earlier server version did not store
  /// them.
  func nameEarlierUsers() async throws(ServerError) {
    while true {
      let missing = try await registry.sessionsWithoutUser(limit: 500)
      if missing.isEmpty { return }
      for (accountID, container) in missing {
        let name = names.userRecordName(accountID: accountID, container: container)
        try await registry.keep(
          ContainerUser(container: container, userRecordName: name, accountID: accountID))
      }
    }
  }

  /// Checks that the account of a user may use its data.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` if the account is disabled or the user's server-to-server
  ///   key is revoked; `ACCESS_DENIED` if the account is restricted and not disabled.
  public func requireOpenAccount(
    ofUser user: String, in container: String
  ) async throws(ServerError) {
    guard try await disabledUsers(of: container).contains(user) else { return }
    if let known = try await registry.user(named: user, in: container),
      let account = try await registry.account(id: known.accountID), account.isRestricted,
      !account.isDisabled
    {
      throw ServerError(.accessDenied, Reason.accountRestricted)
    }
    throw ServerError(.authenticationFailed, Reason.accountDisabled)
  }

  public func disabledUsers(of container: String) async throws(ServerError) -> Set<String> {
    let now = ambient.now()
    await noticeChanges(now: now)
    let (known, changes) = memory.disabledUsers(of: container, now: now)
    if let known { return known }
    var users = Set(try await registry.usersOfRevokedKeys(in: container))
    for accountID in try await registry.closedAccounts() {
      let kept = try await registry.user(ofAccount: accountID, in: container)
      users.insert(
        kept?.userRecordName
          ?? names.userRecordName(accountID: accountID, container: container))
    }
    memory.keep(disabledUsers: users, of: container, now: now, ifStill: changes)
    return users
  }

  public func endedSessions(
    among ids: Set<String>
  ) async throws(ServerError) -> Set<String> {
    let now = ambient.now()
    await noticeChanges(now: now)
    let (unknown, changes) = memory.unknownSessions(among: ids, now: now)
    if unknown.isEmpty { return [] }
    let disabled = Set(try await registry.closedAccounts())
    var ended: Set<String> = []
    for id in unknown {
      let session = try await registry.session(id: id)
      guard let session, Self.isValid(session, at: now), !disabled.contains(session.accountID)
      else {
        ended.insert(id)
        continue
      }
      // A device that listens for notifications uses its session, even if it sends no other
      // request.
      await touch(session, now: now)
    }
    memory.keep(validSessions: unknown.subtracting(ended), now: now, ifStill: changes)
    return ended
  }
}
