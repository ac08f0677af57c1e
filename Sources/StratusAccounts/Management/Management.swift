public import StratusDomain
import StratusWire

extension Accounts {
  /// Everything the server's operator can ask: the management API on one screen.
  ///
  /// - Parameter releaseDisabled: lets those go who listen for users that are shut out.
  public func managementHandlers(
    releaseDisabled: @escaping @Sendable () async throws(ServerError) -> Void
  ) -> [any ManagementHandler] {
    [
      CreateContainerHandler(accounts: self),
      ListContainersHandler(accounts: self),
      CreateAPITokenHandler(accounts: self),
      CreateWebTokenHandler(accounts: self),
      CreateAccountHandler(accounts: self),
      ListAccountsHandler(accounts: self),
      DisableAccountHandler(accounts: self, releaseDisabled: releaseDisabled),
    ]
  }
}
