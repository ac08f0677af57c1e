/// The link between an account and a user of an identity provider.
public struct ProviderLink: Sendable, Hashable {
  /// The provider's issuer URL.
  public var issuer: String
  /// The provider's ID for the user, which never changes.
  public var subject: String
  public var accountID: String
  /// The e-mail address that the provider stated when the link was made, or an empty text.
  public var email: String
  /// The time of creation, in milliseconds since 1970 UTC.
  public var createdAt: Int64

  public init(
    issuer: String, subject: String, accountID: String, email: String, createdAt: Int64
  ) {
    self.issuer = issuer
    self.subject = subject
    self.accountID = accountID
    self.email = email
    self.createdAt = createdAt
  }
}

/// Stores the links between accounts and users of identity providers.
public protocol ProviderRegistry: Sendable {
  /// Stores a link.
  ///
  /// - Parameters:
  ///   - account: a new account that the link creates, or nil if the account exists.
  ///   - countMax: the maximum number of the account's links, including this one.
  /// - Returns: false if the user of the provider is linked already, if the account has too many
  ///   links, or if an account with the new account's address exists. Then nothing changes.
  func create(
    _ link: ProviderLink, creating account: Account?, countMax: Int
  ) async throws(ServerError) -> Bool

  func providerLink(
    issuer: String, subject: String
  ) async throws(ServerError) -> ProviderLink?

  /// Returns the links of an account in the order of their creation.
  func providerLinks(ofAccount accountID: String) async throws(ServerError) -> [ProviderLink]

  /// Removes a link of an account, the telephone numbers that the provider has verified for the
  /// account, and all browser sessions of the account except one.
  ///
  /// - Parameter kept: the hash of the browser session that stays, or nil.
  func deleteProviderLink(
    issuer: String, subject: String, ofAccount accountID: String, keepingSession kept: [UInt8]?
  ) async throws(ServerError) -> CredentialRemoval
}
