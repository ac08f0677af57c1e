public import StratusWire

/// The deletion of an account, which is done in steps.
public struct AccountRemoval: Sendable, Hashable {
  public var receipt: RemovalReceipt
  /// The number of saved steps. A step is saved only if no other process has saved one meanwhile.
  public var step: Int64
  /// The store from which all data of the account were removed last, or nil if there is none yet.
  /// The stores are handled in the order of their names.
  public var lastStore: StoreAddress?
  /// The progress in the store that follows ``lastStore``.
  public var progress: UserRemovalProgress
  /// Whether all stores were examined once more after the deletion had ended. A request that was
  /// admitted before the deletion may have written something during it.
  public var isChecked: Bool

  public init(
    receipt: RemovalReceipt, step: Int64 = 0, lastStore: StoreAddress? = nil,
    progress: UserRemovalProgress = UserRemovalProgress(), isChecked: Bool = false
  ) {
    self.receipt = receipt
    self.step = step
    self.lastStore = lastStore
    self.progress = progress
    self.isChecked = isChecked
  }
}

/// The result of an attempt to begin the deletion of an account.
public enum RemovalStart: Sendable, Hashable {
  /// The deletion begins, or is in progress already.
  case begun(AccountRemoval)
  /// The account is the last owner of the team, so nothing has changed.
  case lastOwner
  case noAccount
}

/// Stores the deletions of accounts.
public protocol RemovalRegistry: Sendable {
  /// Begins the deletion of an account, in one transaction with the entry of the audit log. The
  /// account is disabled. Its sessions, credentials, factors, consents and mailed codes are
  /// removed, and also its profile, addresses, telephone numbers and team membership.
  /// ``RemovalReceipt/counts`` gets their numbers, except that of the mailed codes.
  ///
  /// - Returns: the earlier deletion, if one has begun already.
  func beginRemoval(
    _ removal: AccountRemoval, entry: AuditEntry
  ) async throws(ServerError) -> RemovalStart

  /// Saves a step of a deletion. If the deletion is now checked, the users of the account
  /// (``ContainerUser``) are removed, too.
  ///
  /// - Parameter removal: the new state, with the number of the state that it replaces.
  /// - Returns: the saved state, or nil if another process has saved a step.
  func save(_ removal: AccountRemoval) async throws(ServerError) -> AccountRemoval?

  /// Ends a deletion, in one transaction: removes the account, and what is still in the registry
  /// about it. Three things stay. The entries of the audit log are kept. Mails that wait to be sent
  /// are still sent. The users of the account (``ContainerUser``) stay until the deletion is
  /// checked.
  ///
  /// - Returns: the saved state, or nil if another process has saved a step.
  func finish(_ removal: AccountRemoval, at now: Int64) async throws(ServerError) -> AccountRemoval?

  /// Returns the deletions that are not complete or not checked yet, the oldest first.
  func openRemovals(limit: Int) async throws(ServerError) -> [AccountRemoval]

  func removal(id: String) async throws(ServerError) -> AccountRemoval?

  /// Returns the newest deletions, the newest first.
  func removals(limit: Int) async throws(ServerError) -> [AccountRemoval]

  /// Removes the receipts of checked deletions that ended before a time, in milliseconds since 1970
  /// UTC.
  func deleteRemovals(endedBefore time: Int64) async throws(ServerError)

  /// Removes the password, the passkey or the provider link that a journal entry names, even if the
  /// account has no other way to sign in.
  ///
  /// - Returns: false if there is no such credential, or if the entry is of another kind.
  func removeCredential(_ entry: RemovalEntry) async throws(ServerError) -> Bool

  /// Returns the entries of a journal that a restore has left in the registry, in their order. A
  /// server applies them before it answers any request.
  func pendingRemovals() async throws(ServerError) -> [RemovalEntry]

  /// Removes these entries after they were applied.
  func forgetPendingRemovals() async throws(ServerError)

  /// Returns the users of an account, in the order of the container IDs.
  func users(ofAccount accountID: String) async throws(ServerError) -> [ContainerUser]
}
