public import StratusDomain
import StratusWire

extension Accounts {
  /// The handlers of the management API, for requests of the server's operator.
  ///
  /// - Parameters:
  ///   - roles: assigns custom roles to users.
  ///   - quotas: reads and changes the quotas of databases.
  ///   - devices: reports the state of users' devices.
  ///   - restorer: shows and restores earlier versions of records.
  ///   - releaseEnded: disconnects the listeners of ended sessions and of disabled users.
  ///   - remover: deletes accounts.
  ///   - archives: exports and imports accounts.
  ///   - deleteStores: removes a container's files.
  ///   - rotateTicketKey: replaces the key that signs asset URLs.
  public func managementHandlers(
    roles: UserRoles,
    quotas: StorageQuotas,
    devices: DeviceReports,
    restorer: VersionRestorer,
    remover: AccountRemover,
    archives: AccountArchives,
    releaseEnded: @escaping @Sendable () async throws(ServerError) -> Void,
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
      RevokeServerKeyHandler(accounts: self, releaseEnded: releaseEnded),
      CreateWebTokenHandler(accounts: self),
      ListWebTokensHandler(accounts: self),
      RevokeWebTokenHandler(accounts: self, releaseEnded: releaseEnded),
      RotateWebTokenKeyHandler(accounts: self, rotateTicketKey: rotateTicketKey),
      CreateAccountHandler(accounts: self),
      ConfigureAccountHandler(accounts: self),
      InviteAccountHandler(accounts: self),
      ListAccountsHandler(accounts: self),
      EnableAccountHandler(accounts: self),
      DisableAccountHandler(accounts: self, releaseEnded: releaseEnded),
      RestrictAccountHandler(accounts: self, releaseEnded: releaseEnded),
      UnrestrictAccountHandler(accounts: self),
      DeleteAccountHandler(accounts: self, remover: remover),
      ListReceiptsHandler(accounts: self),
      ExportAccountHandler(accounts: self, archives: archives),
      ImportAccountHandler(accounts: self, archives: archives),
      ListAuditEntriesHandler(accounts: self),
      ListRolesHandler(accounts: self, roles: roles),
      GrantRoleHandler(accounts: self, roles: roles),
      RevokeRoleHandler(accounts: self, roles: roles),
      ShowQuotaHandler(accounts: self, quotas: quotas),
      SetQuotaHandler(accounts: self, quotas: quotas),
      ShowVersionsHandler(accounts: self, restorer: restorer),
      RestoreVersionsHandler(accounts: self, restorer: restorer),
      ListDevicesHandler(accounts: self, devices: devices),
      AddMemberHandler(accounts: self),
      ConfigureMemberHandler(accounts: self),
      RemoveMemberHandler(accounts: self),
      ListMembersHandler(accounts: self),
    ]
  }
}
