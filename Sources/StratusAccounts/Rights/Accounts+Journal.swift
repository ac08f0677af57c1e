public import StratusDomain
public import StratusWire

extension Accounts {
  /// Writes removals into the journal.
  ///
  /// If the registry cannot refuse a removal, the entry is written before the removal. If the
  /// server stops in between, a restore of an older backup still removes the thing. If the registry
  /// may refuse the removal, the entry is written after the removal.
  ///
  /// - Throws: `INTERNAL_ERROR` if the journal cannot be written.
  func journal(
    _ kinds: RemovalEntry.Kind..., of subject: String, detail: String? = nil,
    at store: StoreAddress? = nil
  ) throws(ServerError) {
    let now = ambient.now()
    try removals.append(
      kinds.map {
        RemovalEntry(
          time: now, kind: $0, subject: subject, detail: detail, containerID: store?.container,
          environment: store?.environment)
      })
  }

  /// The part of a session's ID in the journal. It identifies the session, and does not open it.
  static func journalID(ofSession id: String) -> String { String(id.prefix(32)) }

  /// Ends a session of an app.
  ///
  /// - Returns: false if there is no such session.
  @discardableResult
  func endSession(id: String) async throws(ServerError) -> Bool {
    try journal(.session, of: Self.journalID(ofSession: id))
    return try await registry.deleteSession(id: id)
  }

  /// Ends the session of a browser.
  func endBrowserSession(_ session: BrowserSession) async throws(ServerError) {
    try journal(
      .browserSession, of: Self.journalID(ofSession: session.hash.hex), detail: session.accountID)
    _ = try await registry.deleteBrowserSession(hash: session.hash)
  }

  /// Applies entries of a journal to data that was restored from an earlier backup. The method can
  /// be repeated after a crash.
  ///
  /// - Parameters:
  ///   - entries: the entries, in the order of the journal.
  ///   - roles: revokes roles.
  ///   - remover: begins the deletions of accounts. A running server completes them in the
  ///     background.
  /// - Returns: the number of entries that concern something in the restored data. An entry about
  ///   all browser sessions of an account always counts.
  public func apply(
    _ entries: [RemovalEntry], roles: UserRoles, remover: AccountRemover
  ) async throws(ServerError) -> Int {
    var count = 0
    let sessions = try await registry.sessions()
    for entry in entries {
      if entry.kind == .account {
        let choice = entry.detail.flatMap { PublicRecordsChoice(rawValue: $0) } ?? .keep
        guard try await registry.account(id: entry.subject) != nil else { continue }
        // NB: in the restored data, the account may be the only owner of the team. It is then not
        // deleted.
        if case .lastOwner = try await remover.begin(entry.subject, choice) { continue }
        count += 1
      } else if try await apply(entry, sessions, roles) {
        count += 1
      }
    }
    memory.forget()
    try await registry.advanceVersion()
    return count
  }

  private func apply(
    _ entry: RemovalEntry, _ sessions: [Session], _ roles: UserRoles
  ) async throws(ServerError) -> Bool {
    let subject = entry.subject
    switch entry.kind {
    case .account: return false
    case .session:
      return try await end(sessions) { Self.journalID(ofSession: $0.id) == subject }
    case .sessions: return try await end(sessions) { $0.accountID == subject }
    case .browserSession:
      var isFound = false
      for session in try await registry.browserSessions(ofAccount: entry.detail ?? "")
      where Self.journalID(ofSession: session.hash.hex) == subject {
        isFound = try await registry.deleteBrowserSession(hash: session.hash)
      }
      return isFound
    case .browserSessions:
      try await registry.deleteBrowserSessions(ofAccount: subject, except: nil)
      return true
    case .password, .passkey, .providerLink: return try await registry.removeCredential(entry)
    case .apiToken: return try await registry.deleteAPIToken(id: subject)
    case .serverKey: return try await registry.revokeServerKey(id: subject, at: entry.time)
    case .role: return try await revokeRole(entry, roles)
    case .member: return try await registry.removeMember(accountID: subject) == .made
    case .disabled: return try await registry.setDisabled(true, accountID: subject)
    case .enabled: return try await registry.setDisabled(false, accountID: subject)
    case .restricted:
      // NB: a user can end only a restriction that the user made, so the journal tells both kinds
      // apart.
      guard entry.detail == RemovalEntry.byUser else {
        return try await registry.setRestricted(true, accountID: subject)
      }
      return try await registry.setRestrictedByUser(true, accountID: subject, entry: nil)
    case .unrestricted: return try await registry.setRestricted(false, accountID: subject)
    }
  }

  private func revokeRole(
    _ entry: RemovalEntry, _ roles: UserRoles
  ) async throws(ServerError) -> Bool {
    guard let container = entry.containerID, let environment = entry.environment,
      let role = entry.detail, try await registry.containers().contains(container)
    else { return false }
    let isServerKey = try await registry.serverKeys().contains {
      $0.userRecordName == entry.subject
    }
    do throws(ServerError) {
      return try await roles.revoke(
        role, from: UserRoles.Holder(entry.subject, isServerKey: isServerKey),
        at: StoreAddress(container: container, environment: environment))
    } catch {
      // The schema may not have had the role at the time of the backup.
      guard error.code == .notFound else { throw error }
      return false
    }
  }

  private func end(
    _ sessions: [Session], where isMeant: (Session) -> Bool
  ) async throws(ServerError) -> Bool {
    var isFound = false
    for session in sessions where isMeant(session) {
      if try await registry.deleteSession(id: session.id) { isFound = true }
    }
    return isFound
  }
}
