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
    Check("an API token is found with its store", apiTokensAreFound),
    Check("a session is found, and no other takes its id", sessionsAreFound),
    Check("a secret is kept from the first call on", secretsAreKept),
    Check("of many who bring a secret at once, all get the same", secretsAreShared),
  ]

  private static let ann = Account(
    id: "1", email: "ann@example.org", isDisabled: false)
  private static let bob = Account(
    id: "2", email: "bob@example.org", isDisabled: true)
  private static let production = StoreAddress(
    container: "iCloud.org.example", environment: .production)

  static func beginsEmpty(_ registry: any Registry) async throws {
    try expect(try await registry.accounts(), [])
    try expect(try await registry.account(id: "1"), nil)
    try expect(try await registry.account(email: "ann@example.org"), nil)
    try expect(try await registry.containers(), [])
    try expect(try await registry.apiToken("token"), nil)
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

  static func apiTokensAreFound(_ registry: any Registry) async throws {
    let token = APIToken(token: String(repeating: "0a", count: 32), store: production)
    try await registry.create(token)
    try expect(try await registry.apiToken(token.token), token)
    try expect(try await registry.apiToken("0a"), nil)
  }

  static func sessionsAreFound(_ registry: any Registry) async throws {
    let session = Session(id: "session", accountID: "1", store: production)
    try await registry.create(session)
    try expect(try await registry.session(id: "session"), session)
    var other = session
    other.accountID = "2"
    var isRefused = false
    do {
      try await registry.create(other)
    } catch {
      isRefused = true
    }
    try expect(isRefused, true)
    try expect(try await registry.session(id: "session"), session)
  }

  static func secretsAreKept(_ registry: any Registry) async throws {
    try expect(try await registry.secret(named: "key", orKeep: [0, 1, 255]), [0, 1, 255])
    try expect(try await registry.secret(named: "key", orKeep: [2]), [0, 1, 255])
    try expect(try await registry.secret(named: "other", orKeep: [3]), [3])
  }

  static func secretsAreShared(_ registry: any Registry) async throws {
    let secrets = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for index in 0..<50 {
        group.addTask { try await registry.secret(named: "key", orKeep: [UInt8(index)]) }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    try expect(secrets.count, 1)
  }
}
