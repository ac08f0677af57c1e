public import StratusDomain
import StratusWire

extension Accounts {
  /// Everything the server's operator can ask: the management API on one screen.
  ///
  /// - Parameters:
  ///   - releaseDisabled: lets those go who listen for users that are shut out.
  ///   - deleteStores: removes a container's files.
  public func managementHandlers(
    releaseDisabled: @escaping @Sendable () async throws(ServerError) -> Void,
    deleteStores: @escaping @Sendable (_ container: String) async throws(ServerError) -> Void
  ) -> [any ManagementHandler] {
    [
      CreateContainerHandler(accounts: self),
      ListContainersHandler(accounts: self),
      DeleteContainerHandler(accounts: self, deleteStores: deleteStores),
      CreateAPITokenHandler(accounts: self),
      ListAPITokensHandler(accounts: self),
      RevokeAPITokenHandler(accounts: self),
      CreateWebTokenHandler(accounts: self),
      ListWebTokensHandler(accounts: self),
      RevokeWebTokenHandler(accounts: self),
      RotateWebTokenKeyHandler(accounts: self),
      CreateAccountHandler(accounts: self),
      ListAccountsHandler(accounts: self),
      EnableAccountHandler(accounts: self),
      DisableAccountHandler(accounts: self, releaseDisabled: releaseDisabled),
    ]
  }
}
