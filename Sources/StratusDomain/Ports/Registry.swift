/// The data of the server as a whole: accounts, containers, tokens, keys, sessions, users, and the
/// list of stores.
///
/// The registry is small and rarely written. When a write method returns, the write is on disk.
public protocol Registry:
  AccountRegistry, ContainerRegistry, APITokenRegistry, ServerKeyRegistry, SessionRegistry,
  PasswordRegistry, BrowserSessionRegistry, MailRegistry, FactorRegistry, TeamRegistry,
  SignInStepRegistry, PasskeyRegistry, ProviderRegistry, ConsentRegistry, TestAccountRegistry,
  UserRegistry, StoreRegistry, VersionRegistry, AuditRegistry, ProfileRegistry,
  AddressRegistry, RemovalRegistry, InstallationRegistry
{}

/// Stores the ID of the installation: a server with its data, or all nodes with the same database.
public protocol InstallationRegistry: Sendable {
  /// Returns the ID of the installation. If it has none yet, stores the given one.
  ///
  /// A restore, and a copy with a history of its own, begin without an ID. So no two installations
  /// that are used at the same time have the same ID, unless an operator has copied the files or
  /// the database by other means.
  func installationID(orKeep id: String) async throws(ServerError) -> String
}

/// Tells the server's processes when cached data of the registry and of the server's keys is
/// outdated.
public protocol VersionRegistry: Sendable {
  /// Returns a number that increases with each change that can end or change an admission: an
  /// account is disabled, enabled, restricted or deleted, a restriction ends, a session or an API
  /// token is removed, a server-to-server key is revoked, or a container is deleted.
  func version() async throws(ServerError) -> Int64

  /// Increases the version after a change outside the registry.
  func advanceVersion() async throws(ServerError)
}

/// An account that can sign in.
public struct Account: Sendable, Hashable {
  /// The ID of the account. The ID never changes, and is never sent to an app.
  public var id: String
  /// The e-mail address in lower case. No two accounts have the same address.
  public var email: String
  public var isDisabled: Bool
  /// Whether the account's data may only be stored: every request for data is refused, and
  /// notifications stop. The user can still sign in on the account page.
  public var isRestricted: Bool
  /// Whether the user has restricted the account on the account page. Only then can the user also
  /// end the restriction.
  public var isRestrictedByUser: Bool

  public init(
    id: String, email: String, isDisabled: Bool, isRestricted: Bool = false,
    isRestrictedByUser: Bool = false
  ) {
    self.id = id
    self.email = email
    self.isDisabled = isDisabled
    self.isRestricted = isRestricted
    self.isRestrictedByUser = isRestrictedByUser
  }
}

/// Stores accounts.
public protocol AccountRegistry: Sendable {
  /// - Returns: false, without any change, if an account with that e-mail address exists.
  func create(_ account: Account) async throws(ServerError) -> Bool
  func account(id: String) async throws(ServerError) -> Account?
  func account(email: String) async throws(ServerError) -> Account?
  /// Returns all accounts, sorted by e-mail address.
  func accounts() async throws(ServerError) -> [Account]
  /// Returns the IDs of the disabled and the restricted accounts, unsorted.
  func closedAccounts() async throws(ServerError) -> [String]
  /// - Returns: false if there is no such account, or if it is being deleted.
  func setDisabled(_ isDisabled: Bool, accountID: String) async throws(ServerError) -> Bool
  /// - Returns: false if there is no such account.
  func setRestricted(_ isRestricted: Bool, accountID: String) async throws(ServerError) -> Bool
  /// Begins a restriction by the user, or ends it, in one transaction with the entry of the audit
  /// log, if there is one.
  ///
  /// - Returns: false, without any change, if the account is already as asked, or if the operator
  ///   has restricted it.
  func setRestrictedByUser(
    _ isRestricted: Bool, accountID: String, entry: AuditEntry?
  ) async throws(ServerError) -> Bool
}

/// Stores the list of containers.
public protocol ContainerRegistry: Sendable {
  /// - Returns: false if the container exists already.
  func createContainer(id: String) async throws(ServerError) -> Bool
  /// Returns the container IDs, sorted.
  func containers() async throws(ServerError) -> [String]
  /// Removes a container with its API tokens, server keys, sessions, users and entries in the list
  /// of stores.
  ///
  /// - Returns: false if there is no such container.
  func deleteContainer(id: String) async throws(ServerError) -> Bool
}

/// The user of an account in one container.
public struct ContainerUser: Sendable, Hashable {
  public var container: String
  public var userRecordName: String
  public var accountID: String

  public init(container: String, userRecordName: String, accountID: String) {
    self.container = container
    self.userRecordName = userRecordName
    self.accountID = accountID
  }
}

/// Stores the users of containers: the user record name of each account.
///
/// A user record name is a one-way hash. Only this table tells which account a user belongs to.
public protocol UserRegistry: Sendable {
  /// Stores a user, unless the account already has one in that container.
  func keep(_ user: ContainerUser) async throws(ServerError)
  /// Returns the user with this record name in a container.
  func user(named name: String, in container: String) async throws(ServerError) -> ContainerUser?
  /// Returns the user of an account in a container.
  func user(
    ofAccount accountID: String, in container: String
  ) async throws(ServerError) -> ContainerUser?
  /// Returns the pairs of an account and a container for which there is a session but no user. An
  /// earlier version of the server left them in this state.
  ///
  /// - Returns: at most `limit` pairs, unsorted.
  func sessionsWithoutUser(
    limit: Int
  ) async throws(ServerError) -> [(accountID: String, container: String)]
}

/// Stores the list of stores, so that the server can notice a lost store.
public protocol StoreRegistry: Sendable {
  /// Returns the epoch of each store that was ever opened. Stores of deleted containers are left
  /// out.
  func storeEpochs() async throws(ServerError) -> [StoreAddress: Int64]
  /// Returns the epoch that was stored for a store, or nil if the store was never opened.
  func epoch(ofStore address: StoreAddress) async throws(ServerError) -> Int64?
  /// Stores the epoch of a store, and replaces an earlier one.
  func keep(epoch: Int64, ofStore address: StoreAddress) async throws(ServerError)
}
