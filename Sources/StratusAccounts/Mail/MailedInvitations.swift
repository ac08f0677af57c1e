public import StratusDomain

/// Mails the invitations to shares, if the operator permits it for the container.
public struct MailedInvitations: ShareInvitations {
  private let accounts: Accounts
  private let stores: any StoreCatalog
  private let pace = MailPace(countMax: MailSettings.invitationsPerSender)

  public init(accounts: Accounts, stores: any StoreCatalog) {
    self.accounts = accounts
    self.stores = stores
  }

  /// Queues a mail for each address, within the limits of the inviter, of the mailbox and of the
  /// server.
  ///
  /// NB: neither the answer to the inviter nor the work depends on whether an address has an
  /// account. A failure is only logged, because the share is saved already.
  public func invited(_ addresses: [InvitedAddress]) async {
    guard let mail = accounts.mail, mail.isAvailable, let first = addresses.first else { return }
    do throws(ServerError) {
      let settings = try await stores.store(at: first.store).read { (store) throws(ServerError) in
        try store.schema().settings
      }
      guard settings.mailsInvitations else { return }
      let inviter = try await inviter(of: first)
      for invited in addresses {
        try await send(invited, from: inviter, mail)
      }
    } catch {
      accounts.audit.note("invitations to a share are lost: \(error.reason)")
    }
  }

  /// Returns the account of the inviter, or nil if the inviter has no account.
  private func inviter(of invited: InvitedAddress) async throws(ServerError) -> Account? {
    guard
      let user = try await accounts.registry.user(
        named: invited.inviter, in: invited.store.container)
    else { return nil }
    return try await accounts.registry.account(id: user.accountID)
  }

  private func send(
    _ invited: InvitedAddress, from inviter: Account?, _ mail: MailSettings
  ) async throws(ServerError) {
    guard MailAddress.isValid(invited.address) else { return }
    let now = accounts.ambient.now()
    guard pace.admit(inviter?.id ?? invited.inviter, now: now) else {
      return accounts.audit.noteRefusal(
        "an invitation to a share is not sent: too many invitations by one account", at: now)
    }
    // NB: a mail must not contain the host of a request. See ``MailSettings/serverURL``.
    let path = invited.shareURL.split(separator: "/share/", maxSplits: 1).last ?? ""
    let url = mail.serverURL.map { "\($0)/share/\(path)" } ?? invited.shareURL
    let exceeded = try await accounts.post(
      .shareInvitation(url, from: inviter?.email), to: invited.address, kind: .shareInvitation)
    if exceeded != nil {
      accounts.audit.noteRefusal(
        "an invitation to a share is not sent: too many mails", at: now)
    }
  }
}
