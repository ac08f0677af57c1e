import StratusDomain
import StratusWire

/// Answers ``CreateAccount``.
struct CreateAccountHandler: ManagementHandler {
  typealias Endpoint = CreateAccount

  let accounts: Accounts

  func answer(_ request: CreateAccount.Request) async throws(ServerError) -> EmptyRequest {
    // NB: the password is checked before the account is created. Otherwise a refused password would
    // leave an account without a password.
    if let password = request.password {
      try PasswordRules.require(password, email: request.email)
    }
    try await accounts.create(email: request.email, isTest: request.isTest)
    if let password = request.password {
      let account = try await accounts.account(email: request.email)
      try await accounts.setPassword(password, of: account)
    }
    let kind = request.isTest ? "test account" : "account"
    accounts.audit.noteChange("made the \(kind) '\(request.email.lowercased())'")
    return EmptyRequest()
  }
}

/// Answers ``ConfigureAccount``.
struct ConfigureAccountHandler: ManagementHandler {
  typealias Endpoint = ConfigureAccount

  let accounts: Accounts

  func answer(_ request: ConfigureAccount.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    guard request.password != nil || request.removesSecondFactor || request.changesProfile else {
      throw .badRequest("there is nothing to configure; give a password")
    }
    // NB: these checks come first, so that a refused request has changed nothing.
    if let password = request.password {
      try PasswordRules.require(password, email: account.email)
    }
    if request.removesSecondFactor,
      try await accounts.registry.factor(ofAccount: account.id) == nil
    {
      throw ServerError(
        .notFound, "the account '\(account.email)' has no second factor to remove")
    }
    if request.changesProfile {
      try await accounts.changeProfile(
        of: account, given: request.givenName, family: request.familyName,
        discoverability: request.isDiscoverable.map { $0 ? .granted : .denied })
      accounts.audit.noteChange("changed the profile of the account '\(account.email)'")
    }
    if let password = request.password {
      try await accounts.setPassword(password, of: account)
      accounts.audit.noteChange("changed the password of the account '\(account.email)'")
      await accounts.notify(account, .passwordChanged(accounts.serverName))
    }
    if request.removesSecondFactor {
      _ = try await accounts.registry.deleteFactor(ofAccount: account.id)
      accounts.audit.noteChange("removed the second factor of the account '\(account.email)'")
      await accounts.notify(account, .factorRemoved(accounts.serverName))
    }
    return EmptyRequest()
  }
}

/// Answers ``DisableAccount``.
struct DisableAccountHandler: ManagementHandler {
  typealias Endpoint = DisableAccount

  let accounts: Accounts
  /// Disconnects the listeners of disabled users.
  let releaseEnded: @Sendable () async throws(ServerError) -> Void

  func answer(_ request: DisableAccount.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    try accounts.journal(.disabled, of: account.id)
    _ = try await accounts.registry.setDisabled(true, accountID: account.id)
    accounts.memory.forget()
    accounts.audit.noteChange("disabled the account '\(account.email)'")
    try await releaseEnded()
    return EmptyRequest()
  }
}

/// Answers ``EnableAccount``.
struct EnableAccountHandler: ManagementHandler {
  typealias Endpoint = EnableAccount

  let accounts: Accounts

  func answer(_ request: EnableAccount.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    guard try await accounts.registry.setDisabled(false, accountID: account.id) else {
      throw .badRequest("the account '\(account.email)' is being deleted and cannot be enabled")
    }
    try accounts.journal(.enabled, of: account.id)
    accounts.memory.forget()
    accounts.audit.noteChange("enabled the account '\(account.email)'")
    return EmptyRequest()
  }
}

/// Answers ``RestrictAccount``.
struct RestrictAccountHandler: ManagementHandler {
  typealias Endpoint = RestrictAccount

  let accounts: Accounts
  /// Disconnects the listeners of restricted users.
  let releaseEnded: @Sendable () async throws(ServerError) -> Void

  func answer(_ request: RestrictAccount.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    try accounts.journal(.restricted, of: account.id)
    _ = try await accounts.registry.setRestricted(true, accountID: account.id)
    accounts.memory.forget()
    accounts.audit.noteChange("restricted the account '\(account.email)'")
    try await releaseEnded()
    return EmptyRequest()
  }
}

/// Answers ``UnrestrictAccount``.
struct UnrestrictAccountHandler: ManagementHandler {
  typealias Endpoint = UnrestrictAccount

  let accounts: Accounts

  func answer(_ request: UnrestrictAccount.Request) async throws(ServerError) -> EmptyRequest {
    let account = try await accounts.account(email: request.email)
    _ = try await accounts.registry.setRestricted(false, accountID: account.id)
    try accounts.journal(.unrestricted, of: account.id)
    accounts.memory.forget()
    accounts.audit.noteChange("ended the restriction of the account '\(account.email)'")
    return EmptyRequest()
  }
}

/// Answers ``ListAccounts``.
struct ListAccountsHandler: ManagementHandler {
  typealias Endpoint = ListAccounts

  let accounts: Accounts

  func answer(
    _ request: ListAccounts.Request
  ) async throws(ServerError) -> ListAccounts.Response {
    let tests = try await accounts.registry.testAccounts()
    let items = try await accounts.registry.accounts().map {
      ListAccounts.Item(
        email: $0.email, isDisabled: $0.isDisabled, isRestricted: $0.isRestricted,
        isTest: tests.contains($0.id))
    }
    return ListAccounts.Response(accounts: items)
  }
}

extension Accounts {
  /// Creates an account.
  ///
  /// - Throws: `BAD_REQUEST` if the e-mail address is invalid or in use.
  /// - Parameter isTest: whether members of the team may act in the account's name.
  func create(email: String, isTest: Bool = false) async throws(ServerError) {
    let email = email.lowercased()
    try Self.requireAddress(email)
    let account = Account(
      id: randomness(16).hex, email: email, isDisabled: false)
    let isCreated: Bool
    if isTest {
      isCreated = try await registry.createTestAccount(account)
    } else {
      isCreated = try await registry.create(account)
    }
    guard isCreated else {
      throw .badRequest("an account '\(email)' exists already")
    }
  }

  /// - Throws: `BAD_REQUEST` unless the text is an e-mail address.
  static func requireAddress(_ email: String) throws(ServerError) {
    guard MailAddress.isValid(email) else {
      throw .badRequest("'\(email.prefix(64))' is not an e-mail address")
    }
  }

  /// - Throws: `NOT_FOUND` if no account has this address.
  func account(email: String) async throws(ServerError) -> Account {
    guard let account = try await registry.account(email: email.lowercased()) else {
      throw ServerError(
        .notFound,
        "there is no account '\(email.prefix(64))'; make it with 'stratus account create'")
    }
    return account
  }
}
