public import StratusDomain
import StratusWire

extension Accounts {
  /// Everything the server's operator can ask: the management API on one screen.
  public var managementHandlers: [any ManagementHandler] {
    [
      CreateContainerHandler(accounts: self),
      ListContainersHandler(accounts: self),
      CreateAPITokenHandler(accounts: self),
      CreateWebTokenHandler(accounts: self),
      CreateAccountHandler(accounts: self),
      ListAccountsHandler(accounts: self),
      DisableAccountHandler(accounts: self),
    ]
  }
}
