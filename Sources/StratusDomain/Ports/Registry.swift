/// The knowledge of the server as a whole: accounts, containers, tokens, sessions, users, and which
/// stores there are.
///
/// Small and rarely written; every write is on disk when the method returns.
public protocol Registry:
  AccountRegistry, ContainerRegistry, APITokenRegistry, SessionRegistry, UserRegistry,
  StoreRegistry
{}

/// Someone who can sign in.
public struct Account: Sendable, Hashable {
  /// Never changes and never reaches an app.
  public var id: String
  /// Lower case; names at most one account.
  public var email: String
  public var isDisabled: Bool

  public init(id: String, email: String, isDisabled: Bool) {
    self.id = id
    self.email = email
    self.isDisabled = isDisabled
  }
}

/// Keeps accounts.
public protocol AccountRegistry: Sendable {
  /// - Returns: false if an account with that e-mail exists; nothing is changed then.
  func create(_ account: Account) async throws(ServerError) -> Bool
  func account(id: String) async throws(ServerError) -> Account?
  func account(email: String) async throws(ServerError) -> Account?
  /// All accounts in order of e-mail.
  func accounts() async throws(ServerError) -> [Account]
  /// The IDs of accounts that are disabled, in no order.
  func disabledAccounts() async throws(ServerError) -> [String]
  /// - Returns: false if there is none.
  func setDisabled(_ isDisabled: Bool, accountID: String) async throws(ServerError) -> Bool
}

/// Keeps the list of containers.
public protocol ContainerRegistry: Sendable {
  /// - Returns: false if it exists.
  func createContainer(id: String) async throws(ServerError) -> Bool
  /// IDs in order.
  func containers() async throws(ServerError) -> [String]
  /// Forgets a container with its API tokens, sessions, users and stores.
  ///
  /// - Returns: false if there is none.
  func deleteContainer(id: String) async throws(ServerError) -> Bool
}

/// The name of an account in one container.
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

/// Keeps the users of containers: which account has which user record name.
///
/// A user record name is a one-way hash, so only this table leads from a user to an account.
public protocol UserRegistry: Sendable {
  /// Keeps a user, unless the account has one in that container.
  func keep(_ user: ContainerUser) async throws(ServerError)
  /// The user that has a record name in a container.
  func user(named name: String, in container: String) async throws(ServerError) -> ContainerUser?
  /// The user that an account is in a container.
  func user(
    ofAccount accountID: String, in container: String
  ) async throws(ServerError) -> ContainerUser?
  /// Accounts and containers that have a session and no user, for what an earlier program left.
  ///
  /// - Returns: pairs in no order, at most `limit`.
  func sessionsWithoutUser(
    limit: Int
  ) async throws(ServerError) -> [(accountID: String, container: String)]
}

/// Keeps which stores there are, so that a lost one is noticed.
public protocol StoreRegistry: Sendable {
  /// The epoch of each store that was ever opened.
  func storeEpochs() async throws(ServerError) -> [StoreAddress: Int64]
  /// The epoch that a store had when it was opened first; nil: it never was.
  func epoch(ofStore address: StoreAddress) async throws(ServerError) -> Int64?
  /// Keeps the epoch of a store in the place of any other.
  func keep(epoch: Int64, ofStore address: StoreAddress) async throws(ServerError)
}
