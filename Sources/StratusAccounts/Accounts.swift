import Crypto
public import StratusDomain
import StratusWire
import Synchronization

/// Knows who is calling.
public final class Accounts: Authentication {
  /// Two weeks, as Apple's "Keep me signed in"; every use within it starts them anew.
  public static let webTokenLifetimeSeconds: UInt32 = 14 * 86_400
  /// In place of a container: any, which `stratus dev` alone gives out.
  public static let anyContainer = "*"

  /// Answers carry a newer token once the one sent is this old.
  private static let rotationMilliseconds: Int64 = 60_000
  /// How long an admission is remembered, so that other nodes' changes are noticed.
  private static let memoryMilliseconds: Int64 = 30_000
  private static let memoryMax = 100_000

  private struct Question: Hashable {
    let credentials: Credentials
    let store: StoreAddress
  }

  /// Something that was found out, and how long that is believed.
  private struct Answer<Value: Sendable> {
    let value: Value
    let until: Int64
  }

  private struct Memory {
    var admissions: [Question: Answer<Admission>] = [:]
    /// Their IDs.
    var disabledAccounts: Answer<[String]>?
    /// By container.
    var disabledUsers: [String: Answer<Set<String>>] = [:]
    /// How often it was emptied: what was asked before that may be wrong already.
    var changes = 0
  }

  let registry: any Registry
  let ambient: Ambient
  let randomness: Randomness
  private let names: UserNames
  private let tokenKey: SymmetricKey
  private let memory = Mutex(Memory())

  /// - Throws: what the registry throws.
  public init(
    registry: any Registry, ambient: Ambient, randomness: @escaping Randomness
  ) async throws(ServerError) {
    self.registry = registry
    self.ambient = ambient
    self.randomness = randomness
    names = UserNames(
      secret: try await registry.secret(named: "user names", orKeep: randomness(32)))
    tokenKey = SymmetricKey(
      data: try await registry.secret(named: "web auth tokens", orKeep: randomness(32)))
  }

  public func admit(
    _ credentials: Credentials, to store: StoreAddress
  ) async throws(ServerError) -> Admission {
    let question = Question(credentials: credentials, store: store)
    let now = ambient.now()
    let (known, changes) = memory.withLock { ($0.admissions[question], $0.changes) }
    if let known, now < known.until { return known.value }
    let admission = try await examine(credentials, for: store, now: now)
    memory.withLock { memory in
      guard memory.changes == changes else { return }
      if memory.admissions.count >= Self.memoryMax { memory.admissions.removeAll() }
      memory.admissions[question] = Answer(
        value: admission, until: now + Self.memoryMilliseconds)
    }
    return admission
  }

  public func disabledUsers(of container: String) async throws(ServerError) -> Set<String> {
    let now = ambient.now()
    let (known, accounts, changes) = memory.withLock {
      ($0.disabledUsers[container], $0.disabledAccounts, $0.changes)
    }
    if let known, now < known.until { return known.value }
    let disabled: Answer<[String]>
    if let accounts, now < accounts.until {
      disabled = accounts
    } else {
      disabled = Answer(
        value: try await registry.disabledAccounts(), until: now + Self.memoryMilliseconds)
    }
    let users = Set(
      disabled.value.map { names.userRecordName(accountID: $0, container: container) })
    memory.withLock { memory in
      guard memory.changes == changes else { return }
      memory.disabledAccounts = disabled
      if memory.disabledUsers.count >= Self.memoryMax { memory.disabledUsers.removeAll() }
      memory.disabledUsers[container] = Answer(value: users, until: disabled.until)
    }
    return users
  }

  /// Forgets what was found out, after something changed.
  func forgetAdmissions() {
    memory.withLock { memory in
      memory = Memory(changes: memory.changes + 1)
    }
  }

  private func examine(
    _ credentials: Credentials, for store: StoreAddress, now: Int64
  ) async throws(ServerError) -> Admission {
    let failed = ServerError(.authenticationFailed, Reason.authenticationFailed)
    guard let apiToken = credentials.apiToken,
      let known = try await registry.apiToken(apiToken), known.store.covers(store)
    else { throw failed }
    if known.store.container == Self.anyContainer { try await adopt(store.container) }
    guard let text = credentials.webAuthToken, !text.isEmpty else {
      return Admission(userRecordName: nil)
    }
    guard let token = WebAuthToken(text: text, sealedWith: tokenKey) else { throw failed }
    // Choice: who holds a token of ours may know what became of it. The code stays the one that web
    // clients know; the native framework tells the states of an account by the reason.
    let ended = ServerError(.authenticationFailed, Reason.sessionEnded)
    guard let session = try await registry.session(id: token.sessionID) else { throw ended }
    guard session.store.covers(store),
      let account = try await registry.account(id: session.accountID)
    else { throw failed }
    if account.isDisabled { throw ServerError(.authenticationFailed, Reason.accountDisabled) }
    if token.isOver(at: now) { throw ended }
    var next: String?
    if now - token.issuedAt > Self.rotationMilliseconds {
      next = WebAuthToken(
        sessionID: token.sessionID, issuedAt: now, lifetimeSeconds: token.lifetimeSeconds
      ).text(sealedWith: tokenKey)
    }
    let name = names.userRecordName(accountID: account.id, container: store.container)
    return Admission(userRecordName: name, nextWebAuthToken: next)
  }

  /// A container named to a server for developers exists from then on.
  private func adopt(_ container: String) async throws(ServerError) {
    try ContainerName.check(container)
    _ = try await registry.createContainer(id: container)
  }

  /// Signs an account in.
  ///
  /// - Returns: the first web auth token of the session.
  func openSession(
    of account: Account, with store: StoreAddress
  ) async throws(ServerError) -> String {
    let session = Session(id: randomness(32).hex, accountID: account.id, store: store)
    try await registry.create(session)
    return WebAuthToken(
      sessionID: session.id, issuedAt: ambient.now(),
      lifetimeSeconds: Self.webTokenLifetimeSeconds
    ).text(sealedWith: tokenKey)
  }
}

extension StoreAddress {
  /// Whether a token for this address is good for another.
  fileprivate func covers(_ other: StoreAddress) -> Bool {
    container == Accounts.anyContainer || self == other
  }
}
