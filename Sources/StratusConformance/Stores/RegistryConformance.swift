public import StratusDomain
import StratusWire

/// Checks what the port `Registry` guarantees. The registry stores the data of the whole server.
public enum RegistryConformance {
  public typealias Check = ConformanceCheck<any Registry>

  public static let checks: [Check] = [
    Check("a new registry is empty", beginsEmpty),
    Check("an account is found by its ID and by its e-mail address", accountsAreFound),
    Check("an e-mail address belongs to one account only", emailsAreUnique),
    Check("accounts are listed in order of e-mail address", accountsAreListed),
    Check("an account can be disabled and enabled again", accountsAreDisabled),
    Check("an account can be restricted and unrestricted again", accountsAreRestricted),
    Check(
      "a user can restrict the account, but not lift a restriction by the operator",
      usersRestrictThemselves),
    Check("an account is deleted in steps, and the receipt outlives the account", removalsAreDone),
    Check("the last owner of the team is not deleted", lastOwnersAreNotRemoved),
    Check(
      "the credential that a removal entry names is removed even if it is the last one",
      credentialsAreRemoved),
    Check("no removals of a restored backup are pending at first", noRemovalsArePending),
    Check("an installation keeps the first ID that it gets", installationIDsStay),
    Check("entries of the audit log are listed, the newest first", auditEntriesAreListed),
    Check("old entries of the audit log are removed", auditEntriesAreRemoved),
    Check(
      "a container is created only once, and containers are listed in order", containersAreListed),
    Check("an API token is found by its hash with all its properties", apiTokensAreFound),
    Check("API tokens are listed and deleted by their IDs", apiTokensAreDeleted),
    Check("a server key is found by its ID, and its ID cannot be used again", serverKeysAreFound),
    Check("server keys are listed in order and revoked once", serverKeysAreRevoked),
    Check("a session is found, and its ID cannot be used again", sessionsAreFound),
    Check(
      "sessions are listed and deleted, their last use is noted, and old ones are removed",
      sessionsEnd),
    Check("a password is found, and a new one replaces it", passwordsAreKept),
    Check(
      "a new password ends sessions, and the earlier one opens no session",
      aNewPasswordEndsSessions),
    Check("the sessions used least recently give way to new ones", theLeastUsedSessionsGiveWay),
    Check("browser sessions end after a time without use", unusedBrowserSessionsEnd),
    Check(
      "browser sessions are found and listed, and their last use is noted",
      browserSessionsAreFound),
    Check("browser sessions are deleted by hash, account and end time", browserSessionsEnd),
    Check("mails are taken in the order of their times, under a lease", mailsAreTaken),
    Check("the number of mails to one mailbox and of all mails is limited", mailsAreBounded),
    Check("a mailed code is found until another one replaces it or it ends", mailCodesAreKept),
    Check("a mailed code sets a password once", mailCodesAreRedeemed),
    Check("a further address is confirmed once, by its own account", addressesAreConfirmed),
    Check("a further address belongs to one account only", addressesAreUnique),
    Check("a second factor is stored, and each of its codes is used only once", factorsAreKept),
    Check("passkeys are stored, used and renamed, and their number is limited", passkeysAreKept),
    Check("a user cannot remove the last credential of the account", lastCredentialsStay),
    Check("links to users of providers are stored once, listed and removed", linksAreKept),
    Check("a step of a sign-in is stored once, changed once and removed", stepsAreKept),
    Check("the number of steps of sign-ins is limited", stepsAreBounded),
    Check("only one account becomes the first owner of the team", firstOwnersAreUnique),
    Check(
      "members of the team are stored, listed and removed, and their last use is noted",
      membersAreKept),
    Check("the team's last owner cannot be removed or get another role", lastOwnersStay),
    Check("a code of consent is found until it ends, and its use is noted", consentsEnd),
    Check("an account has a limited number of codes of consent", consentsAreBounded),
    Check("a test account is marked, and needs a new e-mail address", testAccountsAreMarked),
    Check("the profile and the telephone numbers of an account are stored", profilesAreKept),
    Check("only users who agreed to be discovered are found", usersAreDiscovered),
    Check(
      "a user is found by record name and by account, and an account keeps its record name",
      usersAreFound),
    Check("sessions without a user record name are found", usersAreMissed),
    Check("the epoch of a store is stored and can be replaced", epochsAreKept),
    Check(
      "the registry's version increases when callers lose or regain access, and on request",
      versionsIncrease),
    Check("deleting a container also deletes all data that belongs to it", containersAreDeleted),
  ]

  static let ann = Account(
    id: "1", email: "ann@example.org", isDisabled: false)
  static let bob = Account(
    id: "2", email: "bob@example.org", isDisabled: true)
  static let production = StoreAddress(
    container: "iCloud.org.example", environment: .production)

  /// Checks of a registry that several processes use.
  public static let pairChecks: [ConformanceCheck<RegistryPair>] = [
    .init("a change by one process increases the version that others read", versionsAreShared),
    .init("two processes give the installation the same ID", installationIDsAreShared),
  ]

  static func versionsIncrease(_ registry: any Registry) async throws {
    _ = try await registry.create(ann)
    _ = try await registry.createContainer(id: production.container)
    try await registry.create(token)
    try await registry.create(session)
    var versions = [try await registry.version()]
    _ = try await registry.setDisabled(true, accountID: ann.id)
    versions.append(try await registry.version())
    _ = try await registry.setDisabled(false, accountID: ann.id)
    versions.append(try await registry.version())
    _ = try await registry.deleteSession(id: session.id)
    versions.append(try await registry.version())
    try await registry.create(session)
    try await registry.deleteSessions(unusedSince: .max, endedBefore: .max)
    versions.append(try await registry.version())
    _ = try await registry.deleteAPIToken(id: token.id)
    versions.append(try await registry.version())
    _ = try await registry.deleteContainer(id: production.container)
    versions.append(try await registry.version())
    try await registry.advanceVersion()
    versions.append(try await registry.version())
    try expect(versions, Set(versions).sorted())
    // Using a session does not change which callers have access, and neither does a clean-up that
    // removes nothing. The version therefore stays the same.
    try await registry.create(session)
    let before = try await registry.version()
    try await registry.touchSession(id: session.id, at: session.lastUsedAt + 1)
    try await registry.deleteSessions(unusedSince: 0, endedBefore: 0)
    try expect(try await registry.version(), before)
  }

  static func versionsAreShared(_ pair: RegistryPair) async throws {
    _ = try await pair.one.create(ann)
    for (changing, reading) in [(pair.one, pair.other), (pair.other, pair.one)] {
      let before = try await reading.version()
      _ = try await changing.setDisabled(true, accountID: ann.id)
      try expect(try await reading.version() > before, true)
      try expect(try await reading.closedAccounts(), [ann.id])
    }
  }

  static func beginsEmpty(_ registry: any Registry) async throws {
    try expect(try await registry.accounts(), [])
    try expect(try await registry.account(id: "1"), nil)
    try expect(try await registry.account(email: "ann@example.org"), nil)
    try expect(try await registry.containers(), [])
    try expect(try await registry.apiToken(hash: [1]), nil)
    try expect(try await registry.storeEpochs(), [:])
    try expect(try await registry.session(id: "session"), nil)
  }

  static func accountsAreFound(_ registry: any Registry) async throws {
    for account in [ann, bob] {
      try expect(try await registry.create(account), true)
      try expect(try await registry.account(id: account.id), account)
      try expect(try await registry.account(email: account.email), account)
    }
  }

  static func emailsAreUnique(_ registry: any Registry) async throws {
    _ = try await registry.create(ann)
    let other = Account(id: "3", email: ann.email, isDisabled: false)
    try expect(try await registry.create(other), false)
    try expect(try await registry.account(email: ann.email), ann)
    try expect(try await registry.account(id: "3"), nil)
  }

  static func accountsAreListed(_ registry: any Registry) async throws {
    for account in [bob, ann] { _ = try await registry.create(account) }
    try expect(try await registry.accounts(), [ann, bob])
  }

  static func accountsAreDisabled(_ registry: any Registry) async throws {
    for account in [ann, bob] { _ = try await registry.create(account) }
    for isDisabled in [true, true, false] {
      try expect(try await registry.setDisabled(isDisabled, accountID: ann.id), true)
      try expect(try await registry.account(id: ann.id)?.isDisabled, isDisabled)
      try expect(
        try await registry.closedAccounts().sorted(), isDisabled ? [ann.id, bob.id] : [bob.id])
    }
    try expect(try await registry.setDisabled(true, accountID: "missing"), false)
  }

  static func containersAreListed(_ registry: any Registry) async throws {
    for id in ["iCloud.b", "iCloud.a"] {
      try expect(try await registry.createContainer(id: id), true)
    }
    try expect(try await registry.createContainer(id: "iCloud.b"), false)
    try expect(try await registry.containers(), ["iCloud.a", "iCloud.b"])
  }
}

/// The same registry, opened by two processes.
public struct RegistryPair: Sendable {
  public var one: any Registry
  public var other: any Registry

  public init(one: any Registry, other: any Registry) {
    self.one = one
    self.other = other
  }
}
