/// An address that a saved share has just invited.
public struct InvitedAddress: Sendable, Hashable {
  public var store: StoreAddress
  /// The address in lower case.
  public var address: String
  /// The user record name of the owner or administrator who saved the share.
  public var inviter: String
  /// The URL of the share, without a fragment.
  public var shareURL: String
  /// The title of the share, or nil if it has none.
  public var title: String?

  public init(
    store: StoreAddress, address: String, inviter: String, shareURL: String, title: String?
  ) {
    self.store = store
    self.address = address
    self.inviter = inviter
    self.shareURL = shareURL
    self.title = title
  }
}

/// Tells people that a share invites them, for example by mail.
///
/// The implementation decides whether the container permits such messages. It also limits how many
/// messages one address gets, and how many one inviter causes.
public protocol ShareInvitations: Sendable {
  /// Called once for each request that has stored new invitations, after its transaction is on
  /// disk. If the server crashes between the two steps, no message is sent, and the owner still has
  /// the URL.
  ///
  /// NB: the caller of the endpoint waits for this method, so it must only queue the messages. It
  /// must do the same work whether or not an address has an account.
  func invited(_ addresses: [InvitedAddress]) async
}

/// Sends nothing. The owner of a share sends the URL.
public struct NoShareInvitations: ShareInvitations {
  public init() {}

  public func invited(_ addresses: [InvitedAddress]) async {}
}
