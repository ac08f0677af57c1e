/// The data of the server as a whole: accounts, containers, tokens, sessions, users, and the list
/// of stores.
///
/// The registry is small and rarely written. Every write is on disk when its method returns.
public protocol Registry:
  AccountRegistry, ContainerRegistry, APITokenRegistry, SessionRegistry, UserRegistry,
  StoreRegistry, VersionRegistry
{}

/// Tells the server's processes when cached data of the registry and of the server's keys is
/// outdated.
public protocol VersionRegistry: Sendable {
  /// A number that increases with each change that can end or change an admission: an account is
  /// disabled or enabled, a session or an API token is removed, a container is deleted.
  func version() async throws(ServerError) -> Int64

  /// Increases the number after a change that is not in the registry.
  func advanceVersion() async throws(ServerError)
}

/// An account that can sign in.
public struct Account: Sendable, Hashable {
  /// Never changes, and is never sent to an app.
  public var id: String
  /// In lower case. No two accounts have the same address.
  public var email: String
  public var isDisabled: Bool

  public init(id: String, email: String, isDisabled: Bool) {
    self.id = id
    self.email = email
    self.isDisabled = isDisabled
  }
}

/// Stores accounts.
public protocol AccountRegistry: Sendable {
  /// - Returns: false if an account with that e-mail exists. Then nothing changes.
  func create(_ account: Account) async throws(ServerError) -> Bool
  func account(id: String) async throws(ServerError) -> Account?
  func account(email: String) async throws(ServerError) -> Account?
  /// All accounts, sorted by e-mail.
  func accounts() async throws(ServerError) -> [Account]
  /// The IDs of disabled accounts, unsorted.
  func disabledAccounts() async throws(ServerError) -> [String]
  /// - Returns: false if there is no such account.
  func setDisabled(_ isDisabled: Bool, accountID: String) async throws(ServerError) -> Bool
}

/// Stores the list of containers.
public protocol ContainerRegistry: Sendable {
  /// - Returns: false if the container exists.
  func createContainer(id: String) async throws(ServerError) -> Bool
  /// The container IDs, sorted.
  func containers() async throws(ServerError) -> [String]
  /// Removes a container with its API tokens, sessions, users and stores.
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
  /// The user with this record name in a container.
  func user(named name: String, in container: String) async throws(ServerError) -> ContainerUser?
  /// The user of an account in a container.
  func user(
    ofAccount accountID: String, in container: String
  ) async throws(ServerError) -> ContainerUser?
  /// The accounts and containers that have a session but no user, as an earlier version of the
  /// server left them.
  ///
  /// - Returns: at most `limit` pairs, unsorted.
  func sessionsWithoutUser(
    limit: Int
  ) async throws(ServerError) -> [(accountID: String, container: String)]
}

/// Stores the list of stores, so that the server can notice a lost one.
public protocol StoreRegistry: Sendable {
  /// The epoch of each store that was ever opened.
  func storeEpochs() async throws(ServerError) -> [StoreAddress: Int64]
  /// The epoch of a store when it was first opened; nil: it was never opened.
  func epoch(ofStore address: StoreAddress) async throws(ServerError) -> Int64?
  /// Stores the epoch of a store, and replaces an earlier one.
  func keep(epoch: Int64, ofStore address: StoreAddress) async throws(ServerError)
}
