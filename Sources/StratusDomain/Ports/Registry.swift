/// What the server as a whole knows: accounts, containers, tokens, sessions, and its own secrets.
///
/// Small and rarely written; every write is on disk when the method returns.
public protocol Registry: AccountRegistry, ContainerRegistry, APITokenRegistry, SessionRegistry {
  /// A secret of the server's by name, kept from the first call on.
  ///
  /// - Parameter fresh: what to keep if there is none.
  func secret(named name: String, orKeep fresh: [UInt8]) async throws(ServerError) -> [UInt8]
}

/// Someone who can sign in.
public struct Account: Sendable, Hashable {
  /// Never changes and never reaches an app; see DESIGN section 4.
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
}

/// Lets an app call for one container in one environment. Not secret: it stands in web pages.
public struct APIToken: Sendable, Hashable {
  /// 64 hex digits.
  public var token: String
  public var store: StoreAddress

  public init(token: String, store: StoreAddress) {
    self.token = token
    self.store = store
  }
}

/// Keeps API tokens.
public protocol APITokenRegistry: Sendable {
  func create(_ token: APIToken) async throws(ServerError)
  func apiToken(_ token: String) async throws(ServerError) -> APIToken?
}

/// An account's stay with one container in one environment, from sign-in to sign-out.
public struct Session: Sendable, Hashable {
  public var id: String
  public var accountID: String
  public var store: StoreAddress

  public init(id: String, accountID: String, store: StoreAddress) {
    self.id = id
    self.accountID = accountID
    self.store = store
  }
}

/// Keeps sessions.
public protocol SessionRegistry: Sendable {
  func create(_ session: Session) async throws(ServerError)
  func session(id: String) async throws(ServerError) -> Session?
}
