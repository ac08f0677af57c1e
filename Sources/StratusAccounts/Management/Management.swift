public import StratusDomain
import StratusWire

extension Accounts {
  /// The handlers of the management API, for requests of the server's operator.
  ///
  /// - Parameters:
  /// - releaseDisabled: releases the listeners of disabled users.
  ///   - deleteStores: removes a container's files.
  ///   - rotateTicketKey: signs asset URLs with a new key.
  public func managementHandlers(
    releaseDisabled: @escaping @Sendable () async throws(ServerError) -> Void,
    deleteStores: @escaping @Sendable (_ container: String) async throws(ServerError) -> Void,
    rotateTicketKey: @escaping @Sendable () throws(ServerError) -> Void
  ) -> [any ManagementHandler] {
    [
      CreateContainerHandler(accounts: self),
      ListContainersHandler(accounts: self),
      DeleteContainerHandler(accounts: self, deleteStores: deleteStores),
      CreateAPITokenHandler(accounts: self),
      ListAPITokensHandler(accounts: self),
      RevokeAPITokenHandler(accounts: self),
      AddServerKeyHandler(accounts: self),
      ListServerKeysHandler(accounts: self),
      RevokeServerKeyHandler(accounts: self, releaseDisabled: releaseDisabled),
      CreateWebTokenHandler(accounts: self),
      ListWebTokensHandler(accounts: self),
      RevokeWebTokenHandler(accounts: self),
      RotateWebTokenKeyHandler(accounts: self, rotateTicketKey: rotateTicketKey),
      CreateAccountHandler(accounts: self),
      ConfigureAccountHandler(accounts: self),
      ListAccountsHandler(accounts: self),
      EnableAccountHandler(accounts: self),
      DisableAccountHandler(accounts: self, releaseDisabled: releaseDisabled),
    ]
  }
}
