/// A secret of the server, from which the server makes signatures and derived values.
public struct SigningKey: Sendable, Hashable {
  /// The number of the key. The keys of one purpose are numbered from 1 in the order of creation.
  public var id: UInt32
  public var bytes: [UInt8]

  public init(id: UInt32, bytes: [UInt8]) {
    self.id = id
    self.bytes = bytes
  }
}

/// Stores the server's own keys. They are kept apart from the data, because a thief with the keys
/// and the data could sign in as any user.
public protocol SigningKeyStore: Sendable {
  /// Returns the keys for a purpose, the newest first, including those that another process made.
  /// After the first call there is always at least one key.
  ///
  /// - Parameters:
  ///   - purpose: the name of the purpose, in lower-case words with hyphens.
  ///   - fresh: the bytes of the first key. They are used only if there is no key yet.
  func keys(for purpose: String, orKeep fresh: [UInt8]) throws(ServerError) -> [SigningKey]

  /// Adds a key, which is then the newest one. Of the older keys, only the one that was the newest
  /// before is kept.
  func rotate(_ purpose: String, to fresh: [UInt8]) throws(ServerError)
}

/// The purposes of the server's own keys.
public enum SigningPurpose {
  public static let webAuthTokens = "web-auth-tokens"
  public static let userNames = "user-names"
  public static let pages = "pages"
  /// The keys that seal secrets in the registry. They are never replaced, because the secrets must
  /// stay readable.
  public static let storedSecrets = "stored-secrets"
  public static let assetTickets = "asset-tickets"
  public static let developerAPIToken = "developer-api-token"
}
