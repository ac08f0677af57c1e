public import StratusDomain
import StratusWire

/// What every keeper of the server's own knowledge must do: the promises of the port `Registry`.
public enum RegistryConformance {
  public typealias Check = ConformanceCheck<any Registry>

  public static let checks: [Check] = [
    Check("a registry begins empty", beginsEmpty),
    Check("an account is found by id and by e-mail", accountsAreFound),
    Check("an e-mail names one account", emailsAreUnique),
    Check("accounts are listed in order of e-mail", accountsAreListed),
    Check("an account is disabled and enabled again", accountsAreDisabled),
    Check("containers are made once and listed in order", containersAreListed),
    Check("an API token is found by its hash with everything it has", apiTokensAreFound),
    Check("API tokens are listed and deleted by their IDs", apiTokensAreDeleted),
    Check("a session is found, and no other takes its id", sessionsAreFound),
    Check("sessions are touched, listed, deleted, and removed when they are old", sessionsEnd),
    Check("a user is found by name and by account, and stays the first", usersAreFound),
    Check("sessions without a user are named", usersAreMissed),
    Check("the epoch of a store is kept and replaced", epochsAreKept),
    Check("a deleted container goes with all that is its own", containersAreDeleted),
  ]

  static let ann = Account(
    id: "1", email: "ann@example.org", isDisabled: false)
  static let bob = Account(
    id: "2", email: "bob@example.org", isDisabled: true)
  static let production = StoreAddress(
    container: "iCloud.org.example", environment: .production)

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
        try await registry.disabledAccounts().sorted(), isDisabled ? [ann.id, bob.id] : [bob.id])
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
