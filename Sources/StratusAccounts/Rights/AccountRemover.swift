public import StratusDomain
import StratusWire

/// Deletes accounts with all their data, in steps that survive a crash.
///
/// The registry stores the position of each deletion. When a deletion begins, the account loses all
/// its credentials and is disabled, so no caller can sign in or write in its name. When the
/// deletion ends, the account itself disappears, and a receipt stays.
public struct AccountRemover: Sendable {
  /// The maximum number of steps that one request does. A step takes 10 to 50 ms.
  static let stepsPerRequestMax = 200
  /// The time between the end of a deletion and a second search of the stores for data of the
  /// account, in milliseconds. A request that was admitted before the deletion ends in this time.
  static let checkMilliseconds: Int64 = 10 * 60_000
  /// The maximum number of deletions that are continued together.
  private static let openMax = 100

  let accounts: Accounts
  private let removal: UserRemoval
  private let stores: any StoreCatalog
  private let hasStore: @Sendable (StoreAddress) -> Bool
  let releaseEnded: @Sendable () async throws(ServerError) -> Void

  /// - Parameters:
  ///   - removal: removes the data of one user from one store.
  ///   - hasStore: whether a store exists. Missing stores are not created.
  ///   - releaseEnded: disconnects the listeners of ended sessions and of disabled users.
  public init(
    accounts: Accounts, removal: UserRemoval, stores: any StoreCatalog,
    hasStore: @escaping @Sendable (StoreAddress) -> Bool,
    releaseEnded: @escaping @Sendable () async throws(ServerError) -> Void
  ) {
    self.accounts = accounts
    self.removal = removal
    self.stores = stores
    self.hasStore = hasStore
    self.releaseEnded = releaseEnded
  }

  /// Begins the deletion of an account. The deletion cannot be stopped any more.
  ///
  /// - Parameter actor: the operator, a member of the team, or the user.
  /// - Throws: an error of the journal or of the registry.
  func begin(
    _ accountID: String, _ choice: PublicRecordsChoice, by actor: AuditActor = .operator
  ) async throws(ServerError) -> RemovalStart {
    let now = accounts.ambient.now()
    let receipt = RemovalReceipt(
      id: accounts.randomness(8).hex, accountID: accountID, publicRecords: choice, begunAt: now)
    let entry = AuditEntry(
      time: now, actor: actor, action: DeleteAccount.path, accountID: accountID,
      subject: "receipt \(receipt.id)")
    let start = try await accounts.registry.beginRemoval(
      AccountRemoval(receipt: receipt), entry: entry)
    accounts.memory.forget()
    if case .begun = start {
      try accounts.journal(.account, of: accountID, detail: choice.rawValue)
      try await releaseEnded()
    }
    return start
  }

  /// Continues a deletion.
  ///
  /// - Parameter stepsMax: the maximum number of steps.
  /// - Returns: the newest state.
  func advance(
    _ removal: AccountRemoval, stepsMax: Int = Self.stepsPerRequestMax
  ) async throws(ServerError) -> AccountRemoval {
    var (state, count) = (removal, 0)
    while state.receipt.endedAt == nil, count < stepsMax {
      count += 1
      guard let next = try await step(state) else {
        // Another process, or the server's own work, continues the same deletion.
        return try await accounts.registry.removal(id: state.receipt.id) ?? state
      }
      state = next
    }
    return state
  }

  /// Does some of the pending work of all deletions. The server calls this method at its start and
  /// at intervals.
  ///
  /// - Returns: whether there may be more to do at once.
  public func continueRemovals() async throws(ServerError) -> Bool {
    var hasMore = false
    for removal in try await accounts.registry.openRemovals(limit: Self.openMax) {
      if removal.receipt.endedAt == nil {
        let state = try await advance(removal)
        hasMore = hasMore || state.receipt.endedAt == nil
      } else {
        try await check(removal)
      }
    }
    return hasMore
  }

  /// Does all pending work, for tests.
  package func finishRemovals() async throws(ServerError) {
    while try await continueRemovals() {}
  }

  /// Does one step, and saves the new position.
  ///
  /// - Returns: nil if another process has saved a step.
  private func step(
    _ removal: AccountRemoval
  ) async throws(ServerError) -> AccountRemoval? {
    var next = removal
    guard let address = try await addresses().first(where: { $0.isAfter(removal.lastStore) }) else {
      try accounts.journal(
        .account, of: removal.receipt.accountID, detail: removal.receipt.publicRecords.rawValue)
      return try await accounts.registry.finish(removal, at: accounts.ambient.now())
    }
    let store = try await stores.store(at: address)
    let user = try await accounts.knownUser(
      removal.receipt.accountID, in: address.container)
    let hasMore = try await self.removal.step(
      user, in: store, at: address, publicRecords: removal.receipt.publicRecords, &next.progress,
      counts: &next.receipt.counts)
    if !hasMore {
      next.lastStore = address
      next.progress = UserRemovalProgress()
    }
    return try await accounts.registry.save(next)
  }

  /// Removes the data of the account that requests have written during the deletion. Does nothing
  /// until ``checkMilliseconds`` after the end of the deletion.
  private func check(_ removal: AccountRemoval) async throws(ServerError) {
    guard let endedAt = removal.receipt.endedAt,
      accounts.ambient.now() >= endedAt + Self.checkMilliseconds
    else { return }
    for address in try await addresses() {
      let store = try await stores.store(at: address)
      let user = try await accounts.knownUser(
        removal.receipt.accountID, in: address.container)
      var (progress, counts, count) = (UserRemovalProgress(), removal.receipt.counts, 0)
      while try await self.removal.step(
        user, in: store, at: address, publicRecords: removal.receipt.publicRecords, &progress,
        counts: &counts)
      {
        count += 1
        // Choice: the number of steps is enough for ten million public records.
        if count > 20_000 { throw .fault("the check of a deletion does not end") }
      }
    }
    var checked = removal
    checked.isChecked = true
    _ = try await accounts.registry.save(checked)
  }

  /// All existing stores, in the order of their names.
  private func addresses() async throws(ServerError) -> [StoreAddress] {
    try await accounts.registry.containers().sorted().flatMap { container in
      ContainerEnvironment.allCases.map {
        StoreAddress(container: container, environment: $0)
      }.sorted { $0.environment.rawValue < $1.environment.rawValue }
    }.filter(hasStore)
  }
}

extension StoreAddress {
  /// Whether the address comes after another one, in the order of the names. Every address comes
  /// after nil.
  fileprivate func isAfter(_ other: StoreAddress?) -> Bool {
    guard let other else { return true }
    return (container, environment.rawValue) > (other.container, other.environment.rawValue)
  }
}
